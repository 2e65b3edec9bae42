//===- Remarks.h - What emitters of remarks use -----------------*- C++ -*-===//
//
// The emitters themselves are generated from records (Remark.td).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_SUPPORT_REMARKS_H
#define ATTN_MLIR_SUPPORT_REMARKS_H

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>

namespace attn::remarks {

/// What a remark that something was missed returns. Where it ends a search for
/// obstacles it is the failure of that search, as an InFlightDiagnostic is.
struct NotDone {
  operator mlir::LogicalResult() const { return mlir::failure(); }
  template <typename T> operator mlir::FailureOr<T>() const {
    return mlir::failure();
  }
};

/// A value whose key is known when the compiler runs.
struct KeyedValue {
  std::string key, value;
};

/// The name of the function or kernel that an operation is, or is in.
inline llvm::StringRef functionOf(mlir::Operation *op) {
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<mlir::FunctionOpInterface>();
  return function ? function.getName() : "";
}

using InFlight = mlir::remark::detail::InFlightRemark;

/// A value as it stands in a text.
template <typename T> std::string textOf(const T &value) {
  return mlir::remark::detail::Remark::Arg("", value).val;
}

template <typename T>
void append(InFlight &remark, llvm::StringRef key, const T &value) {
  remark << mlir::remark::metric(key, value);
}

template <typename T>
void append(InFlight &remark, llvm::StringRef key,
            const std::optional<T> &value) {
  if (value)
    append(remark, key, *value);
}

inline void append(InFlight &remark, llvm::StringRef,
                   const llvm::ArrayRef<KeyedValue> &values) {
  for (const KeyedValue &each : values)
    append(remark, each.key, each.value);
}

} // namespace attn::remarks

#endif // ATTN_MLIR_SUPPORT_REMARKS_H

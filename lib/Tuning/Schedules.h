//===- Schedules.h - Lists of schedules -------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TUNING_SCHEDULES_H
#define ATTN_MLIR_LIB_TUNING_SCHEDULES_H

#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include <vector>

namespace attn {

using Schedules = std::vector<ScheduleAttr>;

/// The schedule with these fields, in the syntax of #attn.schedule, which must
/// be right: "persistent, resident = 1".
ScheduleAttr scheduleOf(mlir::MLIRContext *context, llvm::StringRef fields);

/// Every schedule of one list with every one of the other.
Schedules cross(llvm::ArrayRef<ScheduleAttr> left,
                llvm::ArrayRef<ScheduleAttr> right);

} // namespace attn

#endif // ATTN_MLIR_LIB_TUNING_SCHEDULES_H

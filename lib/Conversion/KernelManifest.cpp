//===- KernelManifest.cpp - What a launcher is told of a kernel -----------===//

#include "KernelManifest.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

using namespace mlir;
using namespace attn;

DictionaryAttr
attn::describeParameter(Builder &b, StringRef kind,
                        ArrayRef<std::pair<StringRef, int64_t>> fields) {
  SmallVector<NamedAttribute> entries{
      b.getNamedAttr("kind", b.getStringAttr(kind))};
  for (auto [name, value] : fields)
    entries.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
  return b.getDictionaryAttr(entries);
}

/// Names of arguments in the order of a call: of views, then of scalars.
static ArrayAttr viewNamesFirst(KernelOp kernel, Builder &b) {
  SmallVector<Attribute> views, scalars;
  for (auto [type, name] :
       llvm::zip(kernel.getArgumentTypes(), kernel.getArgNamesAttr()))
    (isa<ViewType>(type) ? views : scalars).push_back(name);
  views.append(scalars);
  return b.getArrayAttr(views);
}

NamedAttrList attn::describeKernel(KernelOp kernel, Attribute grid,
                                   int64_t threads,
                                   ArrayRef<Attribute> parameters) {
  SmallVector<Attribute> views, scalars;
  for (Type type : kernel.getArgumentTypes())
    (isa<ViewType>(type) ? views : scalars).push_back(TypeAttr::get(type));
  Builder b(kernel.getContext());
  NamedAttrList entries;
  entries.set("block", b.getI64IntegerAttr(threads));
  entries.set("grid", grid);
  entries.set("parameters", b.getArrayAttr(parameters));
  entries.set("scalars", b.getArrayAttr(scalars));
  entries.set("views", b.getArrayAttr(views));
  if (kernel.getArgNamesAttr())
    entries.set("names", viewNamesFirst(kernel, b));
  for (StringRef name : {KernelOp::kDimNamesAttr, KernelOp::kOutputsAttr,
                         KernelOp::kPermutationsAttr, KernelOp::kStepAttr,
                         KernelOp::kFollowsAttr, KernelOp::kCountersAttr,
                         KernelOp::kClearedByAttr})
    if (Attribute value = kernel->getAttr(name))
      entries.set(name, value);
  return entries;
}

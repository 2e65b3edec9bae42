//===- StatedViews.cpp - What callers of a function call its views --------===//
//
// A kernel may see an argument through reshapes alone, packed for one. Then
// names and axes, of which guards speak, are those of the operation.
//
//===----------------------------------------------------------------------===//

#include "FunctionProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace attn;

/// For each view of a program its name, its order of dimensions, and the names
/// of its axes; unit where they are not known.
static constexpr StringLiteral kViewsAttr = "attn.views", kName = "name",
                               kOrder = "order", kAxes = "axes";

/// What an operation says of one of its views.
static Attribute describeView(StreamableOpInterface op, unsigned number) {
  Builder b(op.getContext());
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  SmallVector<Attribute> names;
  for (AffineExpr expr : op.getViewMaps()[number].getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    names.push_back(
        b.getStringAttr(dim ? axes[dim.getPosition()].name : StringRef()));
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr(kName, b.getStringAttr(op.getViewNames()[number])),
       b.getNamedAttr(kOrder,
                      b.getDenseI64ArrayAttr(op.getViewPermutations()[number])),
       b.getNamedAttr(kAxes, b.getArrayAttr(names))});
}

static SmallVector<Value> tensorsAmong(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) {
    return isa<RankedTensorType>(value.getType());
  });
}

static void stateViews(func::FuncOp function) {
  Builder b(function.getContext());
  auto ret = dyn_cast<func::ReturnOp>(function.front().getTerminator());
  if (!ret)
    return;
  SmallVector<Value> views = tensorsAmong(function.getArguments());
  llvm::append_range(views, ret.getOperands());
  SmallVector<Attribute> stated(views.size(), b.getUnitAttr());
  for (auto op : function.getOps<StreamableOpInterface>()) {
    SmallVector<Value> own = tensorsAmong(op->getOperands());
    llvm::append_range(own, op->getResults());
    for (auto [number, value] : llvm::enumerate(own))
      for (auto [view, attr] : llvm::zip(views, stated))
        if (view == value && isa<UnitAttr>(attr))
          attr = describeView(op, number);
  }
  function->setAttr(kViewsAttr, b.getArrayAttr(stated));
}

void attn::stateViews(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      ::stateViews(function);
}

void attn::takeStatedView(ProgramView &view, Operation *function,
                          unsigned number) {
  auto all = function->getAttrOfType<ArrayAttr>(kViewsAttr);
  auto stated = all && number < all.size()
                    ? dyn_cast<DictionaryAttr>(all[number])
                    : DictionaryAttr();
  if (!stated)
    return;
  auto name = stated.getAs<StringAttr>(kName);
  auto order = stated.getAs<DenseI64ArrayAttr>(kOrder);
  auto axes = stated.getAs<ArrayAttr>(kAxes);
  SmallVector<int64_t> shape(view.shape);
  if (!name || !order || !axes || order.size() != int64_t(shape.size()) ||
      axes.size() != shape.size() || !isPermutationVector(order.asArrayRef()))
    return;
  view.name = name.str();
  view.permutation = llvm::to_vector(order.asArrayRef());
  for (auto [dim, at] : llvm::enumerate(view.permutation)) {
    view.shape[dim] = shape[at];
    auto axis = dyn_cast<StringAttr>(axes[dim]);
    if (ShapedType::isDynamic(view.shape[dim]) && axis)
      view.axes[dim] = axis.str();
  }
}

//===- OutlinePrograms.cpp - Operations of level 1 as programs ------------===//

#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOUTLINEPROGRAMS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// One operation as a function of its own.
class Program {
public:
  explicit Program(StreamableOpInterface op) : op(op), b(op) {
    llvm::SetVector<Value> arrays, numbers;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        views.push_back(operand);
        arrays.insert(operand);
      } else if (!matchPattern(operand, m_Constant())) {
        numbers.insert(operand);
      }
    tensors = arrays.takeVector();
    scalars = numbers.takeVector();
  }

  /// The function that computes it, with this name.
  func::FuncOp outline(StringRef name) {
    SmallVector<Value> operands(tensors);
    llvm::append_range(operands, scalars);
    auto function =
        func::FuncOp::create(op.getLoc(), name,
                             b.getFunctionType(ValueRange(operands).getTypes(),
                                               op->getResultTypes()));
    Block *body = function.addEntryBlock();
    IRMapping mapping;
    mapping.map(operands, body->getArguments());
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    for (Value operand : op->getOperands())
      if (Operation *constant = operand.getDefiningOp();
          constant && !mapping.contains(operand))
        mapping.map(operand, inside.clone(*constant)->getResult(0));
    Operation *copy = inside.clone(*op, mapping);
    func::ReturnOp::create(inside, op.getLoc(), copy->getResults());
    return function;
  }

  /// What stands for that function where it is not: its views and scalars.
  func::FuncOp declare(func::FuncOp function, StringRef bundle) {
    SmallVector<Type> arguments;
    for (Type type : tensorTypes())
      arguments.push_back(viewOf(cast<RankedTensorType>(type)));
    llvm::append_range(arguments, ValueRange(scalars).getTypes());
    auto declaration =
        func::FuncOp::create(op.getLoc(), function.getSymName(),
                             b.getFunctionType(arguments, TypeRange()));
    declaration.setPrivate();
    declaration->setAttr(kProgramAttr,
                         FlatSymbolRefAttr::get(b.getContext(), bundle));
    return declaration;
  }

  void replaceByLaunch(StringRef name) {
    SmallVector<Value> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      results.push_back(emptyResult(i));
    SmallVector<Attribute> orders;
    for (Type type : tensorTypes())
      orders.push_back(AffineMapAttr::get(
          b.getMultiDimIdentityMap(cast<RankedTensorType>(type).getRank())));
    auto launch =
        LaunchOp::create(b, op.getLoc(), op->getResultTypes(), name, tensors,
                         results, scalars, b.getArrayAttr(orders));
    op->replaceAllUsesWith(launch.getResults());
    op->erase();
  }

private:
  /// Of what the function takes and returns.
  SmallVector<Type> tensorTypes() {
    SmallVector<Type> types(ValueRange(tensors).getTypes());
    llvm::append_range(types, op->getResultTypes());
    return types;
  }

  static ViewType viewOf(RankedTensorType type) {
    return ViewType::get(type.getContext(), type.getShape(),
                         type.getElementType());
  }

  /// A tensor as large as the axes of the result.
  Value emptyResult(unsigned number) {
    auto type = cast<RankedTensorType>(op->getResult(number).getType());
    unsigned view = views.size() + number;
    AffineMap map = op.getViewMaps()[view];
    SmallVector<int64_t> order = op.getViewPermutations()[view];
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim)) {
        AffineExpr axis = map.getResult(llvm::find(order, dim) - order.begin());
        dynamic.push_back(extentOf(cast<AffineDimExpr>(axis).getPosition()));
      }
    return tensor::EmptyOp::create(b, op.getLoc(), type, dynamic);
  }

  Value extentOf(unsigned axis) {
    StreamAxis its = op.getStreamAxes()[axis];
    if (!ShapedType::isDynamic(its.extent))
      return arith::ConstantIndexOp::create(b, op.getLoc(), its.extent);
    int64_t dim = op.getViewPermutations()[its.view][its.dim];
    return tensor::DimOp::create(b, op.getLoc(), views[its.view], dim);
  }

  StreamableOpInterface op;
  OpBuilder b;
  /// Operands that are views, as the operation counts them.
  SmallVector<Value> views;
  /// What the function takes: each tensor, then each number, once.
  SmallVector<Value> tensors, scalars;
};

struct OutlineProgramsPass
    : attn::impl::AttnOutlineProgramsBase<OutlineProgramsPass> {
  using AttnOutlineProgramsBase::AttnOutlineProgramsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StreamableOpInterface> ops;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](StreamableOpInterface op) { ops.push_back(op); });
    if (bundle.empty()) {
      module.emitError("expected a name for the module of programs, but got an "
                       "empty one");
      return signalPassFailure();
    }
    if (ops.empty())
      return;
    SymbolTable symbols(module);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto programs = ModuleOp::create(b, module.getLoc(), StringRef(bundle));
    // The target, and what else holds of all kernels.
    for (NamedAttribute attribute : module->getDiscardableAttrs())
      programs->setDiscardableAttr(attribute.getName(), attribute.getValue());
    symbols.insert(programs);
    for (StreamableOpInterface op : ops)
      outline(op, programs, symbols);
  }

  void outline(StreamableOpInterface op, ModuleOp programs,
               SymbolTable &symbols) {
    auto parent = op->getParentOfType<func::FuncOp>();
    Program program(op);
    std::string name =
        (parent.getSymName() + "_" + op->getName().stripDialect()).str();
    func::FuncOp function = program.outline(name);
    func::FuncOp declaration =
        program.declare(function, programs.getName().value());
    // Both have the name that is left in the module around.
    function.setSymName(symbols.insert(declaration));
    programs.push_back(function);
    program.replaceByLaunch(function.getSymName());
    ++numPrograms;
  }
};

} // namespace

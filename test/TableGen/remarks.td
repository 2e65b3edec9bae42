// What attn-tblgen makes of records.
// RUN: attn-tblgen -I %source/include -gen-remark-decls %s | FileCheck %s --check-prefix=DECLS
// RUN: attn-tblgen -I %source/include -gen-remark-defs %s | FileCheck %s --check-prefix=DEFS
// RUN: attn-tblgen -I %source/include -gen-remark-doc %s | FileCheck %s --check-prefix=DOC

include "attn-mlir/Support/Remark.td"

let category = "attn-fold" in {
// DECLS: /// attn-fold, Passed: folded, "axes are folded:"
// DECLS-NEXT: void emitFolded(::mlir::Operation *op, int64_t firstAxis, std::optional<::llvm::StringRef> from);
// DEFS-LABEL: void emitFolded(
// DEFS-NEXT: auto opts = ::mlir::remark::RemarkOpts::name("folded")
// DEFS-NEXT: .category("attn-fold")
// DEFS-NEXT: .function(functionOf(op));
// DEFS-NEXT: auto remark = ::mlir::remark::passed(op->getLoc(), opts);
// DEFS-NEXT: remark << (::llvm::Twine("axes are folded:")).str();
// DEFS-NEXT: append(remark, "first-axis", firstAxis);
// DEFS-NEXT: append(remark, "from", from);
// DEFS-NEXT: }
// DOC: ## `attn-fold`
// DOC: | `folded` | passed | axes are folded: | Once a kernel, where `a \| b`. | `first-axis` (integer): the outer one; `from` (string, optional): who says so |
def Folded : AttnRemark<"folded", Passed, "axes are folded:", [
    RemarkArg<"first-axis", Int, "the outer one">,
    RemarkArg<"from", Optional<String>, "who says so">]> {
  let description = [{
    Once a kernel,
    where `a | b`.
  }];
}

// What is in the text has no key, and where something is missed the emitter returns that.
// DECLS: ::attn::remarks::NotDone emitUnfolded(::mlir::Operation *op, ::llvm::StringRef axis, int64_t size);
// DEFS-LABEL: NotDone emitUnfolded(
// DEFS-NEXT: name("unfolded")
// DEFS-NEXT: .category("attn-fold");
// DEFS-NEXT: ::mlir::remark::missed(
// DEFS-NEXT: remark << (::llvm::Twine("axis \22") + ::llvm::Twine(textOf(axis)) + ::llvm::Twine("\22 stays")).str();
// DEFS-NEXT: append(remark, "size", size);
// DEFS-NEXT: return {};
// DOC-NEXT: | `unfolded` | missed | axis "{axis}" stays | It is alone. |
def Unfolded : AttnRemark<"unfolded", Missed, "axis \"{axis}\" stays", [
    RemarkArg<"axis", String, "the axis">, RemarkArg<"size", Int, "its size">]> {
  let description = "It is alone.";
  let namesFunction = 0;
}
}

// Values under keys of their own.
// DECLS: void emitSized(::mlir::Operation *op, ::llvm::ArrayRef<::attn::remarks::KeyedValue> axis);
// DOC: ## `attn-size`
// DOC: | `sized` | passed | sizes: | Always. | `<axis>` (strings): its size |
let category = "attn-size" in
def Sized : AttnRemark<"sized", Passed, "sizes:", [RemarkArg<"axis", Keyed, "its size">]> {
  let description = "Always.";
}

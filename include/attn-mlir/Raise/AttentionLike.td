//===- AttentionLike.td - Operations that say they are attention -*- tablegen -*-===//

#ifndef ATTN_RAISE_ATTENTIONLIKE
#define ATTN_RAISE_ATTENTIONLIKE

include "mlir/IR/OpBase.td"

def Attn_AttentionLikeOpInterface : OpInterface<"AttentionLikeOpInterface"> {
  let description = [{
    An operation of any dialect that is attention as `attn.attention` defines it.
    `attn-raise` puts that in its place, and looks no further at what it computes.
    A dialect that is not to know of this project implements it by an external model.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{
      What the operation computes. The operation has one result, of the type that
      `attn.attention` has of these operands, or two, of which the second is its LSE.
      Fails where this operation is not attention after all: it is left alone then.
    }], "::llvm::FailureOr<::attn::AttentionDescription>", "describeAttention">
  ];
}

#endif // ATTN_RAISE_ATTENTIONLIKE

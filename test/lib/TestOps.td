//===- TestOps.td - A streamable op that no pass knows ------*- tablegen -*-===//

#ifndef ATTN_TEST_OPS
#define ATTN_TEST_OPS

include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.td"
include "attn-mlir/Raise/AttentionLike.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AttnTest_Dialect : Dialect {
  let name = "attn_test";
  let cppNamespace = "::attn_test";
}

def AttnTest_LogSumExpOp : Op<AttnTest_Dialect, "logsumexp", [
    Pure, DeclareOpInterfaceMethods<Attn_StreamableOpInterface>]> {
  let summary = "Logarithm of the sum of exponentials of each row";
  let description = [{
    y[m] = ln sum_n exp(x[m,n]), in f32 whatever x is: a stream over n with the
    state (maximum, sum). `ordered` forbids reordering, to test that passes
    refuse.
  }];
  let arguments = (ins RankedTensorOf<[F32, BF16]>:$input, UnitAttr:$ordered);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def AttnTest_AttendOp : Op<AttnTest_Dialect, "attend", [
    Pure, DeclareOpInterfaceMethods<Attn_AttentionLikeOpInterface>]> {
  let summary = "Attention of another dialect, which says so itself";
  let description = [{
    `causal` hides the keys behind a query; `sequence_first` is layout bshd. With
    `secret` it does not say what it is.
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
    AnyRankedTensor:$value, F32Attr:$scale, UnitAttr:$causal,
    UnitAttr:$sequence_first, UnitAttr:$secret);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value attr-dict `:` functional-type(operands, results)
  }];
}

def AttnTest_ForeignAttendOp : Op<AttnTest_Dialect, "foreign_attend", [Pure]> {
  let summary = "Attention of another dialect, which an external model says";
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
    AnyRankedTensor:$value, RankedTensorOf<[I32]>:$lengths);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $lengths attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // ATTN_TEST_OPS

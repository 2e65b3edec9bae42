//===- Passes.td - Attention in other dialects, found ------*- tablegen -*-===//

#ifndef ATTN_RAISE_PASSES
#define ATTN_RAISE_PASSES

include "mlir/Pass/PassBase.td"

def AttnRaise : Pass<"attn-raise", "::mlir::ModuleOp"> {
  let summary = "Make attn.attention of attention in linalg and tosa";
  let description = [{
    Finds softmax(scale * Q K^T + mask) V on tensors, in whatever operations of
    linalg, tensor, arith, math and tosa it is written, and puts `attn.attention`
    in its place. What an operation computes is read from its indexing maps and its
    body, as an expression of one element; layouts, casts between f16, bf16 and
    f32, and the order of operations are not part of that.

    Masks that compare the positions of queries and keys become mask attributes;
    any other function of a score, of indices and of tensors becomes a score
    modification or a mask region. Operations that only served attention are
    erased, all others are left as they are. Operations that implement
    `AttentionLikeOpInterface` are taken as they are.

    Nothing happens where that would change what is computed: where the maximum
    or the sum is not that of the exponentials along the keys, where the sum has an
    epsilon, where a product or a sum starts from something else than zero, where
    scores or probabilities have other users, where numbers are f64, and where
    `attn.attention` has no such shape. A remark says which condition failed. f16
    and bf16 are accumulated in f32, whatever the program accumulates them in.

    Rows whose keys are all hidden by -inf are NaN in such programs, and zero in
    `attn.attention`: with `masked-rows=nan` an operation behind it makes them NaN
    again, where there may be any. `masked-rows=zero` leaves them zero.

    Before:

    ```mlir
    %s = linalg.batch_matmul indexing_maps = [...] ins(%q, %k : ...) outs(%zero : ...) -> tensor<8x?x?xf32>
    %x = linalg.generic ... { arith.mulf %in, %scale } -> tensor<8x?x?xf32>
    %p = linalg.softmax dimension(2) ins(%x : ...) outs(%e : ...) -> tensor<8x?x?xf32>
    %o = linalg.batch_matmul ins(%p, %v : ...) outs(%zero : ...) -> tensor<8x?x64xf32>
    ```

    After: `attn.attention %q4, %k4, %v4 scale(0.125) : ...` between reshapes.

    [Remarks](remarks.md#attn-raise) name each operation that was made, and what
    was missed.
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"maskedRows", "masked-rows", "std::string", "\"nan\"",
           "What rows without keys are: nan, as in the program, or zero">
  ];
  let statistics = [
    Statistic<"numRaised", "raised", "Operations made">,
    Statistic<"numMissed", "missed", "Softmaxes between products that stay">
  ];
}

#endif // ATTN_RAISE_PASSES

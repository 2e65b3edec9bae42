//===- Remarks.td - What was raised, and what was not ------*- tablegen -*-===//

#ifndef ATTN_RAISE_REMARKS
#define ATTN_RAISE_REMARKS

include "attn-mlir/Support/Remark.td"

let category = "attn-raise" in {

def Raised : AttnRemark<"raised", Passed, "is attention:", [
    RemarkArg<"scale", Float, "the factor of scores">,
    RemarkArg<"mask", Optional<Attr>, "what hides keys by their positions">,
    RemarkArg<"layout", String, "bhsd or bshd">,
    RemarkArg<"element", String, "the element type of the operands">,
    RemarkArg<"regions", Optional<String>, "score, keep, or both">,
    RemarkArg<"masked-rows", Optional<String>, "nan, where rows may have no key">,
    RemarkArg<"lse", Optional<String>, "returned, where the program keeps logarithms of sums">]> {
  let description = "A subgraph became `attn.attention`.";
}
def RaisedLike : AttnRemark<"taken", Passed, "says that it is attention:", [
    RemarkArg<"operation", String, "the name of the operation">]> {
  let description = "An operation implements `AttentionLikeOpInterface`.";
}

class NotRaised<string identifier, string words> : AttnRemark<identifier, Missed, words, [
    RemarkArg<"found", String, "what was found">,
    RemarkArg<"at", Optional<String>, "the operation that it was found in">]>;

def RaiseInit : NotRaised<"init", "stays, since a reduction does not start from nothing:"> {
  let description = "A product or a sum that adds to something, or a maximum that starts above the least number.";
}
def RaiseNoMaximum : NotRaised<"no-maximum", "stays, since exponentials may overflow:"> {
  let description = "Without the maximum the program has infinities and NaN where attention has numbers.";
}
def RaiseMaximum : NotRaised<"maximum", "stays, since the maximum is another:"> {
  let description = "What is taken from the scores is not their maximum along the keys.";
}
def RaiseNoSum : NotRaised<"no-sum", "stays, since weights are not normalized:"> {
  let description = "Neither the weights nor the product with the values are divided by a sum.";
}
def RaiseSum : NotRaised<"sum", "stays, since the denominator is another:"> {
  let description = "It is not the sum of the exponentials along the keys: an epsilon was added, or it runs over another dimension.";
}
def RaiseWeights : NotRaised<"weights", "stays, since weights are more than a softmax:"> {
  let description = "They are scaled, or dropped out, between the softmax and the product.";
}
def RaiseProduct : NotRaised<"product", "stays, since scores are no product:"> {
  let description = "No product of queries and keys over one dimension is in the scores.";
}
def RaiseOperands : NotRaised<"operands", "stays, since its operands are laid out otherwise:"> {
  let description = "No reshape and transpose makes batches, heads, sequences and features of their dimensions.";
}
def RaiseUsers : NotRaised<"users", "stays, since something else needs what it computes:"> {
  let description = "Scores, weights, maxima or sums have a user outside of the attention.";
}
def RaiseHeadSizes : NotRaised<"head-sizes", "stays, since attn.attention has no such head:"> {
  let description = "Head dimensions are static multiples of 8 up to 256, and numbers of heads are static.";
}
def RaiseTypes : NotRaised<"types", "stays, since attn.attention has no such numbers:"> {
  let description = "Element types are f16, bf16 and f32.";
}
def RaiseEmptyRows : NotRaised<"empty-rows", "stays, since some rows have no key:"> {
  let description = "The mask hides all keys from some query, whose result is NaN.";
}
def RaiseScores : NotRaised<"scores", "stays, since no region computes its scores:"> {
  let description = "The scores are made by operations that regions do not have, or scaled by a number that is not positive.";
}

}

#endif // ATTN_RAISE_REMARKS

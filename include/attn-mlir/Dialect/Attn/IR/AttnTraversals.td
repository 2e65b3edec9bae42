//===- AttnTraversals.td - Orders of a stream's visits -----*- tablegen -*-===//

#ifndef ATTN_TRAVERSALS
#define ATTN_TRAVERSALS

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

def Attn_TraversalInterface : AttrInterface<"TraversalInterface"> {
  let cppNamespace = "::attn";
  let constBuilderCall = "$0";
  let description = [{
    In which order a stream visits its tiles. A stream lists segments, each
    masked or not. Its visits go through the segments as they are listed, or all
    of them the other way, and within each segment of n tiles by an injection of
    [0, n) into the numbers of tiles, of which that at the segment's lower bound is
    0. All but `listed` and `blocks` take each of the n tiles once; a tile is masked or not as
    the segment is. What is known at run time only, a traversal takes from
    operands of the stream. A new traversal is a new attribute with this
    interface: no pass knows the traversals.
  }];
  let methods = [
    InterfaceMethod<[{
      Fails after a diagnostic where the stream's operands are not those that the
      traversal takes.
      }], "::llvm::LogicalResult", "verifyOperands",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "::mlir::TypeRange":$types)>,
    InterfaceMethod<[{
      Of how many rows the steps of the stream are a part; 0: any step will do.
      }], "int64_t", "getBlock", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<[{
      The operand, an i1, that says whether all visits come in the opposite order;
      null where they never do.
      }], "::mlir::Value", "getBackward", (ins "::mlir::ValueRange":$operands),
      [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Whether the visits of a segment take its tiles one after the other, so that
      their positions are an arithmetic series. Then `buildTile` is not asked.
      }], "bool", "isInOrder", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<[{
      Whether segments of which each begins where the one before it ends are visited as
      one segment of all their tiles would be.
      }], "bool", "goesOn", (ins), [{}], [{ return $_attr.isInOrder(); }]>,
    InterfaceMethod<[{
      Builds what `buildTile` needs for each visit to a segment of `count` tiles of
      `step` rows from `lower` on, which may be none.
      }], "::llvm::SmallVector<::mlir::Value>", "buildSetup",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands, "::mlir::Value":$lower,
           "int64_t":$step, "::mlir::Value":$count),
      [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Builds the number of the tile, of `count`, that is visited at `visit`. For a
      visit outside of [0, count) the number is never used.
      }], "::mlir::Value", "buildTile",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$setup, "::mlir::Value":$visit,
           "::mlir::Value":$count),
      [{}], [{ return visit; }]>,
    InterfaceMethod<[{
      The direction of the visits in words, as `attn-describe` prints it.
      }], "::std::string", "describe", (ins "::mlir::ValueRange":$operands)>
  ];
}

def Attn_ForwardTraversal : Attn_Attr<"ForwardTraversal", "forward",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface>]> {
  let summary = "From the first tile to the last";
  let description = [{
    What a stream does that names no traversal. It takes no operands.
  }];
}

def Attn_ReversedTraversal : Attn_Attr<"ReversedTraversal", "reversed",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface, ["getBackward"]>]> {
  let summary = "From the last tile to the first, where a value says so";
  let description = [{
    The operand is an i1, which `attn-sawtooth` makes alternate: the list of
    segments and each segment are reversed where it is true.

    Example: `traversal #attn.reversed(%odd : i1)`
  }];
}

def Attn_InsideOutTraversal : Attn_Attr<"InsideOutTraversal", "inside_out",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface,
                                 ["getBackward", "isInOrder", "buildSetup", "buildTile"]>]> {
  let summary = "From the middle of each segment to its ends, in turns";
  let description = [{
    Of n tiles: number m = floor(n / 2), then m - 1, m + 1, m - 2, and so on. An
    operand of type i1, where there is one, says whether the visits come in the
    opposite order, from the ends to the middle.

    Example: `traversal #attn.inside_out(%odd : i1)`
  }];
}

def Attn_RotatedTraversal : Attn_Attr<"RotatedTraversal", "rotated",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface,
                                 ["getBackward", "isInOrder", "buildSetup", "buildTile"]>]> {
  let summary = "From an offset on, and around the end of each segment";
  let description = [{
    The first operand, an index of either sign, is the offset r: of a segment of n
    tiles the visits take number r mod n, then the next, and behind number n - 1
    number 0. A second operand, of type i1, says whether they come in the opposite
    order.

    Example: `traversal #attn.rotated(%offset : index)`
  }];
}

def Attn_ListedTraversal : Attn_Attr<"ListedTraversal", "listed",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface,
                                 ["getBackward", "isInOrder", "buildSetup", "buildTile"]>]> {
  let summary = "Tiles whose numbers are in a list in memory";
  let description = [{
    As of a mask by blocks: segments are ranges of the list, of `step` rows for each
    of its numbers, and begin at multiples of `step`. Visit v of a segment that
    begins at number f takes the tile at `step` times element f + v of the list,
    wherever it is. Full tiles may come first, those that are masked behind them.

    Operands are a view of i32 or i64, an index for each of its dimensions, the last
    of which is where the list begins, and maybe an i1 that says whether the visits
    come in the opposite order. What lies outside of the view is zero.

    Example: `traversal #attn.listed(%tiles, %row, %c0 : !attn.view<?x?xi32>, index, index)`
  }];
}

def Attn_BlocksTraversal : Attn_Attr<"BlocksTraversal", "blocks",
    [DeclareAttrInterfaceMethods<Attn_TraversalInterface,
                                 ["getBackward", "getBlock", "goesOn", "isInOrder",
                                  "buildSetup", "buildTile"]>]> {
  let summary = "Blocks whose numbers are in one list in memory, or in two";
  let description = [{
    What a `BlockMask` makes of a stream. Segments are ranges of the list, of `size`
    rows for each of its numbers, and begin at multiples of the step, which divides
    `size`: a block is visited from its first tile to its last. Number n stands for
    the rows from `size` times n on.

    Operands are an index, the number of blocks that there are; then a view of i32 or
    i64 and an index for each of its dimensions, the last of which is where the list
    begins; and maybe an index and another such list, which goes on from that number
    of blocks on. Behind them an i1 may say whether the visits come in the opposite
    order. What lies outside of a view is zero. A number below 0, or above that of the
    blocks, is taken for that number: the block behind the last one.

    Example: `traversal #attn.blocks<128>(%count, %full, %row, %c0, %split, %partial, %row, %c0 :
    index, !attn.view<?x?xi32>, index, index, index, !attn.view<?x?xi32>, index, index)`
  }];
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kMostBlock = 1 << 16;
  }];
}

#endif // ATTN_TRAVERSALS

//===- AttnInterfaces.td - Streamable ops and masks ---------*- tablegen -*-===//

#ifndef ATTN_INTERFACES
#define ATTN_INTERFACES

include "mlir/IR/OpBase.td"

def Attn_MaskInterface : AttrInterface<"MaskInterface"> {
  let cppNamespace = "::attn";
  let description = [{
    Which (query, key) pairs attend. A mask states the keys that a block of
    queries can see, from which the partition makes loop bounds, and the
    predicate of one pair, which the masked part of a stream evaluates. A new
    mask is a new attribute with this interface: no pass knows the masks.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends the arithmetic of the key ranges of queries `first..last` (both
      inclusive, of type index) to the builder's block. Ranges are half open
      and may lie outside of [0, keys).
      }],
      "::attn::KeyRange", "buildKeyRange",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::attn::MaskSizes":$sizes, "::mlir::Value":$first,
           "::mlir::Value":$last)>,
    InterfaceMethod<[{
      Likewise, the queries that attend to keys `first..last`: [lo, hi) holds each that
      attends to some of them, [fullLo, fullHi) those that attend to all. A mask that does not
      say is evaluated for every query.
      }],
      "::attn::KeyRange", "buildQueryRange",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::attn::MaskSizes":$sizes, "::mlir::Value":$first,
           "::mlir::Value":$last), [{}], [{
        ::attn::KeyRange range{};
        range.partial = true;
        return range;
      }]>,
    InterfaceMethod<[{
      Builds the i1 that says whether a query attends to a key. `query` and
      `key` are indices or tensors of them (of one shape); null where every
      pair attends.
      }],
      "::mlir::Value", "buildPredicate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::attn::MaskSizes":$sizes, "::mlir::Value":$query,
           "::mlir::Value":$key)>,
    InterfaceMethod<[{
      Whether a key that a query of the sequence attends to is one of the keys,
      so that tiles that end beyond the keys need no predicate of their own.
      }],
      "bool", "impliesKeyExists", (ins), [{}], [{ return false; }]>
  ];
}

def Attn_StreamableOpInterface : OpInterface<"StreamableOpInterface"> {
  let cppNamespace = "::attn";
  let description = [{
    An operation that can be computed by *grouping* some of its axes over
    processors and *streaming* another past each group: `head` makes the state,
    `fold` takes one tile of the stream into it, `merge` joins two states, and
    `tail` makes the results. That is the streamability of "FlashAttention on a
    Napkin" (section 3) as code. With

        result = tail(fold(... fold(head, tile 0) ..., tile n-1))

    the passes may take the tiles in any order, and split the stream into parts
    that are merged, as far as `getReorder` allows. All scheduling passes are
    written against this interface alone.

    The *views* of an op are its tensor operands, then its results, in order.
  }];
  let methods = [
    InterfaceMethod<"The axes of the iteration space, groups first.",
      "::llvm::SmallVector<::attn::StreamAxis>", "getStreamAxes">,
    InterfaceMethod<[{
      For every view a map from the axes to the dimensions of the view, as
      indexing maps in linalg.
      }], "::llvm::SmallVector<::mlir::AffineMap>", "getViewMaps">,
    InterfaceMethod<[{
      For every view the permutation that takes a dimension of the view to the
      dimension of the tensor that holds it (BSHD against BHSD is nothing
      else).
      }], "::llvm::SmallVector<::llvm::SmallVector<int64_t>>",
      "getViewPermutations", (ins), "", [{
        ::llvm::SmallVector<::llvm::SmallVector<int64_t>> perms;
        for (::mlir::AffineMap map : $_op.getViewMaps())
          perms.push_back(::llvm::to_vector(
              ::llvm::seq<int64_t>(0, map.getNumResults())));
        return perms;
      }]>,
    InterfaceMethod<"A name for every view, by which a kernel's arguments go.",
      "::llvm::SmallVector<::llvm::StringRef>", "getViewNames">,
    InterfaceMethod<"Scalar operands that the fold refers to.",
      "::llvm::SmallVector<::mlir::Value>", "getScalarCaptures", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      The operand view, of integers, that holds how long the stream is: one number
      for each point of the unit axes that are its dimensions. The extent of the
      streamed axis is what such a number may be at most; where it is not, or is
      negative, results are NaN. Nothing: the extent is the length.
      }], "std::optional<unsigned>", "getLengthsView", (ins), "",
      [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Axes whose elements, of all points of a unit axis, lie one point behind the
      other in memory. A view of integers says where those of each begin. A tile of
      a group axis may hold rows of the next point: nothing is stored of them.
      Behind the end of a stream there is what `wantsZerosBehind` says.
      }], "::llvm::SmallVector<::attn::PackedAxis>", "getPackedAxes", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      Dimensions of operand views whose position an element of another view says, a
      table that the kernel reads at its own map. The map of the view has 0 there.
      }], "::llvm::SmallVector<::attn::Lookup>", "getLookups", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      Whether single elements of an operand view are read, by the fold or the tail
      (`attn.gather` of `TileContext::views`), and no tile of it is loaded.
      }], "bool", "readsElements", (ins "unsigned":$view), "",
      [{ return false; }]>,
    InterfaceMethod<"The operand views that the tail reads elements of.",
      "::llvm::SmallVector<unsigned>", "getTailViews", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      The operand views that `buildSegments` may read elements of, beside the
      lengths. A kernel that only asks how long streams are has these.
      }], "::llvm::SmallVector<unsigned>", "getSegmentViews", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      Whether a fold wants zeros in its tile of a view behind the length of the
      stream, in masked segments: there memory may hold anything, and a mask of
      scores does not keep NaN out of a sum.
      }], "bool", "wantsZerosBehind", (ins "unsigned":$view), "",
      [{ return true; }]>,
    InterfaceMethod<[{
      The operand view of whose tiles those of a view are the first columns; the view itself
      where it has tiles of its own. What is contained in another is never read.
      }], "unsigned", "getContainingView", (ins "unsigned":$view), "",
      [{ return view; }]>,
    InterfaceMethod<[{
      Whether a tile of a view that has one dimension is one value a column of the other tiles
      of the fold, of type [1, n], and not one a row.
      }], "bool", "isOfColumns", (ins "unsigned":$view), "",
      [{ return false; }]>,
    InterfaceMethod<[{
      The results that tiles of the grid add to together, the last ones, in their
      order; the tail makes none of these.
      }], "::llvm::SmallVector<::attn::Contribution>", "getContributions", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
      Of streams of steps: whether a fold takes less time than the loads of its
      tiles, so that those of several steps are loaded before the first is folded.
      Other streams may run around one whose steps are taken one by one.
      }], "bool", "loadsStepsAhead", (ins), "", [{ return true; }]>,
    InterfaceMethod<"What changing the order of the stream does to results.",
      "::attn::Reorder", "getReorder">,
    InterfaceMethod<[{
      For every value of the state, which is a tile of f32, the map from the axes
      to the dimensions of the tile: group and whole axes, in the order of the
      axes. By it a state is stored, so that another kernel merges it.
      }], "::llvm::SmallVector<::mlir::AffineMap>", "getStateMaps">,
    InterfaceMethod<"A name for every value of the state.",
      "::llvm::SmallVector<::llvm::StringRef>", "getStateNames">,
    InterfaceMethod<[{
      Number of f32 values that one fold holds beside its operands' tiles and
      the state, for tiles of these sizes.
      }], "int64_t", "getFoldTemporaries",
      (ins "::llvm::ArrayRef<int64_t>":$tileSizes), "", [{ return 0; }]>,
    InterfaceMethod<[{
      The parts of the stream that the group tile visits, in ascending order.
      Bounds are in elements of the axis that is streamed innermost, `lo` a multiple of its
      tile. They are the same for all steps of the axes streamed around it, of which
      no offset is known.
      }], "::llvm::SmallVector<::attn::Segment>", "buildSegments",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile)>,
    InterfaceMethod<[{
      The traversal of that stream, and its operands, where the order of its tiles is
      not that of the axis: segments are then what the traversal takes them for.
      }], "::attn::StreamTraversal", "buildTraversal",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile), "", [{ return {}; }]>,
    InterfaceMethod<"The initial state.",
      "::llvm::SmallVector<::mlir::Value>", "buildHead",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile)>,
    InterfaceMethod<[{
      Takes one tile of the stream into the state, which it gives, and behind it what it
      contributes to results (`getContributions`). `tiles` holds one tile for
      each operand view. Masking is by `attn.mask`, which acts in the masked
      segments only.
      }], "::llvm::SmallVector<::mlir::Value>", "buildFold",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile, "::mlir::ValueRange":$state,
           "::mlir::ValueRange":$tiles)>,
    InterfaceMethod<[{
      Joins the states of two disjoint parts of the stream.
      }], "::llvm::SmallVector<::mlir::Value>", "buildMerge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile, "::mlir::ValueRange":$lhs,
           "::mlir::ValueRange":$rhs)>,
    InterfaceMethod<"One tile for each result that has no contributions.",
      "::llvm::SmallVector<::mlir::Value>", "buildTail",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::attn::TileContext &":$tile, "::mlir::ValueRange":$state)>
  ];
  let extraClassDeclaration = [{
    /// Number of f32 values of the state, for tiles of these sizes (one for each
    /// axis).
    int64_t getStateElements(::llvm::ArrayRef<int64_t> tileSizes);
    /// Whether CTAs may share a stream: its order does not matter, states
    /// have a place for each point of the unit axes, and a merge of states is all
    /// that there is to do.
    bool canSplitOverCtas();
  }];
}

def Attn_CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::attn";
  let description = [{
    An operation that several streamable ones compute, one after the other: a program
    of kernels. `attn-expand` puts these in its place.
  }];
  let methods = [
    InterfaceMethod<"Builds the operations; a value for each result.",
      "::llvm::SmallVector<::mlir::Value>", "buildExpansion",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // ATTN_INTERFACES

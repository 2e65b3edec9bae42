//===- Passes.td - Passes of levels 1 to 3 ------------------*- tablegen -*-===//

#ifndef ATTN_TRANSFORMS_PASSES
#define ATTN_TRANSFORMS_PASSES

include "attn-mlir/Dialect/Attn/Transforms/SchedulePasses.td"

//===----------------------------------------------------------------------===//
// Level 2 to level 3
//===----------------------------------------------------------------------===//

def AttnSimplifyTiles : Pass<"attn-simplify-tiles", "::attn::KernelOp"> {
  let summary = "Divide once a row";
  let description = [{
    Where a division has `fastmath<arcp>`, `x / broadcast(d)` becomes `x * broadcast(1 / d)`, for
    targets on which a division is many instructions. Rounding changes by an ulp or so. Other
    divisions stay: a quotient by a column that is rounded down may count on 49 / 49 being 1.

    Before: `%d = attn.broadcast %l; %o = arith.divf %acc, %d fastmath<arcp>`

    After: `%r = arith.divf %one, %l; %d = attn.broadcast %r; %o = arith.mulf %acc, %d fastmath<arcp>`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AttnSplitColumns : Pass<"attn-split-columns", "::attn::KernelOp"> {
  let summary = "Wide tiles as panels of columns";
  let description = [{
    Tiles of products that have more than 256 columns, which is what a product and a tensor map
    take at once, become tiles side by side, and so do tiles whose first columns are used by
    themselves (`values(keys)` of `attn.attention`). A product of which they are the depth
    becomes a sum of products; one of which they are the columns, several of one left-hand side;
    streams carry panels; loads, stores and elementwise operations are about one each. Tiles are
    cut at the same columns, so that the first ones of K are V without another load.

    Before: `%v = tensor.extract_slice %k[0, 0] [64, 512] [1, 1]; %o1 = attn.dot %p, %v, %o0`

    After: `%x1 = attn.dot %p, %k0, %x0; %y1 = attn.dot %p, %k1, %y0`

    An operation on such a tile that panels cannot be taken through one by one is an error.
    Does nothing where there are no such tiles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numSplit", "split", "Loads and products of wide tiles">];
}

def AttnAssignUnits : Pass<"attn-assign-units", "::attn::KernelOp"> {
  let summary = "Give each product a matrix unit";
  let description = [{
    Each product names the fastest unit of the target (`MatrixUnitInterface`) that can
    compute it, and the kernel gets its `threads`. Results feed other products: all
    units of a kernel have the same layouts. `products` says which of them units may
    compute that complete asynchronously: all, only the `scores`, those with a
    transposed right-hand side, or none.

    A product that no unit of the target takes names none, with a remark. With
    `mx-products` those of 8-bit elements have `#attn.mma_sync_mx`, and the target
    its capability.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `%s = attn.dot %q, %k, %zero transpose_rhs by(#attn.wgmma) : ...`
  }];
  let options = [
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "Warps of a CTA (0: as the unit wants them, else about 32 rows each)">,
    Option<"products", "products", "::attn::Products", /*default=*/"::attn::Products::All",
           "Which products asynchronous units may compute",
           "::llvm::cl::values(clEnumValN(::attn::Products::None, \"none\", \"no product\"), clEnumValN(::attn::Products::All, \"all\", \"every product\"), clEnumValN(::attn::Products::Scores, \"scores\", \"those with a transposed right-hand side\"))">,
    Option<"mxProducts", "mx-products", "bool", /*default=*/"false",
           "Multiply 8-bit elements by instructions with scales of blocks, all of them 1">
  ];
  let statistics = [Statistic<"numAssigned", "assigned", "Products given a unit">];
}

def AttnSeparateReaders : Pass<"attn-separate-readers", "::attn::KernelOp"> {
  let summary = "Load tiles twice that products read by rows and by columns";
  let description = [{
    A product takes neighbours along what it sums over. Of a tile that one product sums
    over by columns and another by rows (Q in the gradient of K: scores, and dX Q), one
    of the two reads element by element where the matrix unit wants the tile to lie in
    one way for the first and in another for the second, as MFMA of gfx942 does. Such a
    load is made again for the products that sum over rows, as long as shared memory has
    room for all rings: `attn-stage-loads` gives each its own, and it lies there once in
    rows and once in columns.

    Before: `%q = attn.load ...`, `attn.dot %k, %q, %0 transpose_rhs`, `attn.dot %ds, %q, %1`

    After: `%q = attn.load ...`, `%q_0 = attn.load ...`,
    `attn.dot %k, %q, %0 transpose_rhs`, `attn.dot %ds, %q_0, %1`

    Does nothing on targets whose copies do not go through registers (capability `buffer`):
    only these can turn a tile on its way to shared memory. See
    docs/passes/attn-separate-readers.md.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0",
           "Stages of the rings of streamed tiles (0: 2)">
  ];
  let statistics = [Statistic<"numSeparated", "separated", "Loads made twice">];
}

def AttnStageLoads : Pass<"attn-stage-loads", "::attn::KernelOp"> {
  let summary = "Load tiles through rings in shared memory";
  let description = [{
    An `attn.load` becomes a ring of shared memory: a streamed tile one of
    `stages` stages, filled by the `produce` region of its stream, `stages` - 1
    visits ahead; a tile that stays one of `resident-stages`: with two, a producer of
    its own loads it for the next visit while this one ends. The tile is waited for
    just before its first use and released just after its last (a tile that stays: at
    the end of the visit, after lending its memory to a store). Rings live as long
    as the kernel: a persistent CTA goes on using them.

    Products take tiles in shared memory; other users get an
    `attn.convert_layout`.

    A load that no product takes, as it is or cast, stays a load, straight into
    registers, where its tile has rank 1 (one value a row) or the position of its
    stream only picks which slice of the view it is, as where partial results are
    merged. Kernels with no other loads have no rings.

    With `columns`, tiles of one row of 4-byte values, such as LSE where queries are
    columns, go through rings, too: a warp copies 4 bytes a lane, so that they may begin
    anywhere, and threads read what they need where they need it, instead of holding it
    in registers from before the products on.

    With `hold-lhs`, a tile that stays and is a left-hand side of products in a stream is
    read into registers in front of it: products then fetch one operand alone from shared
    memory, whose bandwidth limits those of few columns.

    `copy` says what copies: `tensor` is the tensor memory accelerator, `async`
    copies of `chunk` bytes a thread. The accelerator wants strides that are
    multiples of 16 bytes: where the rows of a view are not, copies are `async`
    in chunks of 8 or 4 bytes, which divide the row.

    Before: `attn.stream %j ... { %k = attn.load %kv[%b, %h, %j, %c0] ... }`

    After:

    ```mlir
    %r = attn.ring.create : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>
    attn.stream %j ... produce (%a) {
      %s = attn.ring.acquire %r ...
      %p = attn.ring.issue %s, %kv[%b, %h, %a, %c0] ...
      attn.ring.land %p ...
    } {
      %k = attn.ring.wait %r ...
      ...
      attn.ring.release %r ...
    }
    ```

    Sizes of tiles in rings must be multiples of 16, at most 256.

    A tensor copy takes about as long for 32 bytes of a row as for 128. With
    `wide-panels` tiles whose panels would be narrow lie in fewer and wider ones, if the
    matrix unit knows such; the last one is in part empty, and products read no more than before. Where shared memory has no room
    for them, panels stay as they are.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Stages of the rings of streamed tiles (0: default)">,
    Option<"copy", "copy", "::attn::CopyKind", /*default=*/"::attn::CopyKind::Tensor",
           "What copies tiles",
           "::llvm::cl::values(clEnumValN(::attn::CopyKind::Tensor, \"tensor\", \"tensor memory accelerator, where the target has one\"), clEnumValN(::attn::CopyKind::Async, \"async\", \"a chunk a thread\"), clEnumValN(::attn::CopyKind::Lds, \"lds\", \"16 bytes a lane straight to LDS, where the target and the tile can\"))">,
    Option<"residentStages", "resident-stages", "int64_t", /*default=*/"1",
           "Stages of the rings of tiles that stay">,
    Option<"chunk", "chunk", "int64_t", /*default=*/"0",
           "Bytes of an asynchronous copy and of what a store aligns to: 4, 8 or 16 (0: by the rows of the view)">,
    Option<"widePanels", "wide-panels", "bool", /*default=*/"false",
           "Tiles lie in fewer and wider panels where the matrix unit knows such">,
    Option<"columns", "columns", "bool", /*default=*/"false",
           "Also through rings: tiles of one row, one value a column of others">,
    Option<"holdLhs", "hold-lhs", "bool", /*default=*/"false",
           "Left-hand sides that stay are read into registers once">
  ];
  let statistics = [Statistic<"numStaged", "staged", "Loads staged">];
}

def AttnAssignFragments : Pass<"attn-assign-fragments", "::attn::KernelOp"> {
  let summary = "Distribute tiles over the registers of warps";
  let description = [{
    Gives every tile of the kernel that has no layout the one of an accumulator of the
    unit that its products name (`attn-assign-units`) over the warps of the kernel's
    `threads` (`#attn.fragment`), and one value a row the slice of it. Tiles in shared
    memory stay there. Where there are no products, rows lie in the lanes of a warp,
    and the pass sets `threads`.

    All tiles of a kernel have one number of rows, a multiple of 16 for each warp.

    Before: `%p = math.exp2 %s : tensor<128x64xf32>`

    After: `%p = math.exp2 %s : tensor<128x64xf32, #attn.fragment<threads [...], registers [...]>>`
  }];
  let statistics = [Statistic<"numTiles", "tiles", "Tiles given a layout">];
}

def AttnDeferRowSums : Pass<"attn-defer-row-sums", "::attn::KernelOp"> {
  let summary = "Add up rows across threads once a stream, not once a tile";
  let description = [{
    A stream that carries `l' = l * a + sum(p)`, starting from zero, with a factor a that
    is one value a row, may carry one such sum for each thread that shares a row
    instead, and add those up at the end: the sum is linear. It saves the
    shuffles of a row sum in every tile; the order of the additions changes.

    Nothing happens to streams that carry anything else.

    Before: `%s = attn.reduce sum %p : tensor<64x32xf32, #acc>` in the stream

    After: `%s = attn.reduce_registers sum %p` there, and `attn.reduce sum` of the result behind it
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numSums", "sums", "Sums deferred">];
}

def AttnPrioritizeProducts : Pass<"attn-prioritize-products", "::attn::KernelOp"> {
  let summary = "Let waves with products go before those without";
  let description = [{
    Marks products as `prioritized`, on targets with the capability
    `wave-priority`. Two waves of different workgroups share a SIMD; where both have
    an instruction to issue, the one of the higher priority goes first, so that
    matrix products of one run beside the softmax of the other (`s_setprio`; AMD
    CDNA 3 ISA, "S_SETPRIO"). `products` says which: all, or only the `scores`,
    those with a transposed right-hand side. Whether it pays is on the pass's page.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `%s = attn.dot %q, %k, %zero transpose_rhs prioritized : ...`
  }];
  let options = [
    Option<"products", "products", "::attn::Products", /*default=*/"::attn::Products::All",
           "Which products",
           "::llvm::cl::values(clEnumValN(::attn::Products::All, \"all\", \"every product\"), clEnumValN(::attn::Products::Scores, \"scores\", \"those with a transposed right-hand side\"))">
  ];
  let statistics = [Statistic<"numRaised", "raised", "Products with priority">];
}

def AttnIssueDots : Pass<"attn-issue-dots", "::attn::KernelOp"> {
  let summary = "Make products asynchronous";
  let description = [{
    `attn.dot` becomes `attn.dot.issue` and `attn.dot.wait` right behind it, where
    its unit, or that of the target where it names none, completes asynchronously
    (`Completion`) and takes its operands as they lie: the right-hand side in shared
    memory, filled by the tensor memory accelerator as the left-hand one is unless it
    lies in registers. Another product that names such a unit goes to the fastest
    sequential one with the same layouts. Later passes move waits away from where
    products are issued.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs by(#attn.wgmma) : ...`

    After:

    ```mlir
    %p = attn.dot.issue %q, %k, %zero transpose_rhs by(#attn.wgmma) : ...
    %s = attn.dot.wait %p : ...
    ```
  }];
  let statistics = [Statistic<"numIssued", "issued", "Products made asynchronous">];
}

def AttnStreamReads : Pass<"attn-stream-reads", "::attn::KernelOp"> {
  let summary = "Load elements of each score as tiles that stream";
  let description = [{
    A modification that reads an element of a captured tensor for each score, such as a
    bias, reads a part of that tensor with each tile of keys. Where the rows and columns of
    the tile are neighbours along the last two dimensions of the view, a load of that part takes
    the place of the gather: it goes through a ring as the keys do, and the tensor memory
    accelerator fetches it ahead of its use.

    Wants the capability `tma`, elements of 16 bits, and a view that nothing else reads. The
    kernel then wants a base and strides of the tensor that are multiples of 16 bytes.

    Before: `%x = attn.gather %bias[%b, %h, %rows, %cols] : ...`

    After: `%x = attn.load %bias[%b, %h, %i, %j] : ...`
  }];
  let statistics = [Statistic<"numReads", "reads", "Gathers that became loads">];
}

def AttnStoreTensors : Pass<"attn-store-tensors", "::attn::KernelOp"> {
  let summary = "Store tiles by the tensor memory accelerator";
  let description = [{
    A store of an accumulator that goes through shared memory leaves the writing of global
    memory to the tensor memory accelerator: warps write their rows as a tensor map reads
    them, and one thread of each starts their copy. Addresses and bounds of the view cost no
    registers and no instructions any more.

    Wants the capability `tma`, tiles of 16-bit elements with whole rows in each warp,
    memory of the tile's own shape, and rows of the view of a multiple of 16 bytes.

    Before: `attn.store %t, %o[...] through %q(...) : ...`

    After: `attn.store %t, %o[...] through %q(...) by_tensor_map : ...`
  }];
  let statistics = [Statistic<"numStores", "stores", "Stores by tensor maps">];
}

def AttnExchangeColumns : Pass<"attn-exchange-columns", "::attn::KernelOp"> {
  let summary = "Store accumulators straight from registers, by chunks of 16 bytes";
  let description = [{
    Four lanes hold a row of an accumulator, two columns of each eight, so that a store from
    registers writes 4 bytes in a place. A store that goes through the memory of a tile that
    stays, such as Q, to write chunks keeps that tile until the result is stored. Here the
    lanes of a row exchange words instead: of each 32 columns each lane then has eight that
    follow each other, and stores these, and the tile is free behind the last product that
    reads it: `own_rows` of its ring says so, where products alone read it, as their left-hand side,
    and CTAs have several visits.
    `attn-release-early` then gives it back there, and `attn-split-roles` copies the rows of each
    warpgroup by themselves.

    Wants tiles of 16-bit elements in the layout of an accumulator, in multiples of 32
    columns, rows of the view in multiples of 16 bytes, and the capability `nvvm`. Accumulators of
    32-bit elements stay as they are, since a row's lanes have whole sectors of 32 bytes: of these
    `own_rows` alone is said.

    Before: `attn.store %t, %o[...] through %q(...) : tensor<128x256xbf16, #acc> -> ...`

    After:

    ```mlir
    %e = attn.convert_layout %t : tensor<128x256xbf16, #acc> to tensor<128x256xbf16, #acc1>
    attn.store %e, %o[...] : tensor<128x256xbf16, #acc1> -> ...
    ```
  }];
  let statistics = [Statistic<"numStores", "stores", "Stores from registers by chunks">];
}

def AttnArrangeTiles : Pass<"attn-arrange-tiles", "::attn::KernelOp"> {
  let summary = "Right-hand sides of 8-bit elements arranged in the kernel";
  let description = [{
    Matrix units of NVIDIA GPUs sum 8-bit elements along rows of both operands. Where a
    stream loads a right-hand side that is summed over its rows, as V by rows is in P V, the
    tile is arranged on targets with `wgmma`: rows become columns, in the order that
    weights have as accumulators. `attn-stage-loads` gives what is arranged a ring of its own,
    which warps of the producer fill (`attn-specialize-warps`).

    Before: `%a1 = attn.dot %p, %v, %a0 : ...`

    After: `%c = attn.arrange %v : ...; %i = attn.interleave %p : ...; %a1 = attn.dot %i, %c, %a0 transpose_rhs : ...`

    Does nothing to products of other elements, and on other targets.
  }];
  let statistics = [Statistic<"numArranged", "arranged", "Tiles arranged">];
}

def AttnTwoLevelSums : Pass<"attn-two-level-sums", "::attn::KernelOp"> {
  let summary = "Products of a tile summed by themselves, then added";
  let description = [{
    Matrix units sum products of 8-bit elements with fewer bits than f32 has: Hopper's
    keep about 14, so that of a long sum the last terms are lost. In streams, a product of
    such elements that is added to what the stream carries starts from zero instead, and
    is added by an operation of its own, in f32.

    Before: `%a1 = attn.dot %p, %v, %a0 : ...`

    After: `%t = attn.dot %p, %v, %zero : ...; %a1 = arith.addf %a0, %t`

    Costs as many registers as the accumulator has, and an addition an element and tile.
    Does nothing to products of wider
    elements, and to those that start from zero already.
  }];
  let statistics = [Statistic<"numSums", "sums", "Products summed by themselves">];
}

def AttnStartProducts : Pass<"attn-start-products", "::attn::KernelOp"> {
  let summary = "Products that start from the row that would be taken from them";
  let description = [{
    Where one value a column is subtracted from a product that starts from zero, the
    product starts from minus that value instead: the sums are the same but for the order of
    their terms. The values take no registers beside the product then, as delta would beside
    dP, dV and dK in the kernel of dK and dV, and there is no subtraction.

    Before: `%p = attn.dot %a, %b, %zero; %r = attn.broadcast %row; %d = arith.subf %p, %r`

    After: `%n = arith.mulf %row, %minus_one; %r = attn.broadcast %n; %d = attn.dot %a, %b, %r`

    Does nothing to products that are used elsewhere too or whose elements have 8 bits, nor
    to rows that are the same in each visit of a stream.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numProducts", "products", "Products that start from a row">];
}

def AttnOptimisticMax : Pass<"attn-optimistic-max", "::attn::KernelOp"> {
  let summary = "Exponentials by the row maximum of the tiles before";
  let description = [{
    A softmax may subtract any number m from the scores of a row: all that it carries is in
    units of 2^m. In the streams of a kernel that carry a row maximum, a tile's
    exponentials are first computed with the maximum of the tiles before, so that nothing
    waits for this tile's, and nothing carried is scaled. Where a sum of them, needed anyway,
    is above 2^16 (f16: 2^15, so that each is finite), or is NaN, they are computed again
    with the tile's own maximum. The first tile always is.

    A miss may set m above the maximum of the tile, by `lead` binades: that many more
    has the row's maximum to grow until the next miss. In bf16, which has the exponents of
    f32, exponentials keep their relative error; what is lost is what they had of range
    below, for results smaller than 2^-126 times 2^`lead`.

    Relative errors of exponentials do not depend on m; results differ from those of the
    exact maximum by rounding. But the largest exponential of a row is a power of two with the
    exact maximum, and not rounded. Where it has most of a row's weight, that is a good part
    of the error. With `exact-peaks` `attn.settle` says which rows have such a key in their first
    tile, and their warpgroup goes on with the exact maximum (`attn-overlap-softmax`). With
    `exact-last`, too, all warpgroups have it in the last tiles, where rows whose scores grow
    have their largest.

    Before: `%k, %r, %a = attn.advance (reduce max %s) from %k0, %r0; %p = exp2(fma(%s, %k, -%r)); %l1 = %l * %a + sum %p`

    After:

    ```mlir
    %p0 = exp2(fma(%s, %k0, -%r0))
    %missed = attn.any (sum %p0 > 65536)
    %k, %r, %l1, %p ... = scf.if %missed { as before } else { yield %k0, %r0, %l + sum %p0, %p0 ... }
    ```

    Does nothing to a stream whose maximum is used by more than exponentials, or is
    stored; nor, unless asked to, where scores depend on positions (ALiBi): their maximum may
    grow with every tile, and every tile would be computed twice.
  }];
  let options = [
    Option<"positions", "positions", "bool", /*default=*/"false",
           "Also where scores depend on positions">,
    Option<"lead", "lead", "int64_t", /*default=*/"0",
           "Binades by which the reference that a miss sets is above the maximum (bf16 alone)">,
    Option<"exactPeaks", "exact-peaks", "bool", /*default=*/"false",
           "Rows of few keys go on with the maximum of each tile, where attn-overlap-softmax sets the first tile apart">,
    Option<"exactLast", "exact-last", "bool", /*default=*/"false",
           "With exact-peaks: all rows take the maximum of each of their last tiles">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numStreams", "streams", "Streams rewritten">];
}

def AttnIntegerMaxima : Pass<"attn-integer-maxima", "::attn::KernelOp"> {
  let summary = "Maxima of scores as integers, of which three are compared at once";
  let description = [{
    Floats that are not negative are in the order of their bits. NVIDIA GPUs from Hopper on have
    the largest of three integers in one instruction (`VIMNMX3`), where they have that of two
    floats. So where a loop advances a reference by the maximum of a tile's scores, and no row
    of the warp has a reference below zero, the registers of a row are compared as integers:
    what is negative would not raise such a reference. Other warps compare floats.

    Before: `%m = attn.reduce max %s; %k, %r, %a = attn.advance %m from %k0, %r0`

    After:

    ```mlir
    %below = attn.any (%r0 < 0)
    %p = scf.if %below { attn.reduce_registers max %s } else { bitcast(attn.reduce_registers max bitcast(%s)) }
    %m = attn.reduce max %p
    ```

    A reference that is `steady` (of 8-bit numbers with scales) has no branch of its own behind its maximum, and one in
    front of it would part what is scheduled side by side. A loop of asynchronous products without a mask is there twice then: tiles go by floats
    while a row of the warpgroup has a reference below zero, which never comes back, and all that are left by integers. These begin with the larger one of
    the reference and zero, which is the reference, so that old and new ones have registers of their own.

    ```mlir
    %i, %r = scf.while (...) { attn.often (%r0 < 0) once and %i < %end } do { floats }
    scf.if %i < %end {
      scf.for %i to %end iter_args(maximumf %r, 0) { integers }
    }
    ```

    Does nothing for other targets, nor in loops of `attn.dot`, whose threads multiply themselves.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numMaxima", "maxima", "Maxima rewritten">,
                    Statistic<"numLoops", "loops", "Loops that are there twice">];
}

def AttnSkipRescaling : Pass<"attn-skip-rescaling", "::attn::KernelOp"> {
  let summary = "Sums whose unit stays are not multiplied by one";
  let description = [{
    What a loop carries is multiplied by two to what its reference falls short of the next one by
    (`attn.advance`), which is one where no maximum is larger. In a long stream that is often so: the largest of n scores of a row is
    among the last k of them once in n / k times. So the product of a sum of products with that
    stands in a branch, which a warp takes if one of its rows has a larger maximum, where the sum
    has three elements or more for each score of a tile. Else the product is selected for rows that
    have a larger maximum, which conversions make products under a predicate of: a branch would part
    them from the exponentials that hide them.

    Before: `%o1 = arith.mulf %o, broadcast(%rescale)`

    After:

    ```mlir
    %rises = attn.any (%rescale != 1)
    %o1 = scf.if %rises { arith.mulf %o, broadcast(%rescale) } else { %o }
    ```

    or

    ```mlir
    %rises = attn.broadcast (%rescale != 1)
    %product = arith.mulf %o, broadcast(%rescale)
    %o1 = arith.select %rises, %product, %o
    ```

    Does nothing to what no loop carries, nor to what a branch scales already
    (`attn-optimistic-max`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numSkipped", "skipped", "Products of sums in branches">,
                    Statistic<"numSelected", "selected", "Products of sums for some rows">];
}

def AttnRoundSums : Pass<"attn-round-sums", "::attn::KernelOp"> {
  let summary = "Divide by the sum of the weights that products take";
  let description = [{
    A softmax multiplies V by weights that are rounded to its type, and divides by the sum
    of those that are not. A row that one key dominates is then off by the rounding of that
    key's weight, unless it is 1 exactly, which `attn-optimistic-max` does not see to. Here
    the sum that O is divided by is that of the rounded weights. Where an LSE or states are
    asked for, the stream carries the sum of the others beside it.

    Before: `%l1 = fma(%l, %a, attn.reduce_registers sum %p); %b = arith.truncf %p; attn.dot.issue %b, ...`

    After: `%b = arith.truncf %p; %l1 = fma(%l, %a, attn.reduce_registers sum (arith.extf %b)); ...`

    `by=products`: the sums are products with ones (`attn.reduce_registers ... by_products`),
    of which the matrix unit does sixteen columns in an instruction.

    Does nothing where weights are not rounded.
  }];
  let options = [
    Option<"by", "by", "::attn::RoundedSums", /*default=*/"::attn::RoundedSums::Registers",
           "What adds",
           "::llvm::cl::values(clEnumValN(::attn::RoundedSums::Registers, \"registers\", \"additions\"), clEnumValN(::attn::RoundedSums::Products, \"products\", \"the matrix unit\"))">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numSums", "sums", "Sums of rounded weights">];
}

include "attn-mlir/Dialect/Attn/Transforms/PipeliningPasses.td"

#endif // ATTN_TRANSFORMS_PASSES

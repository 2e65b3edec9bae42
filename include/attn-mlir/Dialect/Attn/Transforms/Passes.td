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
    `x / broadcast(d)` becomes `x * broadcast(1 / d)`, for targets on which a division is many
    instructions. Rounding changes by an ulp or so; infinities and NaN do not.

    Before: `%d = attn.broadcast %l; %o = arith.divf %acc, %d`

    After: `%r = arith.divf %one, %l; %d = attn.broadcast %r; %o = arith.mulf %acc, %d`
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

    A product that no unit of the target takes names none, with a remark.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `%s = attn.dot %q, %k, %zero transpose_rhs by(#attn.wgmma) : ...`
  }];
  let options = [
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "Warps of a CTA (0: as the unit wants them, else about 32 rows each)">,
    Option<"products", "products", "::attn::Products", /*default=*/"::attn::Products::All",
           "Which products asynchronous units may compute",
           "::llvm::cl::values(clEnumValN(::attn::Products::None, \"none\", \"no product\"), clEnumValN(::attn::Products::All, \"all\", \"every product\"), clEnumValN(::attn::Products::Scores, \"scores\", \"those with a transposed right-hand side\"))">
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
           "::llvm::cl::values(clEnumValN(::attn::CopyKind::Tensor, \"tensor\", \"tensor memory accelerator, where the target has one\"), clEnumValN(::attn::CopyKind::Async, \"async\", \"a chunk a thread\"))">,
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
    exact maximum by rounding.

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
           "Binades by which the reference that a miss sets is above the maximum (bf16 alone)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numStreams", "streams", "Streams rewritten">];
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

def AttnSpecializeWarps : Pass<"attn-specialize-warps", "::attn::KernelOp"> {
  let summary = "Give the copying of tiles to warps of its own";
  let description = [{
    Decides that four warps beyond those that hold tiles fill all rings
    (`producer_warps`). The others wait for tiles only, and have most of the
    registers. `attn-split-roles` makes the roles once streams are loops.

    Wants a target that can move registers between warps (the capability
    `setmaxnreg`), consumers in groups of four warps, and copies by the tensor
    memory accelerator, of which one thread starts all.

    Before: `attn.kernel @k(...) attributes {threads = 256}`

    After: `attn.kernel @k(...) attributes {producer_warps = 4, threads = 256}`
  }];
  let options = [
    Option<"overlap", "overlap", "bool", /*default=*/"false",
           "Consumers compute softmax beside products (attn-overlap-softmax)">,
    Option<"pingPong", "ping-pong", "bool", /*default=*/"false",
           "Groups of consumers take turns (attn-ping-pong)">
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels with a producer">];
}

def AttnShareWeights : Pass<"attn-share-weights", "::attn::KernelOp"> {
  let summary = "Panels of a product for a second role";
  let description = [{
    Asynchronous products of one left-hand side (weights that are computed) whose accumulators,
    with scores beside them, are more registers than a thread may have: the last ones are for a
    second role. It takes the weights out of a ring that the first role puts them into, and
    out of another what rows of its accumulators are scaled by. The kernel then asks for two
    `roles` (`attn-assign-roles`); nothing is computed twice.

    Before: `%x1 = attn.dot %p, %v0, %x0; %y1 = attn.dot %p, %v1, %y0`

    After: `attn.ring.put %p into %slot; %x1 = attn.dot %p, %v0, %x0; %pw = attn.ring.wait %ring; %y1 = attn.dot %pw, %v1, %y0; attn.ring.release %ring`

    Does nothing where accumulators fit, and for products of units that do not complete by
    themselves. Where two roles have no room either, in registers or shared memory, a remark
    says so.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Slots of the rings that loads will have (0: the default)">
  ];
  let dependentDialects = ["::attn::AttnDialect"];
  let statistics = [Statistic<"numShared", "shared", "Kernels with a second role">];
}

def AttnAssignRoles : Pass<"attn-assign-roles", "::attn::KernelOp"> {
  let summary = "Share the products of a tile out among roles";
  let description = [{
    Those who compute may have several roles, of as many warps each. Gives each asynchronous
    product of a stream its role: that of what it follows from or, where it reads what was put
    into a ring (`attn.ring.put`), the one after whoever put it. Rings alone connect roles; so a
    chain of products through rings is a pipeline of roles, and what two products of the same
    put tile are is up to where their other operands come from. Of `most` roles the last
    does all that would be of later ones; `most=0` gives a kernel as many as it asks for
    (`attn-share-weights`), or one.

    Before: `attn.ring.put %p into %slot; %q = attn.ring.wait %ring; %x = attn.dot.issue %q, %v, %sum stage 1`

    After: `attn.ring.put %p into %slot; %q = attn.ring.wait %ring; %x = attn.dot.issue %q, %v, %sum stage 1 role 1`

    Does nothing in kernels without a producer (`attn-specialize-warps`).
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"4", "Roles of those who compute, at most (0: as the kernel asks)">
  ];
  let statistics = [Statistic<"numAssigned", "assigned", "Products of a later role than the first">];
}

def AttnSplitRoles : Pass<"attn-split-roles", "::attn::KernelOp"> {
  let summary = "Make loops of a producer and of consumers";
  let description = [{
    In a kernel with `producer_warps` whose streams are loops, the body of a CTA
    becomes `attn.specialize`: once with what fills rings, and what that depends on,
    and once with everything else. The producer runs through the same positions;
    how far ahead it gets the slots say. Registers are shared out among the roles of
    one CTA, or of two, where one group of consumers and the shared memory of the rings
    let an SM hold two: the second computes while the first begins or ends.

    Where products have several roles (`attn-assign-roles`), each becomes a region of its own: its
    products, what is put and stored of them, the rings that these read, and the
    arithmetic that all of this depends on. That another role's product is needed which
    comes through no ring is an error.

    Before: `attn.ctas %cta in %n { ... acquire, issue, land ... wait, dot, release ... }`

    After:

    ```mlir
    attn.ctas %cta in %n {
      attn.specialize producer 4 warps(40) {
        ... acquire, issue, land ...
      } consumers(232) {
        ... wait, dot, release ...
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::ub::UBDialect"];
  let statistics = [Statistic<"numSplit", "split", "Kernels split into roles">];
}

def AttnStageProducts : Pass<"attn-stage-products", "::attn::KernelOp"> {
  let summary = "Tell products of loads from those of products";
  let description = [{
    Gives each asynchronous product of a stream its stage: 0 where its operands
    follow from what is loaded and carried, else one more than the last of the
    products of the same tile that they follow from. An accumulator that is
    another product's result as it is belongs to that product's stage: both are
    one sum. What rotates loops or takes turns asks for stages, so that any
    number of products may share one.

    Before: `%s = attn.dot.issue %q, %k, ...; %o = attn.dot.issue %p, %v, ...`

    After: `%s = attn.dot.issue %q, %k, ...; %o = attn.dot.issue %p, %v, ... stage 1`

    Stages that products have are computed anew; products outside of streams
    stay as they are.
  }];
  let statistics = [Statistic<"numStaged", "staged", "Products of a later stage than the first">];
}

def AttnDelayWaits : Pass<"attn-delay-waits", "::attn::KernelOp"> {
  let summary = "Issue products early, and wait for them late";
  let description = [{
    Orders the body of a stream anew: first the asynchronous products of the first stage,
    which follow from loads alone, one behind the other; then the rest in its order, with
    each product waited for before the first use of its result, and what is used in the
    next visit alone at the end. A ring's slot is released when the last product that
    reads it is there, and one that threads read themselves when a product is issued that
    follows from what they read. Loads into registers come before the last product that is
    issued before a wait in front of their use. So the second product of a
    tile is under way while threads compute with the first, which is what gradients of
    attention want: dP beside the exponentials of P, and dV beside dX.

    Before: `s issue, wait; p; dv issue, wait; dp issue, wait; dx; dk issue, wait`

    After: `s issue; dp issue; s wait outstanding 1; p; dv issue; dp wait outstanding 1;
    dx; dk issue; dv wait outstanding 1; dk wait`

    Numbers are combined as before. A body with effects that are no accesses to rings,
    products or loads stays as it is.
  }];
  let statistics = [Statistic<"numDelayed", "delayed", "Waits that let later products be under way">];
}

def AttnPlanOverlap : Pass<"attn-plan-overlap", "::attn::KernelOp"> {
  let summary = "Say what of a stream may run beside what";
  let description = [{
    In a kernel with the attribute `overlap`: finds in each stream the products of the first
    stage (the scores), those of the second (with the values), and what waits for
    the latter's sums, and marks them for `attn-overlap-softmax`, which knows a loop by
    these marks alone. Each operation has at most one, `attn.part`: `scores`, `values`; `late`,
    what comes after the wait for the values of the tile before; `pin`, the release of the keys
    and the reference that it waits for. `attn.overlap` of the stream says whether products
    run beside the softmax of the `own` warpgroup, or of `others` alone. Loops that the stream
    becomes have its marks.

    Before: `attn.stream ... { ... attn.dot.issue %p, %v, %sum stage 1 ... }`

    After: `attn.stream ... attributes {attn.overlap = "own"} { ... attn.dot.issue %p, %v, %sum stage 1 {attn.part = "values"} ... }`

    Streams of which the passes that follow could rotate no loop stay as they are, with a
    remark that says why. Loops of consumers that no stream became are planned as streams are.
  }];
  let statistics = [Statistic<"numPlanned", "planned", "Streams that are to be overlapped">];
}

def AttnOverlapSoftmax : Pass<"attn-overlap-softmax", "::attn::KernelOp"> {
  let summary = "Compute the softmax of a tile beside products";
  let description = [{
    In a kernel with the attribute `overlap` whose roles are split, rotates the
    loops of consumers that `attn-plan-overlap` has marked by half a tile: products of the first stage are issued (the
    scores of a tile), then those of the second stage of the tile before (with the
    values), and all are under way while the maximum and the exponentials are
    computed. The first tile's scores come before the loop, the last tile's values
    behind it. What a sum is scaled by, and the left-hand side of its product,
    whose registers the last product still reads, wait for it. Stages are what
    attn-stage-products says; either may have any number of products.

    Before, in the loop: `scores issue, wait; softmax; values issue, wait`

    After: `scores issue; values of the last tile issue; scores wait outstanding 1;
    softmax; values wait; scale the sum`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numLoops", "loops", "Loops rotated">];
}

def AttnPingPong : Pass<"attn-ping-pong", "::attn::KernelOp"> {
  let summary = "Let warpgroups take turns at the tensor cores";
  let description = [{
    In a kernel with the attribute `ping_pong` whose roles are split and which has two
    or more groups of consumers: a group takes its turn before it issues products of
    the first stage (the scores of a tile; not a sum that nothing else asks for),
    and passes it when it has issued what it issues before it waits. So one group's
    softmax runs beside the products of another.

    Before: `%s = attn.dot.issue ... transpose_rhs; %o = attn.dot.issue ...; attn.dot.wait %s ...`

    After: `attn.turn take of 2; %s = ...; %o = ...; attn.turn pass of 2; attn.dot.wait %s ...`
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels whose groups take turns">];
}

def AttnPrefetchToRegisters : Pass<"attn-prefetch-to-registers", "::attn::KernelOp"> {
  let summary = "Keep the copies of the next visit in registers";
  let description = [{
    A ring of two stages that streams fill through registers gets memory for one
    (`slots 1`): the other stage is the registers. `convert-attn-stream-to-scf`
    then issues the copies for the next visit at the start of a visit, without a
    branch, and lands them when the slot of this visit is released. That takes half
    the memory, and gives copies a whole visit to arrive in.

    Nothing happens to rings that are filled otherwise, or have one stage or more than
    two, nor where a stream that fills the ring does not wait for and release one
    tile of it a visit, in this order, in its body itself.

    Before: `%r = attn.ring.create : !attn.ring<2 x ...>`

    After: `%r = attn.ring.create slots 1 : !attn.ring<2 x ...>`
  }];
  let statistics = [Statistic<"numRings", "rings", "Rings with a stage in registers">];
}

def AttnGuideScheduler : Pass<"attn-guide-scheduler", "::attn::KernelOp"> {
  let summary = "Tell the code generator's scheduler what hides what";
  let description = [{
    Puts a hint at the start of each stream that has products and issues copies to registers
    for its next visit (attn-prefetch-to-registers): `interleave_exponentials` where exponentials
    stand between two products and no branch does, else
    `hold_copies`.

    Nothing happens to other streams.

    Before: `attn.stream %j ... { %k = attn.ring.wait %r ... }`

    After: `attn.stream %j ... { attn.scheduling_hint interleave_exponentials; %k = attn.ring.wait %r ... }`
  }];
  let statistics = [Statistic<"numStreams", "streams", "Streams with a hint">];
}

def AttnPlaceBarriers : Pass<"attn-place-barriers", "::attn::KernelOp"> {
  let summary = "Put barriers before accesses to rings that need one";
  let description = [{
    In a kernel whose rings are filled through registers by all threads, and whose streams are
    loops: a barrier before a tile is read that was written since the
    last barrier, and before one is written that was read since. What loops bring
    round counts too. A loop gets a barrier in front of it where that saves
    one within. What is there already counts: a second run adds none.

    Nothing happens where copies signal themselves that they are there.

    Before: `attn.ring.land %p; %t = attn.ring.wait %r`

    After: `attn.ring.land %p; attn.barrier; %t = attn.ring.wait %r`
  }];
  let statistics = [Statistic<"numBarriers", "barriers", "Barriers placed">];
}

#endif // ATTN_TRANSFORMS_PASSES

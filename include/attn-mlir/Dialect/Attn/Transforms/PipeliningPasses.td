//===- PipeliningPasses.td - Roles, overlap, barriers -------*- tablegen -*-===//

#ifndef ATTN_TRANSFORMS_PIPELININGPASSES
#define ATTN_TRANSFORMS_PIPELININGPASSES

include "mlir/Pass/PassBase.td"

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
           "Groups of consumers take turns (attn-ping-pong)">,
    Option<"lateTurns", "late-turns", "bool", /*default=*/"false",
           "With ping-pong: turns are passed when their products are done">,
    Option<"firstRows", "first-rows", "bool", /*default=*/"false",
           "Keys are released when the first rows have their reference (attn-overlap-softmax)">,
    Option<"producerRegisters", "producer-registers", "int64_t", /*default=*/"0",
           "Registers of a thread that copies, of which those that compute have what is left (0: 32 to 40)">
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

def AttnStageAdditions : Pass<"attn-stage-additions", "::attn::KernelOp"> {
  let summary = "Add tiles to memory by copies out of rings";
  let description = [{
    In a kernel with a producer (`attn-specialize-warps`): a tile in registers that is added to a view
    which several CTAs add to (`attn.accumulate`) goes into a ring that those who compute fill
    (`attn.ring.put`), and is added out of it. `attn-split-roles` gives that to a warp of the
    producer, so that those who compute go on with products.

    The ring has as many of `slots` as shared memory has room for beside the other rings, without
    an SM holding fewer CTAs.

    Before: `attn.accumulate %t, %sum[...] atomic : tensor<64x128xf32, #acc> -> ...`

    After: `attn.ring.put %t into %slot; %s = attn.ring.wait %r; attn.accumulate %s, %sum[...] atomic : tensor<64x128xf32, #shared> -> ...; attn.ring.release %r`

    Additions stay as they are, with a remark, where the target has no tensor maps, rows of the
    view are not known to be whole chunks of 16 bytes, there is no room, or there is no producer, or several
    roles compute.
  }];
  let options = [
    Option<"slots", "slots", "int64_t", /*default=*/"2", "Slots of a ring, at most">
  ];
  let dependentDialects = ["::attn::AttnDialect"];
  let statistics = [Statistic<"numStaged", "staged", "Additions out of rings">];
}

def AttnReleaseEarly : Pass<"attn-release-early", "::attn::KernelOp"> {
  let summary = "Give tiles that stay back behind the last product that reads them";
  let description = [{
    Of rings that are `own_rows` (`attn-exchange-columns`). The release of a tile that stays
    stands at the end of its visit; it moves up to behind the last loop, branch or wait whose
    products read it, so that the tile of the next visit is copied while the result is made and
    stored. A product under way that leaves a loop is followed to its wait. What stands in a
    branch with such a loop, as the last product with values does (`attn-overlap-softmax`), stays in front of it.

    Before: `%t = wait; scf.if { scf.for { ... dot.issue %t ... }; dot }; store, release`

    After: `%t = wait; scf.if { scf.for { ... dot.issue %t ... }; dot }; release; store`
  }];
  let statistics = [Statistic<"numMoved", "moved", "Releases moved">];
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

    A ring that is `own_rows` gets parts, one for each warpgroup that computes (`attn.ring.create`), where
    these have 64 rows each and warps of the producer have nothing else to do: one for each part, which copies it.

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
    behind it. The release of the keys waits for the reference of the tile's rows, or with
    `first_rows` of each thread's first one. What a sum is scaled by, and the left-hand side of its product,
    whose registers the last product still reads, wait for it. Stages are what
    attn-stage-products says; either may have any number of products.

    Where `attn.settle` says which rows have peaks, the loops are there twice behind the first
    tile: as they are, and with each branch taken that holds in the first visit, so
    with the maximum of each tile and without a test. A warpgroup takes the latter if
    `attn.often` finds its rows to have peaks.

    Behind the loops, what is computed of rows alone does not wait for the product with the
    values of the last tile, and that one has a `depth` where a mask clears its scores.

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

    With `late_turns` a turn that has a product of a later stage, with values, is passed behind
    the wait for it: groups are further apart, and the next one's products follow the maxima
    of this one.

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

def AttnWholeLines : Pass<"attn-whole-lines", "::attn::KernelOp"> {
  let summary = "Access memory by whole lines, through shared memory";
  let description = [{
    Lanes hold of a tile what a matrix unit wants: of AMD's units, pieces of many rows,
    of which a store has 32 or 64 bytes at once. A tile of 16-bit elements goes through
    the memory of rings that are free there (`over`) into a layout in which neighbouring lanes have
    16 bytes each of up to 128 of a row, and is stored from that. Warps exchange their own rows and wait
    for no other, but for those who have read the rings.

    Of `all`, tiles that are loaded in front of a stream and stay go the same way back.

    Nothing happens where rings have slots that are taken, or less memory than the tile, nor
    on targets whose threads do not copy through registers (`buffer`).

    Before: `attn.store %t, %o[...] : ...`

    After: `attn.ring.put %t into %slot; %s = attn.ring.wait %r; %l = attn.convert_layout %s; attn.store %l, %o[...] : ...`
  }];
  let options = [
    Option<"of", "of", "::attn::WholeLines", /*default=*/"::attn::WholeLines::Stores",
           "Which accesses",
           "::llvm::cl::values(clEnumValN(::attn::WholeLines::Stores, \"stores\", \"stores\"), clEnumValN(::attn::WholeLines::All, \"all\", \"stores, and loads of what stays\"))">
  ];
  let statistics = [Statistic<"numAccesses", "accesses", "Accesses of whole lines">];
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

#endif // ATTN_TRANSFORMS_PIPELININGPASSES

//===- AttnRingOps.td - Level 3: target tile program -------*- tablegen -*-===//

#ifndef ATTN_RING_OPS
#define ATTN_RING_OPS

include "attn-mlir/Dialect/Attn/IR/AttnEnums.td"
include "attn-mlir/Dialect/Attn/IR/AttnTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

class Attn_RingOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<"ring." # mnemonic, traits>;

def Attn_RingCreateOp : Attn_RingOp<"create", [MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Allocates a ring in the shared memory of a CTA";
  let description = [{
    All slots are free. A producer takes slots in turn (`acquire`, `issue`,
    `land`), a consumer reads them in the same turn (`wait`, `release`). The
    ring keeps the number of slots that were released.

    With `slots n` only n of its stages have memory. The others are the registers
    that a copy goes through (`registers` of `attn.ring.issue`): a copy lands
    (`attn.ring.land`) when a slot in memory is free, which
    is when the ring has n slots or fewer that are not released.

    `over` names rings none of which has a slot that is taken while this one has: it may lie where
    they do.

    `own_rows`: products alone read the tile, as their left-hand side, and who computes rows of a
    result reads these rows of the tile: so they may be given back apart from others.
    With `parts n` they are: the rows of a slot are n equal parts, one for each warpgroup that
    computes, in the order of both. Each is copied (`part` of `attn.ring.acquire`), waited for and given
    back by itself; a wait or a release is about the part of the warpgroup that comes by.

    Example: `%r = attn.ring.create : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>`
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$slots, UnitAttr:$own_rows, OptionalAttr<I64Attr>:$parts,
                       Variadic<Attn_RingType>:$over);
  let results = (outs Attn_RingType:$ring);
  let assemblyFormat = [{
    (`slots` $slots^)? (`own_rows` $own_rows^)? (`parts` $parts^)? (`over` `(` $over^ `:` type($over) `)`)? attr-dict `:` type($ring)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$ring), [{
    build($_builder, $_state, ring, ::mlir::IntegerAttr(), /*own_rows=*/false,
          ::mlir::IntegerAttr(), ::mlir::ValueRange());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Stages that have memory.
    int64_t getNumSlots() {
      return getSlots() ? static_cast<int64_t>(*getSlots())
                        : getRing().getType().getStages();
    }
    /// Parts of a slot that are copied and given back by themselves.
    int64_t getNumParts() { return getParts() ? static_cast<int64_t>(*getParts()) : 1; }
    /// Whether a stage is the registers that copies go through.
    bool hasStagesInRegisters() {
      return getNumSlots() < getRing().getType().getStages();
    }
    /// What copies into the ring; the accelerator if nothing does.
    ::attn::CopyKind getCopier();
    /// Whether threads that compute fill the ring (attn.ring.put).
    bool isPut();
    /// Whether it is filled out of another ring (attn.ring.arrange).
    bool isArranged();
    /// Whether threads fill the ring and wait for each other at barriers.
    bool isFilledByThreads();
    /// Whether another ring may lie in the same memory.
    bool sharesMemory(RingCreateOp other);
    /// Whether each warp of `lanes` reads, into registers, only what it has put.
    bool staysInWarps(int64_t lanes);
  }];
}

def Attn_RingAcquireOp : Attn_RingOp<"acquire", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Waits until the next slot is free, and takes it";
  let description = [{
    `ahead` is the number of slots that were taken and not yet released: the slot
    is the one after these.

    `when %exists`: where that is false none is taken; what is issued and landed
    then reads nothing, and may leave anything in memory of the ring that is free. Only a ring with
    stages in registers (`slots`), or that is filled by `lds`, can be filled so.

    `part n`: of a ring whose slots have parts that part alone, counted from 0. What is issued into
    it copies the rows of that part.
  }];
  let arguments = (ins Attn_RingType:$ring, DefaultValuedAttr<I64Attr, "0">:$ahead,
                       OptionalAttr<I64Attr>:$part, Optional<I1>:$when);
  let results = (outs Attn_SlotType:$slot);
  let builders = [OpBuilder<(ins "::mlir::Type":$slot, "::mlir::Value":$ring, "int64_t":$ahead), [{
    build($_builder, $_state, slot, ring, ahead, ::mlir::IntegerAttr(), ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $ring (`ahead` $ahead^)? (`part` $part^)? (`when` $when^)? attr-dict `:` type($ring) `->` type($slot)
  }];
  let extraClassDeclaration = [{
    /// How many parts of the slot there are, of which it takes one; 1 without.
    int64_t getNumParts();
  }];
  let hasVerifier = 1;
}

def Attn_RingIssueOp : Attn_RingOp<"issue", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Starts the copy of a tile of a view into a slot";
  let description = [{
    Elements outside of the view become zero, as for `attn.load`. `by` names the
    copier: `tensor` is the tensor memory accelerator, which wants strides and
    bases that are multiples of 16 bytes; `async` copies `chunk` bytes a thread,
    4, 8 or 16, of which strides and bases are multiples; `registers` loads such
    chunks to registers, which `attn.ring.land` writes to the slot; `lds` loads chunks of 16 bytes
    straight to the slot of an AMD GPU, and `attn.ring.land` waits for the thread's own.

    `until %n` takes the view for one of n rows, where that is less; a tensor map
    cannot (`attn.ring.wait` clears rows instead). `then` is that of `attn.load`.

    `in_blocks`: the same tile goes to a slot of another ring, too, where it lies with
    rows and columns exchanged. Threads then load blocks of four rows, which can be
    written either way, so that what is loaded for one slot is loaded for both.
  }];
  let arguments = (ins Attn_SlotType:$slot, Attn_ViewType:$view,
                       Variadic<Index>:$offsets, Variadic<Index>:$blocks,
                       Optional<Index>:$until,
                       DefaultValuedAttr<Attn_CopyKind, "::attn::CopyKind::Tensor">:$by,
                       DefaultValuedAttr<I64Attr, "16">:$chunk,
                       UnitAttr:$in_blocks);
  let results = (outs Attn_PendingType:$pending);
  let assemblyFormat = [{
    $slot `,` $view `[` $offsets `]` (`then` ` ` `[` $blocks^ `]`)? (`until` $until^)? (`by` $by^)?
    (`chunk` $chunk^)? (`in_blocks` $in_blocks^)? attr-dict `:` type($slot) `,` type($view)
    `->` type($pending)
  }];
  let extraClassDeclaration = [{
    /// Rows that are copied at once: of each block that `then` makes of the tile,
    /// or of the part that was taken of the slot; all without.
    int64_t getBlockRows();
    /// The offsets of each block.
    ::llvm::SmallVector<::llvm::SmallVector<::mlir::Value>> getBlockOffsets();
  }];
  let hasVerifier = 1;
}

def Attn_RingLandOp : Attn_RingOp<"land", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Announces that a copy will have arrived";
  let description = [{
    Nothing where the copy signals its own completion; where it went through
    registers, here they are written; where it goes straight to LDS, the wave waits for
    what it has loaded.
  }];
  let arguments = (ins Attn_PendingType:$pending);
  let assemblyFormat = "$pending attr-dict `:` type($pending)";
}

def Attn_RingPutOp : Attn_RingOp<"put", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes a tile from registers into a slot";
  let description = [{
    The threads that hold the tile fill the slot themselves, so that what they
    computed can be an operand that lies in shared memory: the gradient of scores, the values
    in FP8, the weights of latent attention. They acquire the slot, and take part in waiting for it, as for
    one that a copy fills. A ring is filled by copies or by `put`.

    Example: `attn.ring.put %p into %slot : tensor<64x64xbf16, #acc> into !attn.slot<tensor<64x64xbf16, #attn.shared<128>>>`
  }];
  let arguments = (ins Attn_Tile2D:$tile, Attn_SlotType:$slot);
  let assemblyFormat = "$tile `into` $slot attr-dict `:` type($tile) `into` type($slot)";
  let hasVerifier = 1;
}

def Attn_RingArrangeOp : Attn_RingOp<"arrange", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes the rows of a tile into a slot, as interleaved columns";
  let description = [{
    What `attn.arrange` computes, from one ring to another. Who fills the slot reads
    the tile, and those who compute see the slot alone: warps of a producer beside the one
    that copies, where there is one.

    Example: `attn.ring.arrange %v into %slot : tensor<64x128xf8E4M3FN, #attn.shared<128>> into !attn.slot<tensor<128x64xf8E4M3FN, #attn.shared<64>>>`
  }];
  let arguments = (ins Attn_Tile2D:$tile, Attn_SlotType:$slot);
  let assemblyFormat = "$tile `into` $slot attr-dict `:` type($tile) `into` type($slot)";
  let hasVerifier = 1;
}

def Attn_RingWaitOp : Attn_RingOp<"wait", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Waits until the oldest slot is full, and reads it";
  let description = [{
    The tile stays valid until `attn.ring.release` of the same ring. `first %n`:
    rows from number n on (which may be negative) are cleared, whatever the copy
    brought.
  }];
  let arguments = (ins Attn_RingType:$ring, Optional<Index>:$rows);
  let results = (outs Attn_SharedTile:$tile);
  let assemblyFormat = [{
    $ring (`first` $rows^)? attr-dict `:` type($ring) `->` type($tile)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$tile, "::mlir::Value":$ring), [{
    build($_builder, $_state, tile, ring, ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Attn_RingReleaseOp : Attn_RingOp<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives the oldest slot back";
  let description = [{
    Not before `after` is computed, where that is given: one finite number (or a
    NaN) a row. Assemblers move waits for products, and keep their place behind
    a release only where that needs something late. With `first` the number of a
    thread's first row is enough: maxima of others may come later.
  }];
  let arguments = (ins Attn_RingType:$ring, Optional<Attn_RowTile>:$after,
                       UnitAttr:$first);
  let builders = [OpBuilder<(ins "::mlir::Value":$ring), [{
    build($_builder, $_state, ring, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $ring attr-dict `:` type($ring) (`after` (`first` $first^)? $after^ `:` type($after))?
  }];
}

def Attn_BarrierOp : Attn_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of the CTA and their accesses to its shared memory";
  let description = [{
    Where threads copy through registers, barriers are what makes slots full and
    free (attn-place-barriers). Copies that are in registers may still be under way.
  }];
  let assemblyFormat = "attr-dict";
}

def Attn_SchedulingHintOp : Attn_Op<"scheduling_hint", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Tells the code generator's scheduler how to order what follows";
  let description = [{
    A hint: results are the same without it. What is computed up to the end of the
    loop body is meant. `hold_copies`: copies that were issued before are not moved
    behind products. `interleave_exponentials`: exponentials go between the products before
    and after them.

    Example: `attn.scheduling_hint hold_copies`
  }];
  let arguments = (ins Attn_SchedulingHint:$hint);
  let assemblyFormat = "$hint attr-dict";
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

def Attn_ConvertLayoutOp : Attn_Op<"convert_layout", [Pure,
    SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "The same tile in another layout";
  let description = [{
    From shared memory to registers, or from one fragment layout to another.
    Equal layouts fold away.
  }];
  let arguments = (ins Attn_SharedTile:$source);
  let results = (outs Attn_SharedTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasFolder = 1;
}

def Attn_ReduceRegistersOp : Attn_Op<"reduce_registers", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Reduces what each thread holds of a row";
  let description = [{
    One column for each thread that shares a row: reducing the result's rows gives
    the rows of the tile reduced.

    Example: for the accumulator of mma.sync, four threads a row,
    `%p = attn.reduce_registers sum %s : tensor<64x32xf32, #acc>` gives a
    `tensor<64x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>>`.

    Of integers (i32) maxima are reduced alone: those of scores that are not negative,
    which are in the order of their bits.

    With `by_products`, sums of numbers that 16 bits hold may be products with ones
    instead, which give each of the threads of a row its share of the whole row's sum.
  }];
  let arguments = (ins Attn_ReduceKind:$kind, Attn_ReducibleTile:$tile,
                       UnitAttr:$by_products);
  let results = (outs Attn_ReducibleTile:$result);
  let assemblyFormat = "$kind $tile (`by_products` $by_products^)? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

#endif // ATTN_RING_OPS

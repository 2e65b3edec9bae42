//===- AttnRingOps.td - Level 3: target tile program --------*- tablegen -*-===//

#ifndef ATTN_RING_OPS
#define ATTN_RING_OPS

include "attn-mlir/Dialect/Attn/IR/AttnAttrs.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Attn_FragmentLayout : Attn_Attr<"Fragment", "fragment",
    [DeclareAttrInterfaceMethods<OpAsmAttrInterface, ["getAlias"]>,
     DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "How the elements of a tile lie in the registers of threads";
  let description = [{
    Mixed radix, as an encoding of a tile: a list of modes `size:(strides)` for
    the thread number and one for the register number, each from the fastest to
    the slowest. Thread t and register r hold the element at the sum of digit
    times strides over both lists. A thread mode whose strides are all zero
    says that threads hold copies; no other two places hold one element.

    The accumulator of `mma.sync.m16n8k16` (PTX ISA, "Matrix fragments for
    mma.m16n8k16") for a 64 x 32 tile over 4 warps is

        #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)],
                       registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

    Layouts are kept in a normal form in which no two neighbouring modes could be
    one, so that equal layouts are equal attributes: the A operand of the same
    instruction turns out to be the layout of the accumulator.

    A module states each layout once, above its operations, and calls it `#acc` where
    it is that of a matrix, `#rows` for one value a row, `#parts` for one value a row
    and thread; a second one of a kind is `#acc1`.
  }];
  let parameters = (ins "unsigned":$rank,
                        ArrayRefParameter<"int64_t">:$threads,
                        ArrayRefParameter<"int64_t">:$registers);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// A digit of the thread or register number.
    struct Mode {
      int64_t size;
      ::llvm::ArrayRef<int64_t> strides;
    };
    /// The layout in normal form of modes that are given as size, strides...
    static FragmentAttr getNormal(::mlir::MLIRContext *context, unsigned rank,
                                  ::llvm::ArrayRef<int64_t> threads,
                                  ::llvm::ArrayRef<int64_t> registers);
    ::llvm::SmallVector<Mode> getThreadModes() const;
    ::llvm::SmallVector<Mode> getRegisterModes() const;
    int64_t getNumThreads() const;
    int64_t getNumRegisters() const;
    /// What register `r` adds to the coordinates of a thread's elements.
    ::llvm::SmallVector<int64_t> getRegisterOffset(int64_t r) const;
    /// The coordinates of register 0 of thread `t`.
    ::llvm::SmallVector<int64_t> getThreadOffset(int64_t t) const;
    /// The layout of one value for each thread and row: a column for each thread
    /// that shares a row, the same thread modes.
    FragmentAttr getThreadSlice() const;
    /// Columns of getThreadSlice().
    int64_t getThreadsPerRow() const;
    /// The layout of one value a row: the first dimension, with copies in the
    /// threads that share a row.
    FragmentAttr getRowSlice() const;
  }];
}

def Attn_SharedLayout : Attn_Attr<"Shared", "shared",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "How the elements of a tile lie in shared memory";
  let description = [{
    Panels of `span` bytes a row (32, 64 or 128), one panel after the other, in
    each of which the 16-byte chunks of a row are permuted by exclusive or with
    bits of the row number: byte offset x becomes
    `x ^ (((x >> 7) & (span / 16 - 1)) << 4)`. This is what a tensor map writes
    with a swizzle of `span` (CUDA driver API, CUtensorMapSwizzle), and reading
    or writing eight rows of one chunk touches every bank once.

    `transposed`: the tile lies there with rows and columns exchanged, so that the
    elements of a column are neighbours. `folded`: bit 2 of the row number is
    taken as bit 2 xor bit 3, for readers of which eight neighbouring lanes take
    rows 0 to 3 and 8 to 11 of sixteen (MFMA with eight columns a lane).

    Example: `tensor<64x128xbf16, #attn.shared<128>>` has two panels of 64 columns,
    `tensor<64x128xbf16, #attn.shared<128, transposed, folded>>` one of 64 rows.

    A module calls them `#shared`, `#shared1`, ..., as it does fragments.
  }];
  let parameters = (ins "int64_t":$span,
                        DefaultValuedParameter<"bool", "false">:$transposed,
                        DefaultValuedParameter<"bool", "false">:$folded);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The widest span that pads rows of `rowBytes` (columns, if transposed) no
    /// further than to a multiple of 32 bytes.
    static SharedAttr getWidest(::mlir::MLIRContext *context, int64_t rowBytes,
                                bool transposed = false, bool folded = false);
    /// Byte offset of an element of a tile of this type.
    static int64_t getByteOffset(::mlir::RankedTensorType type, int64_t row,
                                 int64_t column);
    /// Rows and columns of a tile of this type as they lie in memory.
    static std::pair<int64_t, int64_t>
    getStoredShape(::mlir::RankedTensorType type);
    /// The layout that a tensor map writes.
    bool isPlain() const { return !getTransposed() && !getFolded(); }
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Attn_TileHolder<string name, string typeMnemonic, string what>
    : TypeDef<Attn_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = what;
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}

def Attn_RingType : TypeDef<Attn_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "ring of tiles in shared memory, filled and drained in turn";
  let parameters = (ins "int64_t":$stages, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $stages `x` $tile `>`";
  let genVerifyDecl = 1;
}
def Attn_SlotType : Attn_TileHolder<"Slot", "slot",
    "free slot of a ring, about to be filled">;
def Attn_PendingType : Attn_TileHolder<"Pending", "pending",
    "copy under way into a slot">;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

def Attn_CopyKind : I32EnumAttr<"CopyKind", "what copies a tile",
    [I32EnumAttrCase<"Tensor", 0, "tensor">, I32EnumAttrCase<"Async", 1, "async">,
     I32EnumAttrCase<"Registers", 2, "registers">]> {
  let cppNamespace = "::attn";
}

def Attn_SharedTile : RankedTensorOf<[F16, BF16, F32], [HasStaticShapePred],
                                     "tile in shared memory">;

class Attn_RingOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<"ring." # mnemonic, traits>;

def Attn_RingCreateOp : Attn_RingOp<"create", [MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Allocates a ring in the shared memory of a CTA";
  let description = [{
    All slots are free. A producer takes slots in turn (`acquire`, `issue`,
    `land`), a consumer reads them in the same turn (`wait`, `release`). The
    ring keeps the number of slots that were released.

    Example: `%r = attn.ring.create : !attn.ring<2 x tensor<64x128xbf16, #attn.shared<128>>>`
  }];
  let results = (outs Attn_RingType:$ring);
  let assemblyFormat = "attr-dict `:` type($ring)";
  let extraClassDeclaration = [{
    /// What fills the ring; the accelerator if nothing does.
    ::attn::CopyKind getCopier();
  }];
}

def Attn_RingAcquireOp : Attn_RingOp<"acquire", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Waits until the next slot is free, and takes it";
  let description = [{
    `ahead` is the number of slots that were taken and not yet released: the slot
    is the one after these.
  }];
  let arguments = (ins Attn_RingType:$ring, DefaultValuedAttr<I64Attr, "0">:$ahead);
  let results = (outs Attn_SlotType:$slot);
  let assemblyFormat = [{
    $ring (`ahead` $ahead^)? attr-dict `:` type($ring) `->` type($slot)
  }];
  let hasVerifier = 1;
}

def Attn_RingIssueOp : Attn_RingOp<"issue", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Starts the copy of a tile of a view into a slot";
  let description = [{
    Elements outside of the view become zero, as for `attn.load`. `by` names the
    copier: `tensor` is the tensor memory accelerator, which wants strides and
    bases that are multiples of 16 bytes; `async` copies `chunk` bytes a thread,
    4, 8 or 16, of which strides and bases are multiples; `registers` loads such
    chunks to registers, which `attn.ring.land` writes to the slot.
  }];
  let arguments = (ins Attn_SlotType:$slot, Attn_ViewType:$view,
                       Variadic<Index>:$offsets,
                       DefaultValuedAttr<Attn_CopyKind, "::attn::CopyKind::Tensor">:$by,
                       DefaultValuedAttr<I64Attr, "16">:$chunk);
  let results = (outs Attn_PendingType:$pending);
  let assemblyFormat = [{
    $slot `,` $view `[` $offsets `]` (`by` $by^)? (`chunk` $chunk^)? attr-dict `:` type($slot) `,` type($view)
    `->` type($pending)
  }];
  let hasVerifier = 1;
}

def Attn_RingLandOp : Attn_RingOp<"land", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Announces that a copy will have arrived";
  let description = [{
    Nothing where the copy signals its own completion; where it went through
    registers, here they are written.
  }];
  let arguments = (ins Attn_PendingType:$pending);
  let assemblyFormat = "$pending attr-dict `:` type($pending)";
}

def Attn_RingWaitOp : Attn_RingOp<"wait", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Waits until the oldest slot is full, and reads it";
  let description = [{
    The tile stays valid until `attn.ring.release` of the same ring.
  }];
  let arguments = (ins Attn_RingType:$ring);
  let results = (outs Attn_SharedTile:$tile);
  let assemblyFormat = "$ring attr-dict `:` type($ring) `->` type($tile)";
  let hasVerifier = 1;
}

def Attn_RingReleaseOp : Attn_RingOp<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives the oldest slot back";
  let description = [{
    Not before `after` is computed, where that is given: one finite number (or a
    NaN) a row. Assemblers move waits for products, and keep their place behind
    a release only where that needs something late.
  }];
  let arguments = (ins Attn_RingType:$ring, Optional<Attn_RowTile>:$after);
  let builders = [OpBuilder<(ins "::mlir::Value":$ring), [{
    build($_builder, $_state, ring, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $ring attr-dict `:` type($ring) (`after` $after^ `:` type($after))?
  }];
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
  }];
  let arguments = (ins Attn_ReduceKind:$kind, Attn_SharedTile:$tile);
  let results = (outs Attn_SharedTile:$result);
  let assemblyFormat = "$kind $tile attr-dict `:` type($tile)";
}

#endif // ATTN_RING_OPS

//===- AttnLayouts.td - Layouts of tiles -------------------*- tablegen -*-===//

#ifndef ATTN_LAYOUTS
#define ATTN_LAYOUTS

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"

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
    /// The layout of one row of values, one a column, of a tile of rank 2: with
    /// copies in the threads that share a column.
    FragmentAttr getColumnSlice() const;
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
    elements of a column are neighbours. `folded`: for readers and writers of LDS
    (AMD CDNA 3 ISA, "Data Share"), so that none of their phases meets a bank
    twice. Bit 2 of the row number is taken as bit 2 xor bit 3, since eight
    neighbouring lanes read rows 0 to 3 and 8 to 11 of sixteen (MFMA with eight
    columns a lane). With a span of 64 the two rows of 128 bytes change places by
    bits 2 and 3 of the row number, with one of 32 and several panels the halves of
    chunks by its bits 3 and 4, as lanes then read 8 bytes. Panels of less than 128 bytes, if they are
    an odd number, stand further apart by 32, 64 or 96 bytes.

    `paired`: the same for readers that meet in 64 banks (gfx950), which pairs of
    rows of 128 bytes fill, by rows of 16 bytes a lane and by columns
    (`ds_read_b64_tr_b16`). Chunks are permuted by bit 2 of the row number, by bits
    2 and 3, and by bits 1 and 3 (their exclusive or); in panels of 32 bytes by bits
    3 and 4, where rows that are 4 apart change places by bit 3.

    Example: `tensor<64x128xbf16, #attn.shared<128>>` has two panels of 64 columns,
    `tensor<64x128xbf16, #attn.shared<128, transposed, folded>>` one of 64 rows.

    A module calls them `#shared`, `#shared1`, ..., as it does fragments.
  }];
  let parameters = (ins "int64_t":$span,
                        DefaultValuedParameter<"bool", "false">:$transposed,
                        DefaultValuedParameter<"bool", "false">:$folded,
                        DefaultValuedParameter<"bool", "false">:$paired);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The widest span that pads rows of `rowBytes` (columns, if transposed) no
    /// further than to a multiple of 32 bytes.
    static SharedAttr getWidest(::mlir::MLIRContext *context, int64_t rowBytes,
                                bool transposed = false, bool folded = false,
                                bool paired = false);
    /// A bit of a byte offset in its panel into which the parity of some bits of
    /// the row number goes.
    struct Swizzle {
      int64_t bit, rowBits;
    };
    /// All of them for a tile of this type.
    static ::llvm::SmallVector<Swizzle> getSwizzles(::mlir::RankedTensorType type);
    /// Rows after which the places of chunks repeat.
    static int64_t getSwizzleRows(::mlir::RankedTensorType type);
    /// Byte offset of an element of a tile of this type.
    static int64_t getByteOffset(::mlir::RankedTensorType type, int64_t row,
                                 int64_t column);
    /// Rows and columns of a tile of this type as they lie in memory.
    static std::pair<int64_t, int64_t>
    getStoredShape(::mlir::RankedTensorType type);
    /// By which bits the byte offset of a row in its panel differs from row *
    /// span: those of a sum of row numbers without carries are the exclusive or.
    static int64_t getFlip(::mlir::RankedTensorType type, int64_t row);
    /// How far rows of a tile of this type are apart that change places in pairs,
    /// a power of two (0: none do); whether 8-byte halves of their chunks do.
    static int64_t getExchangedRows(::mlir::RankedTensorType type);
    static bool exchangesHalves(::mlir::RankedTensorType type);
    /// Bytes from a panel of a tile of this type to the next, and of the tile.
    static int64_t getPanelDistance(::mlir::RankedTensorType type);
    static int64_t getNumBytes(::mlir::RankedTensorType type);
    /// Whether waves can fill a tile of this type by 1024 neighbouring bytes each, of
    /// chunks that lie as in memory: rows of whole panels, with no gap between
    /// panels within what a wave fills, and each bit of a place follows from the
    /// row that lies there.
    static bool liesByChunks(::mlir::RankedTensorType type);
    /// The layout that a tensor map writes.
    bool isPlain() const {
      return !getTransposed() && !getFolded() && !getPaired();
    }
  }];
}

#endif // ATTN_LAYOUTS

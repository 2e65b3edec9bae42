//===- AttnAttrs.td - Attributes and types ------------------*- tablegen -*-===//

#ifndef ATTN_ATTRS
#define ATTN_ATTRS

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"
include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Attn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Attn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Attn_TensorLayout : I32EnumAttr<"TensorLayout",
    "order of the dimensions of Q, K, V and O",
    [I32EnumAttrCase<"BHSD", 0, "bhsd">, I32EnumAttrCase<"BSHD", 1, "bshd">]> {
  let cppNamespace = "::attn";
}

def Attn_MaskAlign : I32EnumAttr<"MaskAlign",
    "which corner of the score matrix the diagonal starts in",
    [I32EnumAttrCase<"TopLeft", 0, "top_left">,
     I32EnumAttrCase<"BottomRight", 1, "bottom_right">]> {
  let cppNamespace = "::attn";
}

def Attn_ReduceKind : I32EnumAttr<"ReduceKind", "row reduction",
    [I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Sum", 1, "sum">]> {
  let cppNamespace = "::attn";
}

def Attn_AccessKind : I32EnumAttr<"AccessKind", "direction of an access",
    [I32EnumAttrCase<"Load", 0, "load">, I32EnumAttrCase<"Store", 1, "store">]> {
  let cppNamespace = "::attn";
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

def Attn_CausalMask : Attn_Attr<"CausalMask", "causal",
    [DeclareAttrInterfaceMethods<Attn_MaskInterface, ["impliesKeyExists"]>]> {
  let summary = "A query attends to the keys up to its own position";
  let description = [{
    Query i attends to key j where `j <= i + o`. For `top_left` o = 0; for
    `bottom_right` o = Skv - Sq, so that the last query sees every key.

    Example: `#attn.causal<bottom_right>`
  }];
  let parameters = (ins EnumParameter<Attn_MaskAlign>:$align);
  let assemblyFormat = "`<` $align `>`";
}

def Attn_WindowMask : Attn_Attr<"WindowMask", "window",
    [DeclareAttrInterfaceMethods<Attn_MaskInterface, ["impliesKeyExists"]>]> {
  let summary = "A query attends to a window of keys around its position";
  let description = [{
    Query i attends to key j where `i + o - left <= j <= i + o + right`, with o
    as for `#attn.causal`. A bound of -1 means no bound on that side.

    Example: `#attn.window<left = 1023, right = 0, align = bottom_right>`
  }];
  let parameters = (ins "int64_t":$left, "int64_t":$right,
                        EnumParameter<Attn_MaskAlign>:$align);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Grid order
//===----------------------------------------------------------------------===//

def Attn_OrderAttr : Attn_Attr<"Order", "order"> {
  let summary = "In which order the tiles of a grid are dispatched";
  let description = [{
    A bijection from the dispatch position of a tile to its coordinates,
    composed of primitives that are bijections for any sizes:

    - *mixed radix with a permutation*: `digits` names the axes of the grid
      from the slowest to the fastest. `sharing` stands for the fused axes that
      select the streamed data (batch and KV head for attention), in their
      order.
    - *rank by domain* with `domains` X and `chunk` c: CTA w is dispatched to
      domain `(w / c) mod X`; positions are re-ranked so that each domain walks
      a contiguous range of the order.
    - *split*: re-ranking takes place on the first `floor(C / (X c)) c X` of the C
      sharing sets only (`floor(C / X) X` of them where c divides the tiles that
      gives a domain), the rest follows in plain order. For c = 1 exactly
      `floor(C / X) X` sets lie whole on one domain, as many on each.
    - *reversal* of the axes in `reversed` (longest first, under a causal mask).

    The composition of bijections is one. `attn-materialize-grid` turns it into
    index arithmetic. See "Optimizing Attention on GPUs by Exploiting GPU
    Architectural NUMA Effects", section 3, for the four named orders.

    Example: `#attn.order<[sharing, group, query], domains = 8>`
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$digits,
                        "int64_t":$domains, "int64_t":$chunk,
                        ArrayRefParameter<"::mlir::StringAttr">:$reversed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bound of domains, chunks, runs and CTAs, so that index arithmetic cannot
    /// overflow.
    static constexpr int64_t kMaxCount = int64_t(1) << 24;
  }];
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

// Words of a schedule's fields, which are those of the pipelines' options.
def Attn_SawtoothMode : I32EnumAttr<"SawtoothMode",
    "whether streams alternate their direction",
    [I32EnumAttrCase<"Off", 0, "off">, I32EnumAttrCase<"Auto", 1, "auto">,
     I32EnumAttrCase<"Force", 2, "force">]> {
  let cppNamespace = "::attn";
}

def Attn_Products : I32EnumAttr<"Products", "which products an option is for",
    [I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Scores", 1, "scores">,
     I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::attn";
}

def Attn_ScheduleAttr : Attn_Attr<"Schedule", "schedule"> {
  let summary = "How one operation is to be compiled";
  let description = [{
    Decisions, field by field: those of level 2 (tiles, grid order, persistence,
    direction of the streams) and those of level 3 (stages of rings, warps,
    roles). A field that is not there has the default of its pass; one that is
    there and says the default overrides what another schedule says. Fields are
    named as the options of the pipelines `attn-schedule` and `attn-to-target`
    are, with `_` for `-`, but for `copy_chunk`, which is `chunk` of
    `attn-to-target`.

    | field | value |
    |---|---|
    | `pack_group`, `longest_first`, `persistent`, `pair_tiles`, `in_step`, `specialize`, `overlap`, `ping_pong`, `optimistic_max`, `store_tensors` | a flag: `persistent`, or `persistent = false` |
    | `splits`, `domains`, `chunk`, `sms`, `resident`, `stages`, `resident_stages`, `copy_chunk`, `warps` | a number: `stages = 3` |
    | `tiles` | positions of an axis in a tile: `tiles = [query = 128, key = 64]` |
    | `grid_order` | `naive_block_first`, `swizzled_block_first`, `naive_head_first`, `swizzled_head_first` |
    | `sawtooth` | `off`, `auto`, `force` |
    | `copy` | `tensor`, `async` |
    | `wgmma`, `priority` | `none`, `scores`, `all` |

    A streamable operation or a kernel holds it as `attn.schedule`. Passes take
    off what they have applied: what is left on a kernel of level 2 is for
    level 3.

    Example: `#attn.schedule<tiles = [query = 128, key = 64], persistent, sawtooth = auto>`
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute that holds the schedule of an operation or kernel.
    static constexpr ::llvm::StringLiteral kAttrName = "attn.schedule";

    /// The schedule that `op` holds, or null.
    static ::attn::ScheduleAttr of(::mlir::Operation *op);

    /// The fields of one level from options of its pipeline, as name and value;
    /// of "tiles", each axis=size by itself. Null after a diagnostic.
    static ::attn::ScheduleAttr
    fromOptions(::mlir::MLIRContext *context, unsigned level,
                ::llvm::ArrayRef<std::pair<std::string, std::string>> options,
                ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);

    /// Has `op` hold this one, or none where `schedule` is null or empty.
    static void set(::mlir::Operation *op, ::attn::ScheduleAttr schedule);

    /// Whether the flag is there and true.
    bool hasFlag(::llvm::StringRef field) const;

    /// The number of a field, if it is there.
    std::optional<int64_t> getNumber(::llvm::StringRef field) const;

    /// Sizes of tiles by axis, in the order in which they were stated.
    ::llvm::SmallVector<std::pair<::llvm::StringRef, int64_t>> getTiles() const;

    /// These fields, and those of `below` that are not among them; of tiles,
    /// axis by axis. `below` may be null.
    ::attn::ScheduleAttr over(::attn::ScheduleAttr below) const;

    /// The word of a field, or nothing.
    ::llvm::StringRef getWord(::llvm::StringRef field) const;

    /// The fields of one level (2 or 3).
    ::attn::ScheduleAttr getLevel(unsigned level) const;

    /// The schedule without some fields.
    ::attn::ScheduleAttr
    without(::llvm::ArrayRef<::llvm::StringRef> fields) const;

    /// The fields of one level as options of its pipeline: level 2 of
    /// attn-schedule, level 3 of attn-to-target.
    std::string asOptions(unsigned level) const;
  }];
}

def Attn_VariantAttr : Attn_Attr<"Variant", "variant"> {
  let summary = "A schedule for the sizes that a guard names";
  let description = [{
    The guard compares an axis with a number, at run time where it must:
    `#attn.variant<"query<=2048", <tiles = [query = 64, key = 64]>>`.
  }];
  let parameters = (ins "::mlir::StringAttr":$guard,
                        "::attn::ScheduleAttr":$schedule);
  let assemblyFormat = "`<` $guard `,` $schedule `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The parts of the guard.
    ::llvm::StringRef getAxis() const;
    int64_t getBound() const;
    /// Whether it is "at most", not "at least".
    bool isUpper() const;
  }];
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def Attn_TargetAttr : Attn_Attr<"Target", "target"> {
  let summary = "Facts about the hardware that a schedule is made for";
  let description = [{
    Facts, never decisions. The table of known targets, with the source of each
    figure, is printed by `attn-opt --list-targets`. The short form
    `#attn.target<"gb10">` takes all facts from the table; facts that are given
    override it, and an unknown name must give them all. Facts are printed in
    full, so that the IR does not depend on the table.

    Example: `#attn.target<"gb10", sms = 40>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$arch,
                        "::mlir::DictionaryAttr":$facts,
                        "::mlir::ArrayAttr":$capabilities);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Name of the module attribute that holds the target.
    static constexpr ::llvm::StringLiteral kModuleAttr = "attn.target";

    /// The value of a fact. Every target has a value for every fact.
    int64_t get(::attn::Fact fact) const;

    /// Whether the target has a capability ("mma.sync", "tma", ...).
    bool hasCapability(::llvm::StringRef capability) const;

    /// A copy with one fact changed.
    ::attn::TargetAttr with(::attn::Fact fact, int64_t value) const;

    /// The known target of this name, or null after a diagnostic that names the
    /// nearest known ones.
    static ::attn::TargetAttr
    lookup(::mlir::MLIRContext *context, ::llvm::StringRef name,
           ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);

    /// The target of the enclosing module, or the generic CPU.
    static ::attn::TargetAttr of(::mlir::Operation *op);
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Attn_ViewType : TypeDef<Attn_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "view of a strided array in global memory, in logical order";
  let description = [{
    What a kernel reads and writes: a base pointer, sizes and strides. The
    dimensions are always in logical order (batch, head, sequence, feature);
    BHSD, BSHD or packed QKV differ in the strides, which are dynamic.

    Example: `!attn.view<?x32x?x128xbf16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    /// Bytes of one element.
    int64_t getElementBytes() const {
      return getElementType().getIntOrFloatBitWidth() / 8;
    }
  }];
}

#endif // ATTN_ATTRS

//===- AttnSchedule.td - How an operation is compiled ------*- tablegen -*-===//

#ifndef ATTN_SCHEDULE
#define ATTN_SCHEDULE

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

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
    | `pack_group`, `split_ctas`, `split_cluster`, `split_last`, `stream_k`, `list_tiles`, `split_results`, `longest_first`, `persistent`, `pair_tiles`, `dynamic`, `snake`, `in_step`, `specialize`, `overlap`, `ping_pong`, `late_turns`, `first_rows`, `delay_waits`, `optimistic_max`, `exact_peaks`, `exact_last`, `two_level`, `mx_products`, `hold_lhs`, `stage_columns`, `store_tensors`, `exchange_columns`, `stream_reads`, `wide_panels` | a flag: `persistent`, or `persistent = false` |
    | `splits`, `split_length`, `domains`, `chunk`, `sms`, `resident`, `stages`, `resident_stages`, `producer_registers`, `lead`, `copy_chunk`, `warps`, `stride`, `shift` | a number: `stages = 3` |
    | `tiles` | positions of an axis in a tile: `tiles = [query = 128, key = 64]` |
    | `form` | of `attn.attention_backward`: `two_kernels`, `fused`, `ordered` |
    | `grid_order` | `naive_block_first`, `swizzled_block_first`, `naive_head_first`, `swizzled_head_first`, `block_outermost`, `one_set`, `two_sets`, `four_sets`, `eight_sets`, `sixteen_sets` |
    | `sawtooth` | `off`, `auto`, `force` |
    | `traversal` | `forward`, `inside_out`, `rotated`, `backward` |
    | `copy` | `tensor`, `async` |
    | `rounded_sums` | `none`, `registers`, `products` |
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
    The guard compares axes, or products of them, with numbers, at run time where
    it must: `#attn.variant<"query<=512 & key>=2048", <tiles = [query = 64, key = 64]>>`,
    `#attn.variant<"batch*kv_head*key>=100000", <persistent, pair_tiles>>`. A number may be times one axis:
    `"query<=448*batch"` is for packed sequences of 448 queries and fewer on average.
  }];
  let parameters = (ins "::mlir::StringAttr":$guard,
                        "::attn::ScheduleAttr":$schedule);
  let assemblyFormat = "`<` $guard `,` $schedule `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// A part of the guard: at most `bound`, or at least. Of an axis, or of
    /// several with `*` between them. `times`: the axis whose extent the bound
    /// is times; empty: none.
    struct Comparison {
      ::llvm::StringRef axis, times;
      bool upper;
      int64_t bound;
    };
    ::llvm::SmallVector<Comparison> getComparisons() const;
  }];
}

#endif // ATTN_SCHEDULE

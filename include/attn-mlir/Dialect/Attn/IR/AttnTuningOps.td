//===- AttnTuningOps.td - Schedules that were measured -----*- tablegen -*-===//

#ifndef ATTN_TUNING_OPS
#define ATTN_TUNING_OPS

include "attn-mlir/Dialect/Attn/IR/AttnSchedule.td"

def Attn_TunedOp : Attn_Op<"tuned", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "A schedule that was the fastest of those that were measured";
  let description = [{
    One row of a tuning file: a module whose `attn.target` is the chip that was
    measured. It is for operations `op` (a name), of elements of one of the types
    `of`, whose K and V have together at most `columns` columns (V twice, if it has
    more than K), and K half of these at most, or `keys` columns, which have `rows` or more queries where their number is known, and
    which have a causal mask, or not. A row `to` a number is for operations alone whose
    number of queries is known, and at most that: decoding. A row with `cache` is for K and V of one of
    these types alone, which is not that of the queries; one with `packed` for
    packed queries, one with `reads` for modifications that read an element of a
    captured tensor for each score, one with `special` for those that take a function
    of the special function unit for each, such as a softcap's tanh, and one with
    `sorted` for masks that compare sorted numbers, such as those of documents, so
    that tiles differ in length in no order. The first row that is for an operation is
    taken; `variants` come before `schedule` where their guard holds.

    ```mlir
    attn.tuned "attn.attention" of [f16, bf16] columns 256 rows 64 causal
      #attn.schedule<tiles = [query = 128, key = 128], persistent, resident = 1>
      variants [#attn.variant<"query<=512", <tiles = [query = 64, key = 64]>>]
    ```
  }];
  let arguments = (ins StrAttr:$op, TypeArrayAttr:$elements, OptionalAttr<TypeArrayAttr>:$cache, I64Attr:$columns,
                       OptionalAttr<I64Attr>:$key_columns,
                       I64Attr:$rows, OptionalAttr<I64Attr>:$most_rows, UnitAttr:$causal, UnitAttr:$packed,
                       UnitAttr:$reads,
                       UnitAttr:$special, UnitAttr:$sorted,
                       Attn_ScheduleAttr:$schedule,
                       DefaultValuedAttr<TypedArrayAttrBase<Attn_VariantAttr, "variants">, "{}">:$variants);
  let assemblyFormat = [{
    $op `of` $elements (`cache` $cache^)? `columns` $columns (`keys` $key_columns^)? `rows` $rows (`to` $most_rows^)? (`causal` $causal^)?
    (`packed` $packed^)? (`reads` $reads^)? (`special` $special^)? (`sorted` $sorted^)?
    $schedule (`variants` $variants^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // ATTN_TUNING_OPS

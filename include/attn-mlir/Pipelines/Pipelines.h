//===- Pipelines.h - Pipelines shared by tools and embedders ----*- C++ -*-===//

#ifndef ATTN_MLIR_PIPELINES_PIPELINES_H
#define ATTN_MLIR_PIPELINES_PIPELINES_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/CpuPipelines.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

ATTN_LIST_VALUES(attn::SawtoothMode);

namespace attn {

/// What the schedule pipeline decides; see the passes for each option.
struct ScheduleOptions : mlir::PassPipelineOptions<ScheduleOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("attn-set-target: target")};
  ListOption<std::string> overrides{
      *this, "overrides", llvm::cl::desc("attn-set-target: overrides")};
  Option<std::string> form{*this, "form", llvm::cl::desc("attn-expand: form")};
  Option<bool, PlainParser<bool>> packGroup{
      *this, "pack-group", llvm::cl::init(false),
      llvm::cl::desc("run attn-pack-group")};
  ListOption<std::string> tiles{*this, "tiles",
                                llvm::cl::desc("attn-stream-partition: tiles")};
  Option<int64_t, PlainParser<int64_t>> splits{
      *this, "splits", llvm::cl::init(0),
      llvm::cl::desc("attn-stream-partition: splits")};
  Option<bool, PlainParser<bool>> splitCtas{
      *this, "split-ctas", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: split-ctas")};
  Option<bool, PlainParser<bool>> splitCluster{
      *this, "split-cluster", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: split-cluster")};
  Option<bool, PlainParser<bool>> splitLast{
      *this, "split-last", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: split-last")};
  Option<bool, PlainParser<bool>> streamK{
      *this, "stream-k", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: stream-k")};
  Option<bool, PlainParser<bool>> splitResults{
      *this, "split-results", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: split-results")};
  Option<int64_t, PlainParser<int64_t>> splitLength{
      *this, "split-length", llvm::cl::init(0),
      llvm::cl::desc("attn-stream-partition: split-length")};
  Option<bool, PlainParser<bool>> listTiles{
      *this, "list-tiles", llvm::cl::init(false),
      llvm::cl::desc("attn-stream-partition: list-tiles")};
  Option<bool, PlainParser<bool>> persistent{
      *this, "persistent", llvm::cl::init(false),
      llvm::cl::desc("run attn-persistent")};
  Option<bool, PlainParser<bool>> pairTiles{
      *this, "pair-tiles", llvm::cl::init(false),
      llvm::cl::desc("attn-persistent: pair-tiles")};
  Option<bool, PlainParser<bool>> dynamic{
      *this, "dynamic", llvm::cl::init(false),
      llvm::cl::desc("attn-persistent: dynamic")};
  Option<bool, PlainParser<bool>> snake{
      *this, "snake", llvm::cl::init(false),
      llvm::cl::desc("attn-persistent: snake")};
  Option<int64_t, PlainParser<int64_t>> sms{
      *this, "sms", llvm::cl::init(0), llvm::cl::desc("attn-persistent: sms")};
  Option<int64_t, PlainParser<int64_t>> resident{
      *this, "resident", llvm::cl::init(0),
      llvm::cl::desc("attn-persistent: resident")};
  Option<bool, PlainParser<bool>> inStep{
      *this, "in-step", llvm::cl::init(false),
      llvm::cl::desc("run attn-keep-in-step")};
  Option<std::string> gridOrder{*this, "grid-order",
                                llvm::cl::desc("run attn-grid-order: order")};
  Option<int64_t, PlainParser<int64_t>> domains{
      *this, "domains", llvm::cl::init(0),
      llvm::cl::desc("attn-grid-order: domains")};
  Option<int64_t, PlainParser<int64_t>> chunk{
      *this, "chunk", llvm::cl::init(0),
      llvm::cl::desc("attn-grid-order: chunk")};
  Option<bool, PlainParser<bool>> longestFirst{
      *this, "longest-first", llvm::cl::init(false),
      llvm::cl::desc("attn-grid-order: longest-first")};
  Option<SawtoothMode> sawtooth{
      *this, "sawtooth", llvm::cl::init(SawtoothMode::Off),
      llvm::cl::desc("run attn-sawtooth"),
      llvm::cl::values(clEnumValN(SawtoothMode::Off, "off", "no"),
                       clEnumValN(SawtoothMode::Auto, "auto", "where it pays"),
                       clEnumValN(SawtoothMode::Force, "force", "everywhere"))};
  Option<TraversalOrder> traversal{
      *this, "traversal", llvm::cl::init(TraversalOrder::Forward),
      llvm::cl::desc("run attn-traverse: order"),
      llvm::cl::values(clEnumValN(TraversalOrder::Forward, "forward", "no"),
                       clEnumValN(TraversalOrder::InsideOut, "inside-out",
                                  "from the middle to the ends"),
                       clEnumValN(TraversalOrder::Rotated, "rotated",
                                  "from an offset on, and around the end"),
                       clEnumValN(TraversalOrder::Backward, "backward",
                                  "from the last tile to the first"))};
  Option<int64_t, PlainParser<int64_t>> stride{
      *this, "stride", llvm::cl::init(1),
      llvm::cl::desc("attn-traverse: stride")};
  Option<int64_t, PlainParser<int64_t>> shift{
      *this, "shift", llvm::cl::init(0),
      llvm::cl::desc("attn-traverse: shift")};
};

/// What level 3 decides; see the passes for each option.
struct TargetOptions : mlir::PassPipelineOptions<TargetOptions> {
  Option<int64_t, PlainParser<int64_t>> stages{
      *this, "stages", llvm::cl::init(0),
      llvm::cl::desc("attn-stage-loads: stages")};
  Option<int64_t, PlainParser<int64_t>> residentStages{
      *this, "resident-stages", llvm::cl::init(1),
      llvm::cl::desc("attn-stage-loads: resident-stages")};
  Option<bool, PlainParser<bool>> stageColumns{
      *this, "stage-columns", llvm::cl::init(false),
      llvm::cl::desc("attn-stage-loads: columns")};
  Option<bool, PlainParser<bool>> holdLhs{
      *this, "hold-lhs", llvm::cl::init(false),
      llvm::cl::desc("attn-stage-loads: hold-lhs")};
  Option<CopyKind> copy{
      *this, "copy", llvm::cl::init(CopyKind::Tensor),
      llvm::cl::desc("attn-stage-loads: copy"),
      llvm::cl::values(
          clEnumValN(CopyKind::Tensor, "tensor", "tensor memory accelerator"),
          clEnumValN(CopyKind::Async, "async", "a chunk a thread"),
          clEnumValN(CopyKind::Lds, "lds",
                     "16 bytes a lane straight to LDS, where the target and "
                     "the tile can"))};
  Option<int64_t, PlainParser<int64_t>> chunk{
      *this, "chunk", llvm::cl::init(0),
      llvm::cl::desc("attn-stage-loads: chunk")};
  Option<bool, PlainParser<bool>> widePanels{
      *this, "wide-panels", llvm::cl::init(false),
      llvm::cl::desc("attn-stage-loads: wide-panels")};
  Option<int64_t, PlainParser<int64_t>> warps{
      *this, "warps", llvm::cl::init(0),
      llvm::cl::desc("attn-assign-units: warps")};
  Option<bool, PlainParser<bool>> specialize{
      *this, "specialize", llvm::cl::init(false),
      llvm::cl::desc("run attn-specialize-warps")};
  Option<bool, PlainParser<bool>> overlap{
      *this, "overlap", llvm::cl::init(false),
      llvm::cl::desc("attn-specialize-warps: overlap")};
  Option<bool, PlainParser<bool>> pingPong{
      *this, "ping-pong", llvm::cl::init(false),
      llvm::cl::desc("attn-specialize-warps: ping-pong")};
  Option<bool, PlainParser<bool>> lateTurns{
      *this, "late-turns", llvm::cl::init(false),
      llvm::cl::desc("attn-specialize-warps: late-turns")};
  Option<bool, PlainParser<bool>> firstRows{
      *this, "first-rows", llvm::cl::init(false),
      llvm::cl::desc("attn-specialize-warps: first-rows")};
  Option<int64_t, PlainParser<int64_t>> producerRegisters{
      *this, "producer-registers", llvm::cl::init(0),
      llvm::cl::desc("attn-specialize-warps: producer-registers")};
  Option<bool, PlainParser<bool>> delayWaits{
      *this, "delay-waits", llvm::cl::init(false),
      llvm::cl::desc("run attn-delay-waits")};
  Option<bool, PlainParser<bool>> optimisticMax{
      *this, "optimistic-max", llvm::cl::init(false),
      llvm::cl::desc("run attn-optimistic-max")};
  Option<bool, PlainParser<bool>> twoLevel{
      *this, "two-level", llvm::cl::init(false),
      llvm::cl::desc("run attn-two-level-sums")};
  Option<bool, PlainParser<bool>> mxProducts{
      *this, "mx-products", llvm::cl::init(false),
      llvm::cl::desc("attn-assign-units: mx-products")};
  Option<int64_t, PlainParser<int64_t>> lead{
      *this, "lead", llvm::cl::init(0),
      llvm::cl::desc("attn-optimistic-max: lead")};
  Option<bool, PlainParser<bool>> exactPeaks{
      *this, "exact-peaks", llvm::cl::init(false),
      llvm::cl::desc("attn-optimistic-max: exact-peaks")};
  Option<bool, PlainParser<bool>> exactLast{
      *this, "exact-last", llvm::cl::init(false),
      llvm::cl::desc("attn-optimistic-max: exact-last")};
  Option<RoundedSums> roundedSums{
      *this, "rounded-sums", llvm::cl::init(RoundedSums::None),
      llvm::cl::desc("run attn-round-sums: by"),
      llvm::cl::values(
          clEnumValN(RoundedSums::None, "none", "no"),
          clEnumValN(RoundedSums::Registers, "registers", "additions"),
          clEnumValN(RoundedSums::Products, "products", "the matrix unit"))};
  Option<bool, PlainParser<bool>> storeTensors{
      *this, "store-tensors", llvm::cl::init(false),
      llvm::cl::desc("run attn-store-tensors")};
  Option<bool, PlainParser<bool>> exchangeColumns{
      *this, "exchange-columns", llvm::cl::init(false),
      llvm::cl::desc("run attn-exchange-columns")};
  Option<bool, PlainParser<bool>> streamReads{
      *this, "stream-reads", llvm::cl::init(false),
      llvm::cl::desc("run attn-stream-reads, with copy=tensor")};
  Option<WholeLines> wholeLines{
      *this, "whole-lines", llvm::cl::init(WholeLines::None),
      llvm::cl::desc("run attn-whole-lines: of"),
      llvm::cl::values(clEnumValN(WholeLines::None, "none", "no"),
                       clEnumValN(WholeLines::Stores, "stores", "stores"),
                       clEnumValN(WholeLines::All, "all",
                                  "stores, and loads of what stays"))};
  Option<Products> priority{
      *this, "priority", llvm::cl::init(Products::None),
      llvm::cl::desc("run attn-prioritize-products: products"),
      llvm::cl::values(clEnumValN(Products::None, "none", "no"),
                       clEnumValN(Products::Scores, "scores",
                                  "products with a transposed right-hand side"),
                       clEnumValN(Products::All, "all", "every product"))};
  Option<Additions> additions{
      *this, "additions", llvm::cl::init(Additions::Copies),
      llvm::cl::desc("run attn-stage-additions, with specialize"),
      llvm::cl::values(
          clEnumValN(Additions::Registers, "registers", "no"),
          clEnumValN(Additions::Copies, "copies",
                     "copies out of shared memory add, where they can"))};
  Option<Products> wgmma{
      *this, "wgmma", llvm::cl::init(Products::None),
      llvm::cl::desc("run attn-issue-dots: products"),
      llvm::cl::values(clEnumValN(Products::None, "none", "no"),
                       clEnumValN(Products::Scores, "scores",
                                  "products with a transposed right-hand side"),
                       clEnumValN(Products::All, "all", "every product"))};
};

/// Options as name and value.
using StatedOptions = std::vector<std::pair<std::string, std::string>>;

/// Options of attn-schedule for kernels (no target, no tiles) that were parsed,
/// or that are no defaults.
StatedOptions statedKernelOptions(const ScheduleOptions &options);

/// The same of attn-to-target.
StatedOptions statedOptions(const TargetOptions &options);

/// "name=value name=value ..."
std::string asText(const StatedOptions &options);

/// The schedule that options of attn-schedule and attn-to-target say. Fails
/// after a message for what is no option, and a diagnostic for wrong values.
mlir::FailureOr<ScheduleAttr>
scheduleFromOptions(mlir::MLIRContext *context, llvm::StringRef schedule,
                    llvm::StringRef lower,
                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The passes of level 2 on one kernel: grid order, persistence, steps,
/// sawtooth, traversal. `pm` is anchored on kernels.
void buildKernelSchedule(mlir::OpPassManager &pm,
                         const ScheduleOptions &options);

/// The passes of level 3 on one kernel. `pm` is anchored on kernels.
void buildKernelLowering(mlir::OpPassManager &pm, const TargetOptions &options);

/// Level 1 to scheduled level 2: target, partition, grid order, persistence,
/// sawtooth, traversal, in this order, as the #attn.schedule of each operation
/// says; the options override it field by field. Does nothing to what is
/// scheduled already, save what the options ask for.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const ScheduleOptions &options);

/// Scheduled level 2 to level 3: rings, and tiles in the registers of warps, as
/// the #attn.schedule of each kernel says; the options override it.
void buildTargetPipeline(mlir::OpPassManager &pm, const TargetOptions &options);

/// Level 3 to loops on buffers, for the CPU: one CTA after the other, with
/// copies made where they are issued (attn-sequentialize-rings).
void buildSequentialPipeline(mlir::OpPassManager &pm);

/// Level 3 to device functions in the LLVM and NVVM dialects.
void buildLowerToNVVMPipeline(mlir::OpPassManager &pm);

/// Level 3 to device functions in the LLVM and ROCDL dialects.
void buildLowerToROCDLPipeline(mlir::OpPassManager &pm);

/// The second half of both: device functions as convert-attn-to-nvvm and
/// convert-attn-to-rocdl leave them, to the LLVM dialect.
void buildDeviceToLLVMPipeline(mlir::OpPassManager &pm);

} // namespace attn

#endif // ATTN_MLIR_PIPELINES_PIPELINES_H

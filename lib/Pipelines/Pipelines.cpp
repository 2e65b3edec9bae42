//===- Pipelines.cpp - Pipelines shared by tools and embedders ------------===//

#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "attn-mlir/Pipelines/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Loops of a stream one after the other, at most: those of a window in either
/// direction. A loop around others holds twice what these carry (on MI300X in
/// registers for one wave a SIMD), and breaks chains of overlapped products.
static constexpr int64_t kMostLoops = 5;

void attn::buildKernelSchedule(OpPassManager &pm,
                               const ScheduleOptions &options) {
  // The passes refuse such numbers: also where nothing else asks for them.
  auto wrong = [](int64_t count) {
    return count < 0 || count > OrderAttr::kMaxCount;
  };
  if (!options.gridOrder.empty() || options.longestFirst ||
      wrong(options.domains) || wrong(options.chunk)) {
    AttnGridOrderOptions order;
    if (!options.gridOrder.empty())
      order.order = options.gridOrder;
    order.domains = options.domains;
    order.chunk = options.chunk;
    order.longestFirst = options.longestFirst;
    pm.addPass(createAttnGridOrder(order));
  }
  if (options.persistent || wrong(options.sms) || wrong(options.resident))
    pm.addPass(
        createAttnPersistent({options.sms, options.resident, options.pairTiles,
                              options.dynamic, options.snake}));
  if (options.inStep)
    pm.addPass(createAttnKeepInStep());
  if (options.sawtooth != SawtoothMode::Off)
    pm.addPass(createAttnSawtooth({options.sawtooth == SawtoothMode::Force}));
  if (options.traversal != TraversalOrder::Forward || wrong(options.stride) ||
      wrong(options.shift))
    pm.addPass(
        createAttnTraverse({options.traversal, options.stride, options.shift}));
}

void attn::buildKernelLowering(OpPassManager &pm,
                               const TargetOptions &options) {
  pm.addPass(createAttnSimplifyTiles());
  if (options.twoLevel)
    pm.addPass(createAttnTwoLevelSums());
  // By warps of a producer, for products of warpgroups.
  if (options.wgmma == Products::All && options.specialize)
    pm.addPass(createAttnArrangeTiles());
  // Copies by threads know no end of a row.
  if (options.streamReads && options.copy == CopyKind::Tensor)
    pm.addPass(createAttnStreamReads());
  pm.addPass(createAttnSplitColumns());
  // Rows that threads read where they need them.
  if (options.stageColumns)
    pm.addPass(createAttnStartProducts());
  pm.addPass(createAttnAssignUnits(
      {options.warps, options.wgmma, options.mxProducts}));
  if (options.specialize)
    pm.addPass(createAttnShareWeights({options.stages}));
  pm.addPass(createAttnSeparateReaders({options.stages}));
  pm.addPass(createAttnStageLoads(
      {options.stages, options.copy, options.residentStages, options.chunk,
       options.widePanels, options.stageColumns, options.holdLhs}));
  pm.addPass(createAttnAssignFragments());
  pm.addPass(createAttnDeferRowSums());
  if (options.roundedSums != RoundedSums::None)
    pm.addPass(createAttnRoundSums({options.roundedSums}));
  // The pass refuses such numbers: also where nothing else asks for it.
  if (options.optimisticMax || options.lead < 0 || options.lead > kMostLead)
    pm.addPass(
        createAttnOptimisticMax({/*positions=*/false, options.lead,
                                 options.exactPeaks, options.exactLast}));
  if (options.exchangeColumns)
    pm.addPass(createAttnExchangeColumns());
  if (options.storeTensors)
    pm.addPass(createAttnStoreTensors());
  if (options.priority != Products::None)
    pm.addPass(createAttnPrioritizeProducts({options.priority}));
  if (options.wgmma != Products::None) {
    pm.addPass(createAttnIssueDots());
    pm.addPass(createAttnStageProducts());
    if (options.delayWaits)
      pm.addPass(createAttnDelayWaits());
  }
  // The pass refuses such numbers, as above.
  if (options.specialize || !isProducerRegisters(options.producerRegisters)) {
    pm.addPass(createAttnSpecializeWarps({options.overlap, options.pingPong,
                                          options.lateTurns, options.firstRows,
                                          options.producerRegisters}));
    pm.addPass(createAttnAssignRoles({/*most=*/0}));
    if (options.additions == Additions::Copies)
      pm.addPass(createAttnStageAdditions());
  }
  pm.addPass(createAttnPrefetchToRegisters());
  // Behind what says how many slots rings have.
  if (options.wholeLines != WholeLines::None)
    pm.addPass(createAttnWholeLines({options.wholeLines}));
  pm.addPass(createAttnGuideScheduler());
}

void attn::buildSchedulePipeline(OpPassManager &pm,
                                 const ScheduleOptions &options) {
  auto strings = [](const auto &list) {
    return SmallVector<std::string>(list.begin(), list.end());
  };
  if (!options.target.empty() || !options.overrides.empty())
    pm.addPass(
        createAttnSetTarget({options.target, strings(options.overrides)}));
  pm.addPass(createAttnExpand({options.form}));
  pm.addPass(createAttnPackGroup({/*scheduled=*/!options.packGroup}));
  pm.addPass(createAttnStreamPartition(
      {strings(options.tiles), options.splits, options.splitCtas,
       options.splitLength, options.splitCluster, options.listTiles,
       options.splitResults, options.splitLast, options.streamK, options.sms,
       options.resident}));
  pm.nest<KernelOp>().addPass(
      createAttnApplySchedule({asText(statedKernelOptions(options))}));
  pm.addPass(createAttnPlaceCounters());
}

void attn::buildTargetPipeline(OpPassManager &pm,
                               const TargetOptions &options) {
  pm.nest<KernelOp>().addPass(
      createAttnApplyLowering({asText(statedOptions(options))}));
}

void attn::buildSequentialPipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid());
  pm.addPass(createConvertAttnStreamToSCF());
  pm.addPass(createAttnSequentializeRings());
  // Level 2 now, whose first two steps are done.
  buildLowerToLoopsPipeline(pm);
}

void attn::buildLowerToNVVMPipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid());
  pm.addNestedPass<KernelOp>(createAttnPlanOverlap());
  pm.addPass(createConvertAttnStreamToSCF({kMostLoops}));
  pm.addNestedPass<KernelOp>(createAttnSplitRoles());
  pm.addNestedPass<KernelOp>(createAttnOverlapSoftmax());
  pm.addNestedPass<KernelOp>(createAttnReleaseEarly());
  pm.addNestedPass<KernelOp>(createAttnPingPong());
  pm.addNestedPass<KernelOp>(createAttnSkipRescaling());
  pm.addNestedPass<KernelOp>(createAttnIntegerMaxima());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertAttnToNVVM());
  buildDeviceToLLVMPipeline(pm);
}

void attn::buildLowerToROCDLPipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid());
  pm.addPass(createConvertAttnStreamToSCF({kMostLoops}));
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<KernelOp>(createAttnPlaceBarriers());
  pm.addPass(createConvertAttnToROCDL());
  buildDeviceToLLVMPipeline(pm);
}

void attn::buildDeviceToLLVMPipeline(OpPassManager &pm) {
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertAttnDeviceToLLVM());
}

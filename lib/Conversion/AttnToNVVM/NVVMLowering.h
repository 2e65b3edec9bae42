//===- NVVMLowering.h - Pieces of the lowering to NVVM ----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_NVVMLOWERING_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_NVVMLOWERING_H

#include "../AttnToGPU/Device.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

namespace attn {
class AccumulateOp;
class LoadOp;
class StoreOp;

/// Rows and columns of the matrices of 16-bit elements that ldmatrix and
/// stmatrix move.
constexpr int64_t kMatrix = 8;

/// Threads of a warp, and the numbers of a thread in its warp and of its warp.
constexpr int64_t kWarpThreads = 32;
/// Threads of a warpgroup.
constexpr int64_t kGroupThreads = 4 * kWarpThreads;
inline mlir::Value laneOf(const ThreadBuilder &t) {
  return t.rem(t.thread(), kWarpThreads);
}
inline mlir::Value warpOf(const ThreadBuilder &t) {
  return t.div(t.thread(), kWarpThreads);
}

/// Threads that hold tiles in the function around `op`: all but a producer's.
int64_t computeThreads(mlir::Operation *op);
/// The same of all roles that compute.
int64_t allComputeThreads(mlir::Operation *op);
/// Threads of warps of the producer beside the one that copies.
int64_t besideThreads(mlir::Operation *op);
/// Which of several roles that compute a block is of.
int64_t computingRoleOf(mlir::Block *block);
/// Counts the threads of each role that computes from 0 on, when all that asks
/// for a thread is there.
void numberRoleThreads(mlir::LLVM::LLVMFuncOp function);
/// Attribute of assembly that reads a thread's number.
constexpr llvm::StringLiteral kReadsThreadAttr = "attn.reads_thread";
/// Attributes that placeRings sets: how many roles read a ring, and that an
/// acquire is of a role that fills it for others.
constexpr llvm::StringLiteral kReadersAttr = "attn.readers";
constexpr llvm::StringLiteral kFillsAloneAttr = "attn.fills_alone";
/// Instructions as text (PTX ISA). By default they are neither moved nor left
/// out.
mlir::LLVM::InlineAsmOp
assembly(mlir::OpBuilder &b, mlir::Location loc, mlir::TypeRange results,
         mlir::ValueRange operands, llvm::StringRef text,
         llvm::StringRef constraints, bool hasSideEffects = true);
/// Waits for each other of these threads.
void computeBarrier(mlir::OpBuilder &b, mlir::Location loc);
/// Waits for each other of the threads of a warpgroup that computes, for `op`.
/// With a predicate, of how many threads it is true (i32).
mlir::Value groupBarrier(mlir::OpBuilder &b, mlir::Operation *op,
                         mlir::Value predicate = {});

/// Branches of the roles of attn.specialize, and marks what the producer does,
/// of which one thread does all.
void lowerRoles(mlir::LLVM::LLVMFuncOp function);
/// Attribute of a branch of a role, all of whose regions are of one each.
constexpr llvm::StringLiteral kRoleBranchAttr = "attn.role_branch";
/// Attribute of a function whose producer, a warp, is short of registers.
constexpr llvm::StringLiteral kSharesCountersAttr = "attn.shares_counters";
/// Has rings that a role goes through in the same blocks share a counter.
void shareCounters(mlir::LLVM::LLVMFuncOp function);
/// Turns as named barriers.
void populateTurnPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// A place in the shared memory of the CTA.
mlir::Value dynamicSharedAt(mlir::OpBuilder &b, mlir::Location loc,
                            int64_t place);
/// Bytes of a barrier there.
constexpr int64_t kBarrierBytes = 8;
/// Has the first thread initialise barriers where `b` stands, in front of the
/// rings of a function, whose fence is for these, too; without rings behind
/// them is one of their own.
void initializeBarriers(mlir::OpBuilder &b, mlir::LLVM::LLVMFuncOp function,
                        llvm::function_ref<void(mlir::OpBuilder &)> body);
/// Waits until the phase of this parity of a barrier is over; `what` names the
/// barrier, for readers and for tests that drop waits.
void waitForPhase(mlir::OpBuilder &b, mlir::Location loc,
                  attn::TargetAttr target, mlir::Value barrier,
                  mlir::Value parity, llvm::StringRef what);
/// Starts asynchronous copies of the chunks of a tile, by all threads that
/// compute, to `data` in shared memory, where the tile has the type `tile`.
void copyAsync(RingIssueOp op, mlir::RankedTensorType tile, mlir::Value data,
               mlir::OpBuilder &b);
/// Numbers that a producer takes from counters for its consumers, too, through
/// shared memory behind `bytes` of it; returns the bytes in all.
int64_t lowerHandedTakes(mlir::LLVM::LLVMFuncOp function, int64_t bytes);
/// Turns of a CTA to add, which two warps of the producer give, through
/// barriers behind `bytes` of shared memory; returns the bytes in all.
int64_t lowerAddTurns(mlir::LLVM::LLVMFuncOp function, int64_t bytes);
/// Turns of groups that are passed among other instructions (`late`), through
/// barriers behind `bytes` of shared memory; returns the bytes in all, and
/// fails where steps differ.
llvm::FailureOr<int64_t> lowerLateTurns(mlir::LLVM::LLVMFuncOp function,
                                        int64_t bytes);
/// What warps that add out of rings do where CTAs add one after the other; a
/// word behind `bytes` of shared memory says how many tiles are there. Returns
/// the bytes in all.
llvm::FailureOr<int64_t> lowerAdders(mlir::LLVM::LLVMFuncOp function,
                                     int64_t bytes);
/// Attributes of what such a warp does: its number among these; and
/// of a release that only counts the slot, which another of them gives back.
constexpr llvm::StringLiteral kAdderAttr = "attn.adder";
constexpr llvm::StringLiteral kCountsAttr = "attn.counts";
/// Attribute of what such a warp does, and of a ring that it alone reads.
constexpr llvm::StringLiteral kBesideAttr = "attn.beside";
/// Attribute of attn.ring.arrange: the first of the warps that share it, and
/// how many they are; of rings between which they arrange, how many.
constexpr llvm::StringLiteral kArrangersAttr = "attn.arrangers";
/// Attributes of an operation that one thread alone reaches, or one warp.
constexpr llvm::StringLiteral kAloneAttr = "attn.alone";
constexpr llvm::StringLiteral kByWarpAttr = "attn.by_warp";
inline bool isByProducer(mlir::Operation *op) {
  return op->hasAttr(kAloneAttr) || op->hasAttr(kByWarpAttr);
}

/// Makes a function of outlineKernel a kernel for NVIDIA GPUs: its attributes,
/// those of tensor maps, dynamic shared memory and roles.
void makeKernel(mlir::LLVM::LLVMFuncOp function);

/// Attribute of a ring of whose tiles each read by threads comes before a
/// product that depends on it, and that before the release: it has arrived by
/// then.
constexpr llvm::StringLiteral kReadBeforeProducts = "attn.read_before_products";
/// Where rings lie in shared memory: set on each attn.ring.create of a function
/// as attributes, with what is known of their reads; returns the bytes in all.
int64_t placeRings(mlir::LLVM::LLVMFuncOp function);

/// Writes the rows of a tile at `from` to `to` as interleaved columns.
void arrangeTile(RingArrangeOp op, mlir::Value from, mlir::Value to,
                 mlir::OpBuilder &b);
/// Rings over mbarriers, filled by tensor maps or by asynchronous copies.
void populateRingPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Products by mma.sync with operands fetched by ldmatrix.
void populateMmaSyncPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// Conversions of tiles to FP8.
void populateFloat8Patterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// A word of four numbers of FP8 as two words of the type `to` (f16 or bf16):
/// the first and third number, and the second and fourth.
std::array<mlir::Value, 2> widenFloat8(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::Value word, mlir::Type from,
                                       mlir::Type to);
/// The lower halves of two words as one, and the upper halves.
std::array<mlir::Value, 2> exchangeHalves(mlir::OpBuilder &b,
                                          mlir::Location loc, mlir::Value first,
                                          mlir::Value second);
/// Asynchronous products by wgmma.
void populateWgmmaPatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// Loads into registers.
void populateLoadPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Neighbouring columns that a thread loads, or stores, at once, of whose bytes
/// their address is a multiple.
int64_t columnsAtOnce(LoadOp op);
int64_t columnsAtOnce(StoreOp op);
int64_t columnsAtOnce(AccumulateOp op);
/// Stores of rows as interleaved columns.
void populateStoreColumnsPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);
/// Stores, through shared memory or not, and additions.
void populateStorePatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// Whether the warps of a function can write a tile of this layout to shared
/// memory by stmatrix.
bool writesMatrices(mlir::Operation *op, FragmentAttr layout,
                    mlir::RankedTensorType shared);
/// Does so: each warp its rows.
void writeMatrices(ThreadBuilder t, FragmentAttr layout,
                   mlir::RankedTensorType shared, mlir::Value elements,
                   mlir::Value base, int64_t warps);
/// Whether threads hold pairs of neighbouring columns of a tile of f32 as a
/// matrix unit leaves them, and can write them in turn: lanes of odd rows one
/// and those of even rows the other of two that lie half a panel apart. In one
/// order for all, rows that follow each other would meet in banks.
bool writesPairs(FragmentAttr layout, mlir::RankedTensorType shared);
/// Does so.
void writePairs(ThreadBuilder t, FragmentAttr layout,
                mlir::RankedTensorType shared, mlir::Value elements,
                mlir::Value base);
/// Additions out of shared memory by the tensor memory accelerator.
void populateBulkAdditionPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);
/// Runs `body` on one thread of the CTA, or of the warp that alone reaches
/// `op`, which a producer may be by itself.
void onFirstThread(mlir::OpBuilder &b, mlir::Operation *op,
                   llvm::function_ref<void(mlir::OpBuilder &)> body);
/// Columns of accumulators that lanes exchange.
void populateExchangePatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// Stores by the tensor memory accelerator.
void populateTensorStorePatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
/// The number of the thread, read again: what follows from it is computed again
/// too, instead of being kept in registers, or spilled, across the stream.
mlir::Value readThreadAgain(mlir::OpBuilder &b, mlir::Location loc);
/// Whether a store may go through its scratch: rows of the view are whole
/// chunks of 16 bytes.
bool storesChunks(StoreOp op);
/// Converts positions to f32 once for a thread's elements, to which constants
/// are added. An instruction has room for them here; a packed addition of CDNA
/// takes each from scalar registers, of which there are too few.
void shareDistances(mlir::LLVM::LLVMFuncOp function);
/// What the threads of a warp agree on.
void populateVotePatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Products that only some rows take, as instructions under predicates.
void populatePredicatePatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
/// CTAs that wait for those in front of them.
void populateProgressPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// Places what attn.end_part hands to the threads of a CTA behind `bytes` of
/// shared memory; returns the bytes in all.
int64_t placeParts(mlir::LLVM::LLVMFuncOp function, int64_t bytes);
/// CTAs that stream parts, of which the last is to be found.
void populatePartPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Waits of persistent CTAs for each other.
void populateInStepPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_NVVMLOWERING_H

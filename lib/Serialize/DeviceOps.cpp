//===- DeviceOps.cpp - What the code generators have instructions for -----===//
//
// LLVM's code generators end the process where they have no instruction and no
// library call for an operation. Device modules are read from files, too: every
// operation is looked up before code is generated, and what is not known to
// have instructions is refused where it stands.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "attn-mlir/Target/Capabilities.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace attn {

namespace {

/// Operations of the LLVM dialect that both code generators select for every
/// type of isKnown.
const llvm::StringSet<> &plainOps() {
  static const llvm::StringSet<> names = {"add",
                                          "sub",
                                          "mul",
                                          "udiv",
                                          "sdiv",
                                          "urem",
                                          "srem",
                                          "and",
                                          "or",
                                          "xor",
                                          "shl",
                                          "lshr",
                                          "ashr",
                                          "fadd",
                                          "fsub",
                                          "fmul",
                                          "fdiv",
                                          "frem",
                                          "fneg",
                                          "icmp",
                                          "fcmp",
                                          "select",
                                          "freeze",
                                          "trunc",
                                          "zext",
                                          "sext",
                                          "fptrunc",
                                          "fpext",
                                          "sitofp",
                                          "uitofp",
                                          "fptosi",
                                          "fptoui",
                                          "ptrtoint",
                                          "inttoptr",
                                          "bitcast",
                                          "addrspacecast",
                                          "alloca",
                                          "load",
                                          "store",
                                          "getelementptr",
                                          "extractelement",
                                          "insertelement",
                                          "shufflevector",
                                          "extractvalue",
                                          "insertvalue",
                                          "br",
                                          "cond_br",
                                          "switch",
                                          "return",
                                          "unreachable",
                                          "call",
                                          "call_intrinsic",
                                          "inline_asm",
                                          "atomicrmw",
                                          "fence",
                                          "func",
                                          "mlir.constant",
                                          "mlir.undef",
                                          "mlir.poison",
                                          "mlir.zero",
                                          "mlir.addressof",
                                          "mlir.global",
                                          "intr.fabs",
                                          "intr.fma",
                                          "intr.fmuladd",
                                          "intr.sqrt",
                                          "intr.copysign",
                                          "intr.floor",
                                          "intr.ceil",
                                          "intr.trunc",
                                          "intr.rint",
                                          "intr.nearbyint",
                                          "intr.roundeven",
                                          "intr.minnum",
                                          "intr.maxnum",
                                          "intr.minimum",
                                          "intr.maximum",
                                          "intr.smin",
                                          "intr.smax",
                                          "intr.umin",
                                          "intr.umax",
                                          "intr.abs",
                                          "intr.ctpop",
                                          "intr.ctlz",
                                          "intr.cttz",
                                          "intr.fshl",
                                          "intr.fshr",
                                          "intr.assume",
                                          "intr.expect",
                                          "intr.vector.reduce.add",
                                          "intr.vector.reduce.and",
                                          "intr.vector.reduce.fadd",
                                          "intr.vector.reduce.fmax",
                                          "intr.vector.reduce.fmaximum",
                                          "intr.vector.reduce.fmin",
                                          "intr.vector.reduce.fminimum",
                                          "intr.vector.reduce.fmul",
                                          "intr.vector.reduce.mul",
                                          "intr.vector.reduce.or",
                                          "intr.vector.reduce.smax",
                                          "intr.vector.reduce.smin",
                                          "intr.vector.reduce.umax",
                                          "intr.vector.reduce.umin",
                                          "intr.vector.reduce.xor",
                                          "intr.sadd.sat",
                                          "intr.ssub.sat",
                                          "intr.uadd.sat",
                                          "intr.usub.sat",
                                          "intr.bitreverse",
                                          "intr.bswap",
                                          "intr.is.fpclass",
                                          "intr.lifetime.start",
                                          "intr.lifetime.end"};
  return names;
}

/// An operation, or an intrinsic that is called by its name, and the capability
/// whose architectures have it (wantedArch); empty for those that all have.
struct Known {
  StringRef name, capability;
};

constexpr Known kNVIDIA[] = {
    {"nvvm.barrier", ""},
    {"nvvm.barrier0", ""},
    {"nvvm.barrier.arrive", ""},
    {"nvvm.bar.warp.sync", ""},
    {"nvvm.cluster.arrive", "cluster"},
    {"nvvm.cluster.arrive.relaxed", "cluster"},
    {"nvvm.cluster.wait", "cluster"},
    {"nvvm.convert.f32x2.to.f8x2", "mma.sync.f8"},
    {"nvvm.convert.f8x2.to.f16x2", "mma.sync.f8"},
    {"nvvm.cp.async.bulk.commit.group", "tma"},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", "tma"},
    {"nvvm.cp.async.bulk.tensor.reduce", "tma"},
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", "tma"},
    {"nvvm.cp.async.bulk.wait_group", "tma"},
    {"nvvm.cp.async.mbarrier.arrive", "cp.async"},
    {"nvvm.cp.async.shared.global", "cp.async"},
    {"nvvm.elect.sync", "tma"},
    {"nvvm.fence.mbarrier.init", "tma"},
    {"nvvm.fence.proxy", "tma"},
    {"nvvm.fence.sync_restrict", "cluster"},
    {"nvvm.griddepcontrol", "tma"},
    {"nvvm.ldmatrix", "ldmatrix"},
    {"nvvm.mapa", "cluster"},
    {"nvvm.mbarrier.arrive", "cp.async"},
    {"nvvm.mbarrier.arrive.expect_tx", "tma"},
    {"nvvm.mbarrier.init", "cp.async"},
    {"nvvm.mma.block_scale", "mma.sync.mx"},
    {"nvvm.mma.sync", "mma.sync"},
    {"nvvm.nanosleep", ""},
    {"nvvm.prmt", ""},
    {"nvvm.read.ptx.sreg.clock", ""},
    {"nvvm.read.ptx.sreg.clock64", ""},
    {"nvvm.read.ptx.sreg.cluster.ctaid.x", "cluster"},
    {"nvvm.read.ptx.sreg.cluster.nctaid.x", "cluster"},
    {"nvvm.read.ptx.sreg.ctaid.x", ""},
    {"nvvm.read.ptx.sreg.ctaid.y", ""},
    {"nvvm.read.ptx.sreg.ctaid.z", ""},
    {"nvvm.read.ptx.sreg.globaltimer", ""},
    {"nvvm.read.ptx.sreg.laneid", ""},
    {"nvvm.read.ptx.sreg.lanemask.eq", ""},
    {"nvvm.read.ptx.sreg.lanemask.ge", ""},
    {"nvvm.read.ptx.sreg.lanemask.gt", ""},
    {"nvvm.read.ptx.sreg.lanemask.le", ""},
    {"nvvm.read.ptx.sreg.lanemask.lt", ""},
    {"nvvm.read.ptx.sreg.nctaid.x", ""},
    {"nvvm.read.ptx.sreg.nctaid.y", ""},
    {"nvvm.read.ptx.sreg.nctaid.z", ""},
    {"nvvm.read.ptx.sreg.nsmid", ""},
    {"nvvm.read.ptx.sreg.ntid.x", ""},
    {"nvvm.read.ptx.sreg.ntid.y", ""},
    {"nvvm.read.ptx.sreg.ntid.z", ""},
    {"nvvm.read.ptx.sreg.smid", ""},
    {"nvvm.read.ptx.sreg.tid.x", ""},
    {"nvvm.read.ptx.sreg.tid.y", ""},
    {"nvvm.read.ptx.sreg.tid.z", ""},
    {"nvvm.read.ptx.sreg.warpid", ""},
    {"nvvm.read.ptx.sreg.warpsize", ""},
    {"nvvm.setmaxregister", "setmaxnreg"},
    {"nvvm.shfl.sync", ""},
    {"nvvm.stmatrix", "tma"},
    {"nvvm.vote.sync", ""},
    {"llvm.intr.tanh", ""},
    {"llvm.nvvm.barrier.cta.red.popc.aligned.count", ""},
    {"llvm.nvvm.ex2.approx.ftz.f", ""},
    {"llvm.nvvm.fabs", ""},
    {"llvm.nvvm.fmax.nan.f", ""},
    {"llvm.nvvm.lg2.approx.ftz.f", ""},
    {"llvm.nvvm.rcp.approx.ftz.f", ""}};

/// All of CDNA 3.
constexpr Known kAMD[] = {{"rocdl.ballot", ""},
                          {"rocdl.cvt.pk.bf8.f32", ""},
                          {"rocdl.cvt.pk.fp8.f32", ""},
                          {"rocdl.ds.read.tr16.b64", "lds-transpose"},
                          {"rocdl.ds_bpermute", ""},
                          {"rocdl.ds_swizzle", ""},
                          {"rocdl.iglp.opt", ""},
                          {"rocdl.make.buffer.rsrc", ""},
                          {"rocdl.mfma.f32.16x16x16bf16.1k", ""},
                          {"rocdl.mfma.f32.16x16x16f16", ""},
                          {"rocdl.mfma.f32.16x16x32.bf16", "mfma-deep"},
                          {"rocdl.mfma.f32.16x16x32.bf8.bf8", ""},
                          {"rocdl.mfma.f32.16x16x32.f16", "mfma-deep"},
                          {"rocdl.mfma.f32.16x16x32.fp8.fp8", ""},
                          {"rocdl.mfma.f32.32x32x16.bf16", "mfma-deep"},
                          {"rocdl.mfma.f32.32x32x16.bf8.bf8", ""},
                          {"rocdl.mfma.f32.32x32x16.f16", "mfma-deep"},
                          {"rocdl.mfma.f32.32x32x16.fp8.fp8", ""},
                          {"rocdl.mfma.f32.32x32x8bf16.1k", ""},
                          {"rocdl.mfma.f32.32x32x8f16", ""},
                          {"rocdl.raw.ptr.buffer.load", ""},
                          {"rocdl.raw.ptr.buffer.load.lds", "lds-loads-16"},
                          {"rocdl.readfirstlane", ""},
                          {"rocdl.s.barrier", ""},
                          {"rocdl.s.setprio", ""},
                          {"rocdl.s.waitcnt", ""},
                          {"rocdl.sched.barrier", ""},
                          {"rocdl.workgroup.id.x", ""},
                          {"rocdl.workgroup.id.y", ""},
                          {"rocdl.workgroup.id.z", ""},
                          {"rocdl.workitem.id.x", ""},
                          {"rocdl.workitem.id.y", ""},
                          {"rocdl.workitem.id.z", ""},
                          {"llvm.amdgcn.exp2", ""},
                          {"llvm.amdgcn.log", ""},
                          {"llvm.amdgcn.perm", ""},
                          {"llvm.amdgcn.rcp", ""},
                          {"llvm.amdgcn.sbfe.i32", ""}};

/// Whether there are registers for values of a type, among them addresses in
/// `clusters` of CTAs.
bool isKnown(Type type, bool clusters) {
  auto isElement = [&](Type element) { return isKnown(element, clusters); };
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return true;
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && isElement(vector.getElementType());
  // Generic, global, shared, constant and private memory, buffers.
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return (clusters && pointer.getAddressSpace() == 7) ||
           llvm::is_contained({0, 1, 3, 4, 5, 8}, pointer.getAddressSpace());
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return isElement(array.getElementType());
  if (auto body = dyn_cast<LLVM::LLVMStructType>(type))
    return !body.isOpaque() && llvm::all_of(body.getBody(), isElement);
  return isa<LLVM::LLVMVoidType>(type);
}

LogicalResult checkTypes(Operation *op, bool clusters) {
  auto check = [&](Type type) -> LogicalResult {
    if (isKnown(type, clusters))
      return success();
    return op->emitOpError(
               "expected types that a GPU has registers for (integers "
               "of up to 64 bits, f16, bf16, f32, f64), but got ")
           << type;
  };
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (failed(check(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(check(type)))
          return failure();
  return success();
}

class Checker {
public:
  Checker(StringRef vendor, StringRef arch, ArrayRef<Known> known,
          ArrayRef<StringRef> scopes)
      : vendor(vendor), arch(arch), known(known), scopes(scopes) {}

  LogicalResult check(gpu::GPUModuleOp module) const {
    WalkResult result = module.walk([&](Operation *op) {
      return op == module || succeeded(check(op)) ? WalkResult::advance()
                                                  : WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult check(Operation *op) const {
    StringRef name = op->getName().getStringRef();
    // No gfx architecture is one of those that have them.
    bool clusters = wantedArch(arch, "cluster").empty();
    if (failed(checkTypes(op, clusters)) || failed(checkScope(op)))
      return failure();
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      return checkName(op, call.getIntrin());
    if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op))
      return checkCast(cast);
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      return checkFunction(function);
    if (auto tanh = dyn_cast<LLVM::TanhOp>(op))
      return checkTanh(tanh);
    if (name.consume_front("llvm.") && plainOps().contains(name))
      return success();
    return checkName(op, op->getName().getStringRef());
  }

  /// An approximation is an instruction; any other is a call of a library.
  LogicalResult checkTanh(LLVM::TanhOp tanh) const {
    if (failed(checkName(tanh, tanh->getName().getStringRef())))
      return failure();
    if (tanh.getType().isF32() &&
        bitEnumContainsAll(tanh.getFastmathFlags(), LLVM::FastmathFlags::afn))
      return success();
    return tanh.emitOpError("expected an f32 and the flag 'afn', for which "
                            "GPUs have an instruction, but got ")
           << tanh.getType() << " with '"
           << LLVM::stringifyFastmathFlags(tanh.getFastmathFlags()) << "'";
  }

  LogicalResult checkName(Operation *op, StringRef name) const {
    const auto *it =
        llvm::find_if(known, [&](const Known &k) { return k.name == name; });
    if (it == known.end())
      return op->emitOpError("expected an operation that is known to have "
                             "instructions on ")
             << vendor << " GPUs, but got '" << name << "'";
    std::string wanted = wantedArch(arch, it->capability);
    if (wanted.empty())
      return success();
    return op->emitOpError("expected the architecture ")
           << wanted << ", but got '" << arch << "'";
  }

  LogicalResult checkScope(Operation *op) const {
    auto scope = op->getAttrOfType<StringAttr>("syncscope");
    if (!scope || llvm::is_contained(scopes, scope.getValue()))
      return success();
    return op->emitOpError("expected one of the scopes ")
           << llvm::join(scopes, ", ") << " of " << vendor << " GPUs, but got '"
           << scope.getValue() << "'";
  }

  static LogicalResult checkCast(LLVM::AddrSpaceCastOp op) {
    auto space = [](Value pointer) {
      Type type = pointer.getType();
      if (auto vector = dyn_cast<VectorType>(type))
        type = vector.getElementType();
      return cast<LLVM::LLVMPointerType>(type).getAddressSpace();
    };
    unsigned from = space(op.getArg()), to = space(op.getRes());
    if ((from == 0 || to == 0) && std::max(from, to) <= 5)
      return success();
    return op.emitOpError(
               "expected generic pointers on one side, but got address "
               "spaces ")
           << from << " and " << to;
  }

  /// A function could name an intrinsic, or another processor.
  static LogicalResult checkFunction(LLVM::LLVMFuncOp op) {
    if (op.getSymName().starts_with("llvm."))
      return op.emitOpError(
                 "expected a name that is not an intrinsic's, but got '")
             << op.getSymName() << "'";
    for (StringRef attribute : {"target_cpu", "target_features", "personality"})
      if (op->hasAttr(attribute))
        return op.emitOpError("expected no attribute '") << attribute << "'";
    for (Attribute entry : op.getPassthroughAttr()
                               ? op.getPassthroughAttr().getValue()
                               : ArrayRef<Attribute>()) {
      auto pair = dyn_cast<ArrayAttr>(entry);
      auto key = dyn_cast<StringAttr>(pair && !pair.empty() ? pair[0] : entry);
      if (key && key.getValue().starts_with("target-"))
        return op.emitOpError("expected no attribute '")
               << key.getValue() << "'";
    }
    if (op.isVarArg())
      return op.emitOpError("expected a fixed number of arguments");
    return success();
  }

  StringRef vendor, arch;
  ArrayRef<Known> known;
  ArrayRef<StringRef> scopes;
};

} // namespace

LogicalResult checkForNVIDIA(gpu::GPUModuleOp module, StringRef arch) {
  StringRef scopes[] = {"singlethread", "block", "device"};
  return Checker("NVIDIA", arch, kNVIDIA, scopes).check(module);
}

LogicalResult checkForAMD(gpu::GPUModuleOp module, StringRef arch) {
  StringRef scopes[] = {"singlethread", "wavefront", "workgroup", "agent"};
  return Checker("AMD", arch, kAMD, scopes).check(module);
}

} // namespace attn

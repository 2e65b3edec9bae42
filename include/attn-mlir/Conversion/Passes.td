//===- Passes.td - Conversions out of the dialect -----------*- tablegen -*-===//

#ifndef ATTN_CONVERSION_PASSES
#define ATTN_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAttnStreamToSCF : Pass<"convert-attn-stream-to-scf"> {
  let summary = "Lower streams to loops over segments and tiles";
  let description = [{
    `attn.stream` becomes a loop over its segments around a loop over the tiles
    of a segment, or, of few segments, a loop for each. The direction changes start and step, never the body; a
    stream with masked and unmasked segments has one body of each kind, of which
    `scf.if` picks one a segment. In the masked body `attn.mask` becomes a
    select against -inf, in the other it disappears.

    Before: `attn.stream %j step 64 traversal #attn.reversed(%r : i1) over [%a to %b, masked %b to %c] ...`

    After: `scf.for %s = %c0 to %c2 { ... scf.if %masked { scf.for ... } else { scf.for ... } }`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"mostLoops", "most-loops", "int64_t", /*default=*/"0",
           "Most loops one behind the other for the segments of a stream (0: 2, where one "
           "is masked and one is not; 3, where a producer fills the rings)">
  ];
  let statistics = [Statistic<"numStreams", "streams", "Streams lowered">];
}

def AttnSequentializeRings : Pass<"attn-sequentialize-rings", "::mlir::ModuleOp"> {
  let summary = "Make level 3 run on one thread of the CPU, with its errors";
  let description = [{
    For kernels whose grid is materialised and whose streams are loops. What level 3
    adds to level 2 becomes what `convert-attn-to-cpu` knows, so that an error in a
    protocol or a layout gives wrong results on every machine, not only now and
    then on a GPU:

    - a ring becomes memory of the CTA, with tiles in their `#attn.shared`
      layout, and counts of the slots acquired, landed, waited for and released;
    - `issue` copies at once; a tile is read where it is used. Slots hold NaN
      before a copy is issued into them, after `release`, and after
      `attn.store ... through` them;
    - a slot that is acquired with another number of slots under way than `ahead`,
      waited for before a copy landed, released before it was waited for or used
      after it was released is reported by a call of `attn_ring_error(ring, error)` (`attn::RingError`). The
      kernel goes on, with NaN;
    - layouts of tiles in registers are dropped: `attn.convert_layout` is a read or
      nothing, `attn.reduce_registers sum` a product with a matrix of zeros and
      ones that says which thread of a row holds a column.

    Does nothing to kernels without rings and layouts.

    Before: `%t = attn.ring.wait %r ...; %s = attn.dot %q, %t, %zero ...; attn.ring.release %r`

    After: loads of the ring's memory in front of the `attn.dot`, stores of NaN
    behind it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numRings", "rings", "Rings made memory">];
}

def ConvertAttnToCPU : Pass<"convert-attn-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to functions over a range of CTAs, for the CPU";
  let description = [{
    For a kernel `@k(views, scalars)` whose grid is materialised and whose streams
    are loops, makes

    - `func @k(%begin, %end, memrefs, scalars)`, which runs the CTAs of a range,
      so that threads share a grid by taking ranges, and
    - `func @k_ctas(memrefs, scalars) -> index`, their number.

    Views become memrefs with dynamic strides; tiles stay tensors, and tile
    operations become `linalg`. Dots multiply and add in f32 whatever their element type.
    `attn.touch` becomes a call of `attn_touch(cta, kind, view, 5 offsets,
    bytes)`. `attn.launch` on memrefs becomes calls of the two functions; on tensors
    it stays: bufferize, and run the pass again.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels lowered">];
}

def AttnOutlineForCPU : Pass<"attn-outline-for-cpu", "::mlir::ModuleOp"> {
  let summary = "Put each kernel into a module of its own, for code that the CPU loads";
  let description = [{
    A kernel `@k` whose grid is materialised moves into a nested module `@k_device`, and says in
    `attn.manifest` what a launcher calls it with (docs/bundle.md): views, scalars, the number
    of CTAs as an expression, and the parameters. The functions around kernels stay, on
    tensors: of these a bundle's programs are made.

    Before: `attn.kernel @k(...) { ... }`

    After: `module @k_device { attn.kernel @k(...) attributes {attn.manifest = {...}} { ... } }`
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels outlined">];
}

def AttnWrapForCPU : Pass<"attn-wrap-for-cpu", "::mlir::ModuleOp"> {
  let summary = "Give kernels for the CPU one signature";
  let description = [{
    A kernel in the LLVM dialect that has a manifest, and that takes a range of CTAs, memrefs and scalars,
    becomes internal. What a launcher calls in its place is `@k(i64 begin, i64 end, ptr
    parameters)`, where `parameters` points to an array of pointers to the parameters of the
    manifest, as those of a kernel for a GPU do. Functions for callers on this machine
    (`_mlir_ciface_*`, `*_ctas`) go.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels wrapped">];
}

def ConvertAttnToNVVM : Pass<"convert-attn-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower level 3 to device functions for NVIDIA GPUs";
  let description = [{
    Each kernel whose tiles lie in registers and rings becomes a `gpu.module` with
    an `llvm.func`. A thread computes the elements that it holds, as vectors;
    products become `mma.sync.m16n8k16` with operands by `ldmatrix`; rings become
    shared memory with a full and an empty mbarrier a stage, filled through
    tensor maps by one thread or by asynchronous copies of all; exponentials
    become `ex2.approx`. Views become the pointers, sizes, strides and tensor maps
    that are used of them, and `attn.manifest` says which (docs/bundle.md).

    What the target lacks, and shared memory beyond what a CTA may have, is an
    error.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `nvvm.ldmatrix ...`, `nvvm.mma.sync A[...] B[...] C[...] ...`
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels lowered">];
}

def ConvertAttnToROCDL : Pass<"convert-attn-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "Lower level 3 to device functions for AMD GPUs";
  let description = [{
    Each kernel whose tiles lie in registers and rings becomes a `gpu.module` with
    an `llvm.func`, as by `convert-attn-to-nvvm`. Products become MFMA (32x32x8 or
    16x16x16, by the layout of the result), computed transposed, with operands from
    LDS in loads of 16 bytes; rings become LDS whose `acquire` and `wait` are
    barriers, filled by raw buffer loads to registers and writes from there; rows
    are reduced across lanes by `ds_swizzle` and `ds_bpermute`; exponentials become
    `v_exp_f32`. What lies outside of a view is read as zero by the bounds of a buffer.

    What the target lacks, and LDS beyond what a CTA may have, is an error.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `llvm.load ... : !llvm.ptr<3> -> vector<8xbf16>`, `rocdl.mfma.f32.32x32x8bf16.1k ...`
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::ROCDL::ROCDLDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels lowered">];
}

def ConvertAttnDeviceToLLVM : Pass<"convert-attn-device-to-llvm",
                                   "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower device functions to the LLVM and NVVM or ROCDL dialects";
  let description = [{
    Loops, branches, arithmetic, vectors and GPU operations of device functions
    become the LLVM dialect, and NVVM operations that have no intrinsic become
    inline PTX: the conversions of upstream MLIR, run as one. Indices are 32
    bits wide.

    Before: `scf.for %i = %a to %b step %c { ... nvvm.mbarrier.try_wait.parity ... }`

    After: `llvm.br ^bb1(...)`, `llvm.inline_asm ... "mbarrier.try_wait.parity ..."`
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::ROCDL::ROCDLDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def AttnOutlinePrograms : Pass<"attn-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Put operations of level 1 into a module of programs, and launch these";
  let description = [{
    For a module that holds other operations, too. Each streamable operation in a function, at
    whatever depth, becomes a function of its own in a nested module, which has the
    attributes of the module around (its target): what a bundle is compiled of
    (`attn-embed-programs`). In its place stands an `attn.launch` of that program, which
    bufferizes as launches of kernels do. The program is declared in the module around by
    a function without a body that takes its views and scalars and names the bundle.

    Constants that the operation takes go with it; other scalars are passed. Sizes of
    results follow from those of operands, by the operation's maps.

    Does nothing to a module without streamable operations.

    Before: `%o = attn.attention %q, %k, %v scale(0.125) : ...`

    After: `%o = attn.launch @f_attention ins(%q, %k, %v : ...) outs(%e : ...) views [...] -> ...`, with
    `func.func private @f_attention(!attn.view<...>, ...) attributes {attn.program = @attn_programs}` and
    `module @attn_programs { func.func @f_attention(...) { attn.attention ... } }`
  }];
  let dependentDialects = ["::attn::AttnDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [Option<"bundle", "bundle", "std::string", /*default=*/"\"attn_programs\"",
                        "Name of the module of programs, if it is free">];
  let statistics = [Statistic<"numPrograms", "programs", "Operations outlined">];
}

def AttnExpandCopies : Pass<"attn-expand-copies"> {
  let summary = "Copies between strided buffers to linalg";
  let description = [{
    A `memref.copy` of which one side is not contiguous becomes a `linalg.generic`. Upstream's conversion
    makes of it a call of `memrefCopy`, a function of a library of MLIR's that an object file for
    others does not want to depend on. Copies between contiguous buffers stay: they become
    `memcpy`.

    Before: `memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>`

    After: `linalg.generic ... ins(%a : ...) outs(%b : ...) { linalg.yield ... }`
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [Statistic<"numCopies", "copies", "Copies expanded">];
}

def ConvertAttnToHost : Pass<"convert-attn-to-host", "::mlir::ModuleOp"> {
  let summary = "Launches of programs to calls of the launcher, with the caller's memory";
  let description = [{
    For functions on buffers whose control flow is branches (`convert-scf-to-cf`) and a bundle that is
    embedded (`attn-embed-programs`). Code for the host comes out of it; whatever else is in the functions
    stays as it is, for conversions of others.

    - A launch of a program becomes a call of `attnHostLaunch` (`attn-mlir-c/Host.h`), with an
      `AttnTensor` for each operand, whose sizes and strides are those of the memref.
    - `memref.alloc` and `memref.dealloc` in functions around launches become calls of
      `attnHostAllocate` and `attnHostFree`: memory is the caller's to give.
    - Where one of these fails, its function returns at once, and so do its callers: functions that
      launch, allocate or free, and those that call such, take the call that they are part
      of in front of their arguments, and return a status behind their results.
    - A public one of these stays what others call: `@f(hooks, arguments) -> i32` begins a call with the
      `AttnHostHooks` that it is given (null: the defaults), ends it, which frees what a
      failure left, and returns its `AttnStatus`. It has no results of its own
      (`buffer-results-to-out-params`). `llvm.emit_c_interface` stays on it.
    - For each bundle there is an `AttnHostModule`, in which the library opens programs once, whatever
      thread comes first.

    The target goes with the last operation of the dialect, so that what has no such dialect reads
    the module. Does nothing to a module without launches of programs. Launches of kernels that are part of
    the module stay.

    Before: `attn.launch @f_attention ins(%q, %k, %v : memref<...>, ...) outs(%o : memref<...>) views [...]`

    After: `%s = llvm.call @attnHostLaunch(%call, %module, %name, %tensors, %c4, %scalars, %c0)`,
    `cf.cond_br %failed, ^exit(%s : i32), ^next`
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::ub::UBDialect"
  ];
  let options = [Option<"unload", "unload", "std::string", /*default=*/"\"\"",
                        "Name of a function to make, void(void), that unloads the bundles">];
  let statistics = [Statistic<"numLaunches", "launches", "Launches converted">];
}

def ConvertAttnLaunchToGPU : Pass<"convert-attn-launch-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Launches of device functions to gpu.launch_func";
  let description = [{
    For embedders whose own runtime launches what MLIR's GPU dialect says, in place of the launcher. A launch on
    buffers of a kernel that is a device function becomes a `gpu.launch_func`, whose grid, block, shared
    memory and parameters are what the kernel's manifest says, as arithmetic on the sizes, strides and
    addresses of the memrefs. An empty grid is branched around. Buffers are where the device can
    address them.

    With `checks` what a launcher would refuse is a `cf.assert`: sizes beyond the limits of the code, and
    addresses and strides that are not aligned as it asks. Without, it is the embedder's to keep.

    A kernel that takes a tensor map is an error: only a driver makes one.

    Before: `attn.launch @k ins(%q, ... : memref<...>, ...) outs(%o : memref<...>) views [...]`

    After: `gpu.launch_func @k_device::@k blocks in (%grid, %c1, %c1) threads in (%c256, %c1, %c1)
    dynamic_shared_memory_size %bytes args(%p : !llvm.ptr, %n : i64, ...)`
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let options = [Option<"checks", "checks", "bool", /*default=*/"true",
                        "Assert what a launcher checks">];
  let statistics = [Statistic<"numLaunches", "launches", "Launches converted">];
}

def AttnExpandFloat8 : Pass<"attn-expand-float8", "::mlir::ModuleOp"> {
  let summary = "Conversions between f32 and FP8 as integer arithmetic";
  let description = [{
    Processors have no conversions of FP8, and MLIR expands none. `arith.extf` and `arith.truncf`
    of f8E4M3FN, f8E5M2 and f8E4M3FNUZ, to and from f32, f16 and bf16, become operations on the
    bits. Rounding is to nearest, ties to even; what is beyond the largest number becomes the
    largest one (infinities too), as GPUs convert, and NaN stays NaN.

    Wants scalars: behind `convert-linalg-to-loops`. Does nothing to other types.

    Before: `%y = arith.truncf %x : f32 to f8E4M3FN`

    After: `%b = arith.bitcast %x : f32 to i32; ...; %y = arith.bitcast %n : i8 to f8E4M3FN`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Conversions expanded">];
}

def AttnVectorizeProducts : Pass<"attn-vectorize-products", "::mlir::ModuleOp"> {
  let summary = "Products of tiles on the CPU in vectors";
  let description = [{
    A `linalg.generic` on buffers that adds products to a result in f32, in the order (row, sum, column) that
    `convert-attn-to-cpu` gives `attn.dot`, becomes loops in which a block of the result, of up to 64 numbers, stays in
    vectors while the sum runs: up to 16 columns, and rows of which each multiplies one number by the vector of the
    right-hand side. Terms are added in the order that they had, each by `vector.fma`.

    Wants static sizes, columns that 4 divides, and buffers of whole rows; other products stay as they are.

    Before: `linalg.generic ... ins(%a, %b : memref<128x64xf32>, memref<64x128xf32>) outs(%c : memref<128x128xf32>)`

    After: `%sums:4 = scf.for %k = %c0 to %c64 step %c1 iter_args(...) { ...; vector.fma ... : vector<16xf32> }`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numProducts", "products", "Products in vectors">];
}

def AttnVectorizeReductions : Pass<"attn-vectorize-reductions", "::mlir::ModuleOp"> {
  let summary = "Sums and maxima of rows on the CPU in vectors";
  let description = [{
    A `linalg.generic` on buffers that reduces rows of f32 by `arith.maximumf`, or by an `arith.addf` that may be reassociated,
    becomes a loop over vectors of up to 16 columns, which are reduced at the end of each row. Wants static sizes, columns that
    4 divides, and buffers of whole rows; others stay as they are.

    Before: `linalg.generic ... ins(%t : memref<128x64xf32>) outs(%r : memref<128xf32>)`

    After: `%v = scf.for ... { ...; arith.maximumf ... : vector<16xf32> }; %m = vector.reduction <maximumf>, %v, %before`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numReductions", "reductions", "Reductions in vectors">];
}

def AttnExpandExponentials : Pass<"attn-expand-exponentials", "::mlir::ModuleOp"> {
  let summary = "Exponentials on the CPU as arithmetic";
  let description = [{
    `math.exp2` of f32 becomes additions, products and shifts, which LLVM vectorizes, where it is a call of the C library
    otherwise. The result is off by at most two units in the last place, and exact where the exponent is an integer; it is 0
    or a subnormal number, infinite and NaN where it should be.

    Wants scalars: behind `convert-linalg-to-loops`. Does nothing to other types.

    Before: `%y = math.exp2 %x : f32`

    After: `%p = math.fma %f, %p6, %c : f32; ...; %y = arith.mulf %p, %factor : f32`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Exponentials expanded">];
}

#endif // ATTN_CONVERSION_PASSES

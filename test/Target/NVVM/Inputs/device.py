"""Writes device modules by hand, each with one operation that some architecture has no instructions for."""

import sys

ARCHES = {"nvvm": ("h200", "nvvm.kernel"), "rocdl": ("mi300x", "rocdl.kernel")}
BODIES = {
    "nvvm": {
        "elect": "%x = nvvm.elect.sync -> i1\nllvm.store volatile %x, %p : i1, !llvm.ptr<1>",
        "setmaxnreg": "nvvm.setmaxregister increase 240",
        "tcgen05": "nvvm.tcgen05.relinquish_alloc_permit",
        "wgmma": "nvvm.wgmma.fence.aligned",
        "sin": "%x = llvm.intr.sin(%f) : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "tanh": "%x = llvm.intr.tanh(%f) : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "doubletanh": "%d = llvm.fpext %f : f32 to f64\n%x = llvm.intr.tanh(%d) {fastmathFlags = #llvm.fastmath<afn>} : (f64) -> f64"
                      "\nllvm.store volatile %x, %p : f64, !llvm.ptr<1>",
        "pow": "%x = llvm.intr.pow(%f, %f) : (f32, f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "wide": "%x = llvm.sext %i : i32 to i128\n%y = llvm.sdiv %x, %x : i128\nllvm.store volatile %y, %p : i128, !llvm.ptr<1>",
        "extended": "%x = llvm.fpext %f : f32 to f80\nllvm.store volatile %x, %p : f80, !llvm.ptr<1>",
        "quadruple": "%x = llvm.fpext %f : f32 to f128\nllvm.store volatile %x, %p : f128, !llvm.ptr<1>",
        "scalable": "%x = llvm.mlir.undef : vector<[4]xf32>\nllvm.store volatile %x, %p : vector<[4]xf32>, !llvm.ptr<1>",
        "intrinsic": '%x = llvm.call_intrinsic "llvm.amdgcn.rcp"(%f) : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>',
        "unknown": '%x = llvm.call_intrinsic "llvm.nothing"(%f) : (f32) -> f32',
        "space": "%x = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr<3>\nllvm.store volatile %x, %p : !llvm.ptr<3>, !llvm.ptr<1>",
        "spaces": "%x = llvm.mlir.undef : !llvm.ptr<77>\nllvm.store volatile %x, %p : !llvm.ptr<77>, !llvm.ptr<1>",
        "scope": 'llvm.fence syncscope("agent") acquire',
        "stack": "%x = llvm.intr.stacksave : !llvm.ptr\nllvm.store volatile %x, %p : !llvm.ptr, !llvm.ptr<1>",
    },
    "rocdl": {
        "wmma": "%x = llvm.mlir.undef : vector<8xf32>\n%z = llvm.mlir.undef : vector<16xf16>\n"
                "%y = rocdl.wmma.f32.16x16x16.f16 %z, %z, %x : (vector<16xf16>, vector<16xf16>, vector<8xf32>) -> "
                "vector<8xf32>\nllvm.store volatile %y, %p : vector<8xf32>, !llvm.ptr<1>",
        "cluster": "%x = rocdl.cluster.id.x : i32\nllvm.store volatile %x, %p : i32, !llvm.ptr<1>",
        "tanh": "%x = llvm.intr.tanh(%f) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "tan": "%x = llvm.intr.tan(%f) : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "pow": "%x = llvm.intr.pow(%f, %f) : (f32, f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>",
        "wide": "%x = llvm.sext %i : i32 to i128\n%y = llvm.sdiv %x, %x : i128\nllvm.store volatile %y, %p : i128, !llvm.ptr<1>",
        "extended": "%x = llvm.fpext %f : f32 to f80\nllvm.store volatile %x, %p : f80, !llvm.ptr<1>",
        "scalable": "%x = llvm.mlir.undef : vector<[4]xf32>\nllvm.store volatile %x, %p : vector<[4]xf32>, !llvm.ptr<1>",
        "intrinsic": '%x = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%f) : (f32) -> f32\nllvm.store volatile %x, %p : f32, !llvm.ptr<1>',
        "space": "%x = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr<3>\nllvm.store volatile %x, %p : !llvm.ptr<3>, !llvm.ptr<1>",
        "scope": 'llvm.fence syncscope("device") acquire',
    },
}

directory, vendor, arch = sys.argv[1:]
target, kernel = ARCHES[vendor]
for name, body in BODIES[vendor].items():
    with open(f"{directory}/{name}.mlir", "w") as file:
        file.write(f"""module attributes {{attn.target = #attn.target<"{target}", arch = "{arch}">}} {{
  gpu.module @m {{
    llvm.func @k(%f: f32, %i: i32, %p: !llvm.ptr<1>) attributes {{attn.manifest = {{parameters = [], views = [], scalars = []}}, {kernel}}} {{
      {body}
      llvm.return
    }}
  }}
}}
""")

// No instruction of a CPU is this intrinsic: LLVM's code generator ends the process.
module attributes {attn.target = #attn.target<"cpu">} {
  module @k_device {
    llvm.func @k(%begin: i64, %end: i64, %parameters: !llvm.ptr) attributes {
        attn.manifest = {block = 1, grid = 1, parameters = [], shared_bytes = 0,
                         views = [!attn.view<4xf32>], scalars = []}} {
      %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
      llvm.store %thread, %parameters : i32, !llvm.ptr
      llvm.return
    }
  }
}

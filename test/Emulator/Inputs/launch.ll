; What a kernel finds in its registers and memory when it starts.

target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

; out[linear id] = the six ids as decimal digits: item x, y, z, group x, y, z.
define amdgpu_kernel void @ids(ptr addrspace(1) %out) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %y4 = mul i32 %y, 4
  %z8 = mul i32 %z, 8
  %gx16 = mul i32 %gx, 16
  %gy32 = mul i32 %gy, 32
  %i0 = add i32 %x, %y4
  %i1 = add i32 %i0, %z8
  %i2 = add i32 %i1, %gx16
  %i = add i32 %i2, %gy32
  %d0 = mul i32 %x, 100000
  %d1 = mul i32 %y, 10000
  %d2 = mul i32 %z, 1000
  %d3 = mul i32 %gz, 100
  %d4 = mul i32 %gy, 10
  %s0 = add i32 %d0, %d1
  %s1 = add i32 %s0, %d2
  %s2 = add i32 %s1, %d3
  %s3 = add i32 %s2, %d4
  %s = add i32 %s3, %gx
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; Block counts and group sizes, from the hidden arguments.
define amdgpu_kernel void @hidden(ptr addrspace(1) %out) {
  %h = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %counts = load <3 x i32>, ptr addrspace(4) %h, align 4
  %ps = getelementptr i8, ptr addrspace(4) %h, i32 12
  %sizes = load <3 x i16>, ptr addrspace(4) %ps, align 4
  %wide = zext <3 x i16> %sizes to <3 x i32>
  store <3 x i32> %counts, ptr addrspace(1) %out, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 3
  store <3 x i32> %wide, ptr addrspace(1) %p, align 4
  ret void
}

; Arguments in SGPRs, put there before the kernel starts.
define amdgpu_kernel void @preloaded(ptr addrspace(1) inreg %out, i32 inreg %a,
                                     i32 inreg %b) {
  store i32 %a, ptr addrspace(1) %out
  %p = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %b, ptr addrspace(1) %p
  ret void
}

; An array in scratch, indexed by a number that is not constant.
define amdgpu_kernel void @private(ptr addrspace(1) %out, i32 %n) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %array = alloca [64 x i32], addrspace(5)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %v0 = mul i32 %i, 100
  %v = add i32 %v0, %x
  %p = getelementptr i32, ptr addrspace(5) %array, i32 %i
  store volatile i32 %v, ptr addrspace(5) %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr i32, ptr addrspace(5) %array, i32 %n
  %r = load volatile i32, ptr addrspace(5) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; Constants in the code object.
@digits = internal addrspace(4) constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6]
define amdgpu_kernel void @table(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(4) @digits, i32 %x
  %v = load i32, ptr addrspace(4) %p
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; LDS whose size the launch decides.
@dynamic_lds = external addrspace(3) global [0 x i32], align 4
define amdgpu_kernel void @dynamic(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(3) @dynamic_lds, i32 %x
  store volatile i32 %x, ptr addrspace(3) %p
  %r = sub i32 63, %x
  %q = getelementptr i32, ptr addrspace(3) @dynamic_lds, i32 %r
  %v = load volatile i32, ptr addrspace(3) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="16,16" }

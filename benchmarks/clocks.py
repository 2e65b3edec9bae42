"""Cycles of the multiprocessors between two places of a stream. Under a power cap the clock of a GPU changes from call to call by more than kernels
differ by; cycles of equal work do not."""

import ctypes

# A CTA writes the clock of its multiprocessor; there are so many of so many threads that each one has some.
_THREADS, _CTAS_OF_EACH = 1024, 4
_PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry clocks(.param .u64 given)
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %d<5>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra done;
  ld.param.u64 %d1, [given];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %smid;
  mul.wide.u32 %d2, %r2, 8;
  add.s64 %d3, %d1, %d2;
  mov.u64 %d4, %clock64;
  st.global.u64 [%d3], %d4;
done:
  ret;
}
\0"""


class Clocks:
    """Of the current device."""

    def __init__(self, torch):
        self._torch = torch
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._count = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        torch.zeros(1, device="cuda")
        module, self._kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), _PTX)
        self._call("cuModuleGetFunction", ctypes.byref(self._kernel), module, b"clocks")

    def _call(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code != 0:
            raise OSError(f"{name}: the driver answers {code}")

    def record(self):
        """The clocks where the current stream is now."""
        # Numbers of multiprocessors may have gaps.
        found = self._torch.zeros(2 * self._count, dtype=self._torch.int64, device="cuda")
        address = ctypes.c_uint64(found.data_ptr())
        given = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
        stream = ctypes.c_void_p(self._torch.cuda.current_stream().cuda_stream)
        sizes = (ctypes.c_uint(size) for size in (_CTAS_OF_EACH * self._count, 1, 1, _THREADS, 1, 1, 0))
        self._call("cuLaunchKernel", self._kernel, *sizes, stream, given, None)
        return found

    def between(self, begin, end):
        """Cycles from one record to another, the median of multiprocessors; waits for both."""
        passed = (end - begin)[(begin > 0) & (end > 0)]
        return passed.median().item() if passed.numel() else float("nan")

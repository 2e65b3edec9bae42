"""What the package uses of torch, without torch."""


class _DType:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


float16, bfloat16, float32, float64, int8, bool, int32, int64 = map(
    _DType, ("float16", "bfloat16", "float32", "float64", "int8", "bool", "int32", "int64"))


class version:
    hip = None


class device:
    def __init__(self, type, index=None):
        self.type, self.index = type, index


class Tensor:
    _next = 0x100000

    def __init__(self, shape, dtype=bfloat16, device=device("cuda", 0), strides=None, data=None):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device
        if strides is None:
            strides, stride = [], 1
            for size in reversed(shape):
                strides.insert(0, stride)
                stride *= max(size, 1)
        self._strides = tuple(strides)
        if data is None:
            data = Tensor._next
            Tensor._next += 0x1000000
        self._data = data

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self._data


def empty(shape, dtype, device):
    return Tensor(shape, dtype, device)


class _Stream:
    def __init__(self, handle):
        self.cuda_stream = handle


class cuda:
    handles = {0: 0x50, 1: 0x51}

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def current_stream(where):
        return _Stream(cuda.handles[where.index or 0])

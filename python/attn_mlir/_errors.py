"""The exceptions of the package."""


class Error(Exception):
    """Base of all errors of this package."""


class ArgumentError(Error, ValueError):
    """Arguments that the kernel does not take: shape, element type, stride,
    alignment, device. The message says what was wanted and what was got."""


class NoVariantError(ArgumentError):
    """No variant of a bundle takes these sizes, strides or addresses."""


class TraceError(ArgumentError):
    """A Python function that is no region of a kernel: the message says what it did and what
    it may do."""


class CollectiveError(Error):
    """Ranks of a process group do not agree, or one of them failed or is gone."""


class CompileError(Error):
    """The compiler refused; the message has its diagnostics."""


class BundleError(Error):
    """A bundle that cannot be read, or whose manifest is not valid."""


class DriverError(Error):
    """The launcher, the compiler, the CUDA driver or the HIP runtime cannot be opened."""


class CudaError(Error):
    """A call of the CUDA driver failed; ``code`` is its CUresult."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


class HipError(Error):
    """A call of the HIP runtime failed; ``code`` is its hipError_t."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code

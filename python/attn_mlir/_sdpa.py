"""torch.nn.functional.scaled_dot_product_attention on kernels of attn_mlir, through PyTorch's dispatcher."""

import sys
import warnings

import torch

import attn_mlir
from attn_mlir import _context_parallel
from attn_mlir._torch_ops import attention, is_direct

NAME = "attn_mlir"
_DEVICES = ("CPU", "CUDA")
_installed = None
_FLASH = torch.ops.aten._scaled_dot_product_flash_attention.default
_decompose = torch.ops.aten.scaled_dot_product_attention.default.decompose


def _types(device):
    return (torch.float16, torch.bfloat16, torch.float32) if device.type == "cpu" else (torch.float16, torch.bfloat16)


def _takes_mask(mask, q, k):
    if mask is None:
        return True
    if mask.requires_grad or mask.device != q.device or mask.dim() > 4:
        return False
    if mask.dtype not in (torch.bool, q.dtype, torch.float32):
        return False
    sizes = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    return all(a in (1, b) for a, b in zip(reversed(mask.shape), reversed(sizes)))


def _is_distributed(tensor):
    """Whether PyTorch divides the call among devices, and calls again with what each of them holds."""
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and isinstance(tensor, module.DTensor)


def takes(q, k, v, mask, dropout_p, is_causal, enable_gqa):
    """Whether a call is served here; PyTorch serves the others."""
    tensors = (q, k, v)
    # torch.nn.attention.sdpa_kernel names others.
    if any(map(_is_distributed, tensors)) or not torch.backends.cuda.flash_sdp_enabled():
        return False
    dtype, device = q.dtype, q.device
    for x in tensors:
        if x.dim() != 4 or x.dtype != dtype or x.device != device or not 0 < x.shape[-1] <= 256:
            return False
    if dropout_p > 0.0 or dtype not in _types(device) or (mask is not None and is_causal):
        return False
    if k.shape[-1] != q.shape[-1] or k.shape[:-1] != v.shape[:-1] or q.shape[0] != k.shape[0]:
        return False
    if 0 in q.shape or 0 in k.shape or q.shape[1] % k.shape[1] or (q.shape[1] != k.shape[1] and not enable_gqa):
        return False
    return _takes_mask(mask, q, k)


def _serve(q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa, differentiable):
    over_devices = _context_parallel.serve(q, k, v, attn_mask, dropout_p, is_causal, scale)
    if over_devices is not None:
        return over_devices
    needs_gradient = differentiable and torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v))
    # Gradients beside an array are PyTorch's, whose mask may be of any kind, and so are transformations of functions: operators
    # here have no rule for them.
    other = needs_gradient and (attn_mask is not None or torch._C._functorch.peek_interpreter_stack() is not None)
    if other or not takes(q, k, v, attn_mask, dropout_p, is_causal, enable_gqa):
        return _decompose(q, k, v, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    if attn_mask is None and not needs_gradient and is_direct((q, k, v)) and q.shape[-1] % 8 == 0 and v.shape[-1] % 8 == 0:
        return attn_mlir.attention(q, k, v, causal="top_left" if is_causal else False, scale=scale)
    options = {"mask": attn_mask, "causal": is_causal, "align": "top_left", "scale": scale}
    if needs_gradient and _lies_as_bshd(q):
        # The backward pass wants whole rows in a row, and copies what is not.
        o, _ = attention(*(x.transpose(1, 2) for x in (q, k, v)), **options, layout="bshd")
        return o.transpose(1, 2)
    o, _ = attention(q, k, v, **options)
    return o


def _lies_as_bshd(q):
    return not q.is_contiguous() and q.transpose(1, 2).is_contiguous()


def _autograd_kernel(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    return _serve(q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa, True)


def _kernel(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """Under torch.inference_mode, where autograd has no part."""
    return _serve(q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa, False)


def _flash_kernel(original):
    """PyTorch's forward of its flash back end, whose backward takes O and LSE of ours."""

    def flash(keys, q, k, v, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
        square = not is_causal or q.shape[2] == k.shape[2]
        if return_debug_mask or not square or not takes(q, k, v, None, dropout_p, is_causal, True):
            return original.call_boxed(keys, q, k, v, dropout_p, is_causal, return_debug_mask, scale=scale)
        # O of PyTorch's own lies in memory as [B, S, H, D].
        bshd = (x.transpose(1, 2) for x in (q, k, v))
        o, lse = attention(*bshd, causal=is_causal, scale=scale, layout="bshd")
        # What is unused is a scalar: so PyTorch's context_parallel takes it to be.
        nothing = torch.empty((), dtype=torch.uint64, device=q.device)
        state = torch.empty(2, dtype=torch.uint64, device=q.device)
        return o.transpose(1, 2), lse, None, None, q.shape[2], k.shape[2], state, nothing, q.new_empty(0)

    return flash


class _Handle:
    """What is installed; `remove` puts PyTorch's own back. A context manager that does so at its end."""

    def __init__(self):
        self._library = torch.library.Library("aten", "IMPL")
        for device in _DEVICES:
            self._library.impl("scaled_dot_product_attention", _autograd_kernel, f"Autograd{device}")
            self._library.impl("scaled_dot_product_attention", _kernel, device)
        self._add_flash()

    def _add_flash(self):
        """Where PyTorch takes gradients, its flash back end: forward is ours, backward its own."""
        if not torch.backends.cuda.is_built():
            return
        original = torch.library.get_kernel(_FLASH, "CUDA")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s).*Overriding a previously registered kernel")
            self._library.impl("_scaled_dot_product_flash_attention", _flash_kernel(original), "CUDA", with_keyset=True)

    def remove(self):
        global _installed
        if self._library is not None:
            self._library._destroy()
            self._library = None
        if _installed is self:
            _installed = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def activate():
    """Serves torch.nn.functional.scaled_dot_product_attention by kernels of attn_mlir, from now on or, as a
    context manager, until its end.

    Gradients of q, k and v are kernels, too, deterministic ones, where there is no mask of an array. Calls with dropout, with
    such a mask and gradients, of more than four dimensions or of other element types are PyTorch's as before.
    """
    global _installed
    if _installed is None:
        _installed = _Handle()
    return _installed


def deactivate():
    """Puts PyTorch's own back."""
    if _installed is not None:
        _installed.remove()


def is_active():
    return _installed is not None


def register_hook(attention_module=torch.nn.attention):
    """Offers these kernels to torch.nn.attention.activate_flash_attention_impl, where PyTorch has it.

    Says whether it does.
    """
    register = getattr(attention_module, "register_flash_attention_impl", None)
    if register is None:
        return False
    register(NAME, register_fn=activate)
    return True

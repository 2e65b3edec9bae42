"""Forward attention of FP8 by cuDNN: `sdpa_fp8` of its graphs, through `nvidia-cudnn-frontend`."""

# Weights are at most 1; O of Hopper is of 8 bits, and averages of normal numbers are small.
_WEIGHTS, _RESULTS = 256.0, 16.0


class CudnnFloat8:
    """A graph for Q [B, H, S, D], K and V [B, Hkv, S, D] of e4m3, with scales of whole tensors, and what it is run with."""

    def __init__(self, torch, q, k, v, scales, causal):
        import cudnn

        self.torch, self.cudnn = torch, cudnn
        self.handle = cudnn.create_handle()
        number = cudnn.data_type.FLOAT
        graph = cudnn.pygraph(io_data_type=cudnn.data_type.FP8_E4M3, intermediate_data_type=number, compute_data_type=number,
                              handle=self.handle)
        tensors = [
            graph.tensor(name=name, dim=list(x.shape), stride=list(x.stride()), data_type=cudnn.data_type.FP8_E4M3)
            for name, x in zip("qkv", (q, k, v))]
        one = {"dim": [1, 1, 1, 1], "stride": [1, 1, 1, 1]}
        names = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
        factors = {name: graph.tensor(name=name, data_type=number, **one) for name in names}
        # Without statistics, as FlashAttention-3 is timed without them being returned.
        o, _, *largest = graph.sdpa_fp8(
            *tensors, *factors.values(), is_inference=True, attn_scale=q.shape[-1] ** -0.5, use_causal_mask=causal)
        self.o = torch.empty_like(q)
        o.set_output(True).set_dim(list(q.shape)).set_stride(list(q.stride())).set_data_type(cudnn.data_type.FP8_E4M3)
        for tensor in largest:
            tensor.set_output(True).set_dim(one["dim"]).set_stride(one["stride"]).set_data_type(number)
        graph.validate()
        graph.build_operation_graph()
        graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        graph.check_support()
        graph.build_plans()
        self.graph = graph
        values = (*(scale.mean().item() for scale in scales), 1 / _WEIGHTS, _WEIGHTS, _RESULTS)
        self.given = dict(zip(tensors, (q, k, v)))
        self.given |= {factors[name]: torch.full((1, 1, 1, 1), value, device=q.device) for name, value in zip(names, values)}
        self.given |= {tensor: torch.empty(1, 1, 1, 1, device=q.device) for tensor in largest}
        self.given[o] = self.o
        self.workspace = torch.empty(max(graph.get_workspace_size(), 1), device=q.device, dtype=torch.uint8)

    def __call__(self):
        """O of e4m3, times `_RESULTS`."""
        self.cudnn.set_stream(handle=self.handle, stream=self.torch.cuda.current_stream().cuda_stream)
        self.graph.execute(self.given, self.workspace, handle=self.handle)
        return self.o

    def result(self):
        """O in f32."""
        return self().float() / _RESULTS


def prepare(torch, q, k, v, scales, causal):
    """A CudnnFloat8, or None, with the reason, where cuDNN has no such kernel or is not there."""
    try:
        call = CudnnFloat8(torch, q, k, v, scales, causal)
        call()
        torch.cuda.synchronize()
        return call
    except (ImportError, RuntimeError) as error:
        print(f"cuDNN does not have {tuple(q.shape)}: {type(error).__name__}: {str(error).splitlines()[0]}")
        return None
    except Exception as error:  # Those of the front end are classes of its own.
        if type(error).__module__.split(".")[0] != "cudnn":
            raise
        print(f"cuDNN does not have {tuple(q.shape)}: {str(error).splitlines()[0]}")
        return None

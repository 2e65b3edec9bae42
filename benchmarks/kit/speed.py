"""Times of one kernel's schedules beside PyTorch's back ends, on its shapes."""

import math
import time

import kernels

import harness
import reference
from common import time_interleaved
from forward import deviation

ROWS = 64  # at either end of the sequence are compared with float64
BOUND = 1e-2
BOUND_FLOAT8 = 8e-2  # A weight is off by a sixteenth at most.
PEER_BOUND = 2e-2  # of all rows, both rounded
SCORES = 1 << 31  # bytes of scores above which the back end `math` is left out
LEAST_ROUNDS, MOST_ROUNDS = 5, 25


def why(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def make_inputs(torch, kernel, sizes, generator):
    dtype = torch.float8_e4m3fn if kernel.is_float8 else torch.bfloat16

    def tensor(heads, length):
        return torch.randn(sizes.batch, heads, length, kernel.dim, device="cuda",
                           dtype=torch.bfloat16, generator=generator).to(dtype)

    return (tensor(kernel.heads, sizes.queries), tensor(kernel.kv_heads, sizes.keys),
            tensor(kernel.kv_heads, sizes.keys))


def given(package, kernel, inputs):
    """Q, K and V as the kernel reads them."""
    q, k, v = inputs
    return (q, k, package.interleaved_values(v).tensor) if kernel.is_float8 else inputs


def empty_result(torch, q):
    return torch.empty_like(q, dtype=torch.bfloat16)


def rows_error(torch, kernel, inputs, out):
    """The largest error of rows at both ends, of the first and the last head, against
    float64 (test/gpu/reference.py). A mask's diagonal ends at the last key, so that the
    first n rows see the first keys, as many as queries lag behind them and n more."""
    q, k, v = inputs
    queries, keys = q.shape[2], k.shape[2]
    scale, worst = round(kernel.dim**-0.5, 9), 0.0
    count = min(ROWS, queries)
    for b, h in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
        pair = [t[b : b + 1, h // kernel.group : h // kernel.group + 1] for t in (k, v)]
        head = q[b : b + 1, h : h + 1]
        first = keys - queries + count if kernel.mask.kind != "none" else keys
        for rows, seen in ((slice(0, count), first), (slice(queries - count, queries), keys)):
            want, _ = reference.attention(
                torch, head[:, :, rows].to(out.dtype), *(t[:, :, :seen].to(out.dtype) for t in pair), scale, kernel.mask)
            got = out[b : b + 1, h : h + 1, rows].double()
            error = (got - want).norm(dim=-1) / want.norm(dim=-1)
            worst = max(worst, error.nan_to_num(nan=math.inf).max().item())
    return worst


def peers(torch, kernel, sizes):
    """name -> function (q, k, v) -> o; name -> why not."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    if kernel.is_float8:
        return {}, {"all": "scaled_dot_product_attention has no float8"}
    if kernel.mask.kind == "window":
        return {}, {"all": "scaled_dot_product_attention has no window without a mask in memory"}
    # Where there are fewer queries than keys, `is_causal` has another corner.
    causal = kernel.causal and sizes.queries == sizes.keys
    result, missing = {}, {}
    for name, backend in (("flash", "FLASH_ATTENTION"), ("cudnn", "CUDNN_ATTENTION"),
                          ("efficient", "EFFICIENT_ATTENTION"), ("math", "MATH")):
        if not hasattr(SDPBackend, backend):
            missing[name] = "this PyTorch does not have it"
            continue
        scores = 4 * sizes.batch * kernel.heads * sizes.queries * sizes.keys
        if name == "math" and scores > SCORES:
            missing[name] = f"its scores take {scores} bytes"
            continue

        def call(q, k, v, backend=getattr(SDPBackend, backend)):
            grouped = {"enable_gqa": True} if k.shape[1] != q.shape[1] else {}
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=causal, **grouped)

        result[name] = call
    return result, missing


def expand(kernel, inputs):
    """With as many heads of K and V as of Q."""
    q, k, v = inputs
    return (q, *(t.repeat_interleave(kernel.group, dim=1) for t in (k, v)))


def first_call(torch, call, inputs, expanded, name, missing):
    """(result, inputs) of a peer: with heads in groups, else with K and V expanded; None
    where it takes neither."""
    for data in [inputs] if inputs is expanded else [inputs, expanded]:
        try:
            result = call(*data[0])
            torch.cuda.synchronize()
            if data is not inputs:
                missing[name] = "takes no groups of heads: timed with K and V expanded before"
            else:
                missing.pop(name, None)
            return result, data
        except Exception as error:
            missing[name] = why(error)
    return None, None


def time_in_turns(torch, calls, seconds):
    """name -> median milliseconds and number of rounds. The order of a round is
    drawn (common.time_interleaved); there are as many rounds as `seconds` have room for."""
    for call in calls.values():
        call(0)
    torch.cuda.synchronize()
    begin = time.monotonic()
    for call in calls.values():
        call(1)
    torch.cuda.synchronize()
    one = max(time.monotonic() - begin, 1e-4)
    rounds = max(LEAST_ROUNDS, min(MOST_ROUNDS, int(seconds / one)))
    return time_interleaved(torch, calls, rounds, 1), rounds


def load_all(package, entry, folder, missing):
    """number -> kernel of the bundles that are there."""
    loaded = {}
    for number in range(len(entry["options"])):
        path = folder / f"{number:03}"
        if not (path / "manifest.json").is_file():
            missing[number] = "not compiled"
            continue
        try:
            loaded[number] = package.load(str(path))
        except Exception as error:
            missing[number] = why(error)
    return loaded


def check_all(torch, kernel, loaded, numbers, inputs, launched, expected, record):
    """The numbers of the schedules that are right; the others get a line."""
    right = []
    out = empty_result(torch, inputs[0])
    bound = BOUND_FLOAT8 if kernel.is_float8 else BOUND
    for number in numbers:
        if number not in loaded:
            continue
        out.fill_(float("nan"))
        problem, error = None, None
        try:
            harness.launch(loaded[number], launched, [out])
            torch.cuda.synchronize()
            error = rows_error(torch, kernel, inputs, out)
            record["errors"][number] = error if math.isfinite(error) else None
            if not error <= bound:
                problem = f"an error of {error:.3g} > {bound:g} against float64"
            elif not bool(torch.isfinite(out).all()):
                problem = "not all of O was written with finite numbers"
            elif expected is not None:
                off = deviation(out, expected)
                if not off <= PEER_BOUND:
                    problem = f"a row deviates by {off:.3g} > {PEER_BOUND:g} from PyTorch's"
        except Exception as failure:
            problem = why(failure)
            torch.zeros(1, device="cuda").item()  # a broken device ends this child here
        if problem:
            record["failed"][number] = problem
        else:
            right.append(number)
    return right


def measure(torch, package, kernel, shape, entry, loaded, arguments):
    """One shape: errors and times of schedules and peers."""
    sizes = kernel.sizes(shape)
    generator = torch.Generator(device="cuda").manual_seed(arguments.seed)
    l2 = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 1 << 26)
    count = min(8, max(2, -(-2 * l2 // kernel.bytes(shape))))
    inputs = [make_inputs(torch, kernel, sizes, generator) for _ in range(count)]
    launched = [given(package, kernel, x) for x in inputs]
    outs = [empty_result(torch, q) for q, _, _ in inputs]
    expanded = inputs if kernel.group == 1 else [expand(kernel, x) for x in inputs]
    available, missing = peers(torch, kernel, sizes)
    record = {"kernel": kernel.name, "batch": shape[0], "keys": shape[1], "queries": sizes.queries,
              "flops": kernel.flops(shape), "bytes": kernel.bytes(shape), "input_sets": count,
              "errors": {}, "failed": {}, "no_peer": missing, "predictions": entry["predictions"],
              "ms": {}, "peers_ms": {}}
    calls, expected = {}, None
    for name, call in available.items():
        result, data = first_call(torch, call, inputs, expanded, name, missing)
        if result is not None:
            expected = result if expected is None else expected
            calls[name] = lambda turn, call=call, data=data: call(*data[turn % count])
    numbers = [int(n) for n in entry["predictions"]]
    for number in check_all(torch, kernel, loaded, numbers, inputs[0], launched[0], expected, record):
        calls[str(number)] = lambda turn, f=loaded[number]: harness.launch(
            f, launched[turn % count], [outs[turn % count]])
    expected = None
    if calls:
        times, rounds = time_in_turns(torch, calls, arguments.seconds)
        record.update(rounds=rounds, ms={n: t for n, t in times.items() if n.isdigit()},
                      peers_ms={n: t for n, t in times.items() if not n.isdigit()})
    return record


def run_kernel(name, plan, folder, arguments, emit):
    """All shapes of one kernel, in this process."""
    torch, package = harness.require_gpu(strict=True)
    known = kernels.small_timed_kernels() if plan["small"] else kernels.timed_kernels()
    kernel = next(k for k in known if k.name == name)
    entry = next(e for e in plan["speed"] if e["kernel"] == name)
    missing = {}
    loaded = load_all(package, entry, folder / name, missing)
    emit({"missing": {"kernel": name, **missing}} if missing else {"loaded": len(loaded)})
    for shape in entry["shapes"]:
        label = f"{name} B {shape['batch']} KV {shape['keys']}"
        if time.time() > arguments.until:
            emit({"left_out": label})
            continue
        emit({"begin": label})
        try:
            emit({"shape": measure(torch, package, kernel, (shape["batch"], shape["keys"]), shape, loaded, arguments)})
        except torch.cuda.OutOfMemoryError as error:
            emit({"failed": label, "why": why(error)})
        torch.cuda.empty_cache()


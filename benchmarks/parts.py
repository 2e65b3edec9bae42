#!/usr/bin/env python3
"""Attention to parts of the keys, and their merge (attn.merge_states).

    parts.py compile   bundles: attention with its LSE, O in bf16 and in f32, and merges
    parts.py run       on a GPU: errors against float64, and the speed of the merge

What several devices, or several calls, do: each has the state of its own keys, O and LSE,
and one merges them. Attention: B 2, 32/8 heads, 100 queries, 3000 keys in four parts, one
of a single key, D 128, no mask. Merges: LSEs around 0 and around 10000, parts without keys
whose O is NaN. Speed: graph replays, medians; TB/s count what is read and written once.
"""

import subprocess
import sys

from common import harness, markdown, median
from decode import capture

DIRECTORY = harness.ROOT / "build-gpu" / "parts"
SCALE = round(128 ** -0.5, 9)
CUTS = (0, 700, 701, 2048, 3000)
# Parts, batch, queries.
SHAPES = ((1, 1, 1), (2, 1, 1), (3, 2, 37), (8, 1, 513), (16, 4, 1), (5, 1, 4096))
TIMED = ((4, 1, 4096), (8, 16, 1), (2, 1, 16384))
BOUNDS = {"bf16": 6e-3, "f32": 1e-5}
LSE_BOUND = 1e-5
# Name of a merge: elements of parts and of the result.
MERGES = {"bf16": ("bf16", "bf16"), "f32": ("f32", "f32"), "f32-bf16": ("f32", "bf16")}


def attention_text(element):
    q, kv = "tensor<?x32x?x128xbf16>", "tensor<?x8x?x128xbf16>"
    results = f"(tensor<?x32x?x128x{element}>, tensor<?x32x?xf32>)"
    return (
        f"func.func @part(%q: {q}, %k: {kv}, %v: {kv}) -> {results} {{\n"
        f"  %o, %lse = attn.attention %q, %k, %v scale({SCALE!r}) : ({q}, {kv}, {kv}) -> {results}\n"
        f"  return %o, %lse : {results[1:-1]}\n}}\n"
    )


def merge_text(part, result):
    arguments = f"tensor<?x?x32x?x128x{part}>", "tensor<?x?x32x?xf32>"
    results = f"tensor<?x32x?x128x{result}>, tensor<?x32x?xf32>"
    return (
        f"func.func @merge(%os: {arguments[0]}, %lses: {arguments[1]}) -> ({results}) {{\n"
        f"  %o, %lse = attn.merge_states %os, %lses : ({', '.join(arguments)}) -> ({results})\n"
        f"  return %o, %lse : {results}\n}}\n"
    )


def compile_half(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    texts = {f"attention-{e}": attention_text(e) for e in ("bf16", "f32")}
    texts.update({f"merge-{name}": merge_text(*types) for name, types in MERGES.items()})
    for name, text in texts.items():
        source = DIRECTORY / f"{name}.mlir"
        source.write_text(text)
        subprocess.run([compiler, source, "--target=h200", "--emit=bundle", "-o",
                        DIRECTORY / name], check=True)
    print(f"{len(texts)} bundles in {DIRECTORY}")
    return 0


def tensor_type(torch, element):
    return {"bf16": torch.bfloat16, "f32": torch.float32}[element]


def draw_states(torch, element, parts, batch, queries):
    """O and LSE of parts, of which a fifth saw no key."""
    shape = (parts, batch, 32, queries)
    os = torch.randn(*shape, 128, device="cuda").to(tensor_type(torch, element))
    lses = torch.randn(shape, device="cuda") * 3
    lses += (torch.arange(queries, device="cuda") % 3 == 1) * 10000
    empty = torch.rand(shape, device="cuda") < 0.2
    lses[empty] = -torch.inf
    os[empty] = torch.nan
    return os, lses


def merge_in_double(torch, os, lses):
    lse = torch.logsumexp(lses.double(), 0)
    unseen = torch.isneginf(lses)
    weights = torch.exp(lses.double() - lse).masked_fill(unseen, 0)
    used = os.double().masked_fill(unseen[..., None], 0)
    return (weights[..., None] * used).sum(0), lse


def errors(torch, o, lse, wanted_o, wanted_lse):
    """The largest error of a row, relative to its norm, and of an LSE, relative above 1."""
    norm = wanted_o.norm(dim=-1)
    of_rows = (o.double() - wanted_o).norm(dim=-1) / torch.where(norm > 0, norm, 1.0)
    both_empty = torch.isneginf(wanted_lse) & torch.isneginf(lse)
    of_lse = ((lse.double() - wanted_lse).abs() / wanted_lse.abs().clamp(min=1))
    return of_rows.max().item(), of_lse.masked_fill(both_empty, 0).max().item()


def launch(torch, kernel, inputs, element):
    """The results of a kernel of O and LSE, over memory full of NaN."""
    *outer, queries, dim = inputs[0].shape[-4:]
    o = torch.full((*outer, queries, dim), torch.nan, device="cuda",
                   dtype=tensor_type(torch, element))
    lse = torch.full((*outer, queries), torch.nan, device="cuda")
    kernel(*inputs, out=o, lse=lse)
    return o, lse


def merge_rows(torch, kernels):
    for name, (part, result) in MERGES.items():
        for shape in SHAPES:
            states = draw_states(torch, part, *shape)
            made = launch(torch, kernels[f"merge-{name}"], states, result)
            yield f"merge {name}, {shape[0]} parts, B {shape[1]}, {shape[2]} queries", result, errors(
                torch, *made, *merge_in_double(torch, *states))


def attention_row(torch, kernels, element):
    """Parts of a cache in this element type, merged into bf16, against all of the cache."""
    q = torch.randn(2, 32, 100, 128, device="cuda").bfloat16()
    k, v = (torch.randn(2, 8, CUTS[-1], 128, device="cuda").bfloat16() for _ in range(2))
    parts = [launch(torch, kernels[f"attention-{element}"],
                    (q, k[:, :, a:b].contiguous(), v[:, :, a:b].contiguous()), element)
             for a, b in zip(CUTS, CUTS[1:])]
    merge = kernels["merge-bf16" if element == "bf16" else "merge-f32-bf16"]
    made = launch(torch, merge, [torch.stack(states) for states in zip(*parts)], "bf16")
    rows = q.double().view(2, 8, 400, 128)
    scores = rows @ k.double().transpose(-1, -2) * SCALE
    wanted = (torch.softmax(scores, -1) @ v.double()).view(2, 32, 100, 128)
    lse = torch.logsumexp(scores, -1).view(2, 32, 100)
    return f"attention to {len(parts)} parts, O in {element}", "bf16", errors(
        torch, *made, wanted, lse)


def time_merge(torch, kernel, shape, rounds=50):
    """Microseconds, and the bytes of what is read and written."""
    os, lses = draw_states(torch, "bf16", *shape)
    o, lse = torch.empty_like(os[0]), torch.empty_like(lses[0])
    prepared = kernel.prepare(os, lses, out=o, lse=lse)
    graph = capture(torch, lambda: prepared.launch(torch.cuda.current_stream()))
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(rounds)]
    for begin, end in events:
        begin.record()
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    moved = sum(x.numel() * x.element_size() for x in (os, lses, o, lse))
    return median([begin.elapsed_time(end) * 1e3 for begin, end in events]), moved


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    torch.manual_seed(1)
    names = [f"attention-{e}" for e in ("bf16", "f32")] + [f"merge-{name}" for name in MERGES]
    kernels = {name: attn_mlir.load(str(DIRECTORY / name)) for name in names}
    rows = list(merge_rows(torch, kernels))
    rows += [attention_row(torch, kernels, element) for element in ("bf16", "f32")]
    print(markdown(["", "error", "of the LSE"],
                   [[name, *(f"{e:.1e}" for e in found)] for name, _, found in rows]))
    wrong = [name for name, element, (error, of_lse) in rows
             if not (error <= BOUNDS[element] and of_lse <= LSE_BOUND)]
    table = []
    for shape in TIMED:
        time, moved = time_merge(torch, kernels["merge-bf16"], shape)
        table.append([f"{shape[0]} parts, B {shape[1]}, {shape[2]} queries", f"{time:.1f}",
                      f"{moved / time / 1e6:.2f}"])
    print(markdown(["merge, bf16", "us", "TB/s"], table))
    for name in wrong:
        print(f"WRONG: {name}")
    return 1 if wrong else 0


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("half", choices=("compile", "run"))
    parser.add_argument("--attn-compile", default=str(
        harness.ROOT / "build/tools/attn-compile/attn-compile"))
    arguments = parser.parse_args()
    return {"compile": compile_half, "run": run_half}[arguments.half](arguments)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the combinations of cases.py on a GPU against float64.

Wants the bundles that compile.py made. Inputs are random and fresh (the seed is
printed), with keys whose lengths grow, fall or leap for some, or of large scores,
infinities, NaN and denormals (extremes.py); every buffer lies within a larger one
of NaN, in front, behind and, for every other combination, between its rows;
outputs start as NaN. Checked are

  - the error of O, the largest over rows of |o - r| / |r|,
  - the error of LSE, relative above 1,
  - rows that attend to nothing: 0 and -inf exactly,
  - NaN where it is to be, and nowhere else,
  - that every element of the outputs was written, and nothing beside them.

Combinations run in a child process, so that one that crashes or hangs is a
failure like any other, and the rest still runs. The last line counts.
"""

import argparse
import json
import math
import queue
import re
import subprocess
import sys
import threading
import time
import traceback

import cases
import extremes
import harness
import reference
from compile import add_bundle_arguments, job

BOUNDS = {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-5}
# NaN with a payload that no instruction makes, to tell "not written" from NaN.
POISON = {"bf16": 0x7FDA, "f16": 0x7E5A, "f32": 0x7FC5A5A5}


class Buffer:
    """A strided array within a larger buffer of NaN."""

    FRONT = 64  # elements: keeps the array aligned to 128 bytes
    ODD = 2  # elements on which copies of 4 bytes do not depend, others do
    BEHIND = 1024

    def __init__(self, torch, shape, element, device, padded, odd=False):
        front = self.FRONT + (self.ODD if odd else 0)
        dtype = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
        integer = torch.int32 if element == "f32" else torch.int16
        self.torch, self.poison = torch, POISON[element]
        strides, stride = [], 1
        for dim, size in reversed(list(enumerate(shape))):
            strides.insert(0, stride)
            stride *= max(size, 1)
            if padded and dim == len(shape) - 1:
                # NaN between rows, which stay aligned, or do not
                stride += -size % 8 + (self.ODD if odd else 8)
            elif padded:
                stride += 3 * strides[-2]  # and between what is made of rows
        self.bits = torch.full(
            (front + stride + self.BEHIND,), self.poison, dtype=integer, device=device
        )
        self.flat = self.bits.view(dtype[element])
        self.view = self.flat.as_strided(shape, strides, front)
        self.view_bits = self.bits.as_strided(shape, strides, front)

    def randomize(self, generator):
        values = self.torch.randn(
            self.view.shape, generator=generator, device=self.view.device
        )
        self.view.copy_(values)
        self.before = self.bits.clone()
        return self

    def lengthen(self, factors, dim):
        """Multiplies what lies along `dim` by one factor each."""
        shape = [1] * self.view.dim()
        shape[dim] = len(factors)
        self.view.mul_(factors.reshape(shape).to(self.view.dtype))
        self.before = self.bits.clone()

    def untouched(self):
        return self.torch.equal(self.bits, self.before)

    def unwritten(self):
        """Elements that still have their poison."""
        return int((self.view_bits == self.poison).sum())

    def guards_intact(self):
        """After it, the array is poison again."""
        self.view_bits.fill_(self.poison)
        return bool((self.bits == self.poison).all())


def key_factors(torch, inputs, count, device):
    """How long each key is to be (cases.INPUTS)."""
    growing = torch.linspace(1, 16, count, device=device)
    if inputs == "growing":
        return growing
    if inputs == "falling":
        return growing.flip(0)
    leaping = torch.ones(count, device=device)
    leaping[count // 3 :: max(count // 3, 1)] = 24
    return leaping


def make_buffers(torch, kernel, sizes, device, padded, generator, inputs_like="even"):
    """(inputs, outputs)"""

    def buffer(shape, element):
        return Buffer(torch, shape, element, device, padded, odd="chunk=4" in kernel.lower)

    if kernel.kind == "matmul":
        inputs = [
            buffer((sizes.m, sizes.k), kernel.element),
            buffer((sizes.k, sizes.n), kernel.element),
        ]
        outputs = [buffer((sizes.m, sizes.n), kernel.result)]
    else:

        def shape(length, heads, dim):
            if kernel.bshd:
                return (sizes.batch, length, heads, dim)
            return (sizes.batch, heads, length, dim)

        inputs = [
            buffer(shape(sizes.queries, kernel.heads, kernel.qk), kernel.element),
            buffer(shape(sizes.keys, kernel.kv_heads, kernel.qk), kernel.element),
            buffer(shape(sizes.keys, kernel.kv_heads, kernel.value), kernel.element),
        ]
        outputs = [buffer(shape(sizes.queries, kernel.heads, kernel.value), kernel.element)]
        if kernel.lse:
            outputs.append(buffer((sizes.batch, kernel.heads, sizes.queries), "f32"))
    for b in inputs:
        b.randomize(generator)
    if kernel.kind == "attention" and kernel.inputs:
        views = [b.view.transpose(1, 2) if kernel.bshd else b.view for b in inputs]
        extremes.fill(torch, inputs_like, kernel, views, generator)
        for b in inputs:
            b.before = b.bits.clone()
    elif kernel.kind == "attention" and inputs_like != "even":
        factors = key_factors(torch, inputs_like, sizes.keys, device)
        inputs[1].lengthen(factors, 1 if kernel.bshd else 2)
    return inputs, outputs


def expected(torch, kernel, inputs, scalars):
    """The outputs in float64, in the layout of the kernel's outputs."""
    views = [b.view for b in inputs]
    if kernel.kind == "matmul":
        return [reference.matmul(torch, *views)]
    if kernel.bshd:
        views = [v.transpose(1, 2) for v in views]
    o, lse = reference.attention(
        torch, *views, kernel.scale, kernel.mask, kernel.modification, scalars
    )
    return [o.transpose(1, 2) if kernel.bshd else o, lse]


def largest(error):
    """The largest of an array of errors; infinite where one is NaN."""
    if error.numel() == 0:
        return 0.0
    return error.nan_to_num(nan=math.inf).max().item()


def without_nan(out, ref):
    """Both with 0 for what is NaN in both; what is in one only stays NaN."""
    both = out.isnan() & ref.isnan()
    return out.masked_fill(both, 0.0), ref.masked_fill(both, 0.0)


def row_error(out, ref):
    """The largest over rows of |o - r| / |r|; rows of zeros are to be exact."""
    out, ref = without_nan(out.double(), ref)
    difference, norm = (out - ref).norm(dim=-1), ref.norm(dim=-1)
    exact = (out == 0).all(dim=-1)
    zero_rows = (~exact).double() * math.inf
    zero_rows[exact] = 0.0
    return largest((difference / norm).where(norm > 0, zero_rows))


def lse_error(out, ref):
    out, ref = without_nan(out.double(), ref)
    wrong = (out != ref).double() * math.inf
    wrong[out == ref] = 0.0
    relative = (out - ref).abs() / ref.abs().clamp(min=1.0)
    return largest(relative.where(ref != -math.inf, wrong))


def check(
    torch, launchable, kernel, sizes, seed, padded, device="cuda", inputs_like="even"
):
    """Runs one combination; returns errors and what is wrong with them."""
    generator = torch.Generator(device=device).manual_seed(seed)
    inputs, outputs = make_buffers(
        torch, kernel, sizes, device, padded, generator, inputs_like
    )
    scalars = kernel.scalars(sizes)
    harness.launch(
        launchable, [b.view for b in inputs], [b.view for b in outputs], scalars
    )
    if device == "cuda":
        torch.cuda.synchronize()
    problems = []
    refs = expected(torch, kernel, inputs, scalars)
    result_type = kernel.result if kernel.kind == "matmul" else kernel.element
    bound = BOUNDS[result_type]
    report = {"error": row_error(outputs[0].view, refs[0])}
    if not report["error"] <= bound:
        problems.append(f"error {report['error']:.3g} > {bound:g}")
    if len(outputs) > 1:
        report["lse_error"] = lse_error(outputs[1].view, refs[1])
        if not report["lse_error"] <= bound:
            problems.append(f"LSE error {report['lse_error']:.3g} > {bound:g}")
    for name, buffer in zip(("O", "LSE"), outputs):
        unwritten = buffer.unwritten()
        if unwritten:
            problems.append(f"{unwritten} elements of {name} not written")
        if not buffer.guards_intact():
            problems.append(f"wrote outside of {name}")
    for name, buffer in zip("QKV" if kernel.kind == "attention" else "AB", inputs):
        if not buffer.untouched():
            problems.append(f"wrote to or around input {name}")
    report["problems"] = problems
    return report


def describe(pair):
    kernel, sizes = pair
    words = [kernel.describe(), sizes.label()]
    if kernel.kind == "attention" and kernel.inputs:
        words.append(cases.inputs_of(kernel, sizes, 0))
    return " ".join(words)


# ---------------------------------------------------------------------------
# Running many


def run_here(indices, pairs, arguments, emit):
    """Runs combinations in this process and emits an event before and after
    each. Returns False where the device cannot be used any more."""
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    loaded = {}
    for index in indices:
        kernel, sizes = pairs[index]
        emit({"begin": index})
        problem = job(kernel, arguments.bundles, arguments.lower, arguments.target).problem()
        if problem:
            emit({"end": index, "problems": [problem]})
            continue
        fatal = False
        try:
            if kernel.name not in loaded:
                path = job(kernel, arguments.bundles).directory
                loaded[kernel.name] = attn_mlir.load(str(path))
            report = check(
                torch,
                loaded[kernel.name],
                kernel,
                sizes,
                arguments.seed + index,
                padded=index % 2 == 1,
                inputs_like=cases.inputs_of(kernel, sizes, index),
            )
        except Exception as error:
            if arguments.verbose:
                traceback.print_exc()
            message = " ".join(f"{type(error).__name__}: {error}".split())[:500]
            report = {"problems": [message]}
            try:
                torch.cuda.synchronize()
                torch.zeros(1, device="cuda").item()
            except Exception:
                fatal = True  # a CUDA context does not survive a fault
        emit({"end": index, **report})
        if fatal:
            return False
    return True


def run_worker(pairs, arguments):
    """The child: indices on stdin, events on stdout."""
    indices = json.loads(sys.stdin.readline())

    def emit(event):
        print("@" + json.dumps(event), flush=True)

    emit({"ready": True})
    sys.exit(0 if run_here(indices, pairs, arguments, emit) else 3)


def run_in_children(indices, arguments, emit):
    """Runs combinations in child processes: a new one after each that died."""
    pending, restarts = list(indices), 0
    command = [sys.executable, __file__, "--worker"] + arguments.passed_on
    while pending:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            errors="replace", env=harness.child_environment(),
        )
        lines = queue.Queue()

        def read(stream=child.stdout, lines=lines):
            for line in stream:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        child.stdin.write(json.dumps(pending) + "\n")
        child.stdin.close()
        running, started, hung = None, False, False
        while True:
            try:
                # The first one waits for the import of PyTorch, too.
                line = lines.get(timeout=arguments.limit + (0 if started else 120))
            except queue.Empty:
                hung = True
                child.kill()
                break
            if line is None:
                break
            if not line.startswith("@"):
                print(line, end="", flush=True)
                continue
            event = json.loads(line[1:])
            if "begin" in event:
                running = event["begin"]
            elif "end" in event:
                started = True
                running = None
                pending.remove(event["end"])
                emit(event)
        code = child.wait()
        if not pending or code == harness.SKIPPED_EXIT_CODE:
            return
        if running is not None:
            why = f"no end within {arguments.limit} s" if hung else f"died with {code}"
            pending.remove(running)
            emit({"end": running, "problems": [why]})
        elif code == 0 or not started:
            emit({"end": pending.pop(0), "problems": ["the child process did not start"]})
        restarts += 1
        if restarts > arguments.restarts:
            for index in pending:
                emit({"end": index, "problems": ["not run: too many crashes before it"]})
            return


def run_determinism(pairs, arguments):
    """Launches each chosen kernel N times on one input: all bits agree."""
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    failed = 0
    for kernel, sizes in pairs:
        problem = job(kernel, arguments.bundles, arguments.lower, arguments.target).problem()
        if problem:
            print(f"FAILED {describe((kernel, sizes))}: {problem}")
            failed += 1
            continue
        launchable = attn_mlir.load(str(job(kernel, arguments.bundles).directory))
        generator = torch.Generator(device="cuda").manual_seed(arguments.seed)
        like = cases.inputs_of(kernel, sizes, 0)
        inputs, outputs = make_buffers(
            torch, kernel, sizes, "cuda", True, generator, like
        )
        views = [b.view for b in inputs], [b.view for b in outputs]
        scalars = kernel.scalars(sizes)
        different = torch.zeros((), dtype=torch.int64, device="cuda")
        first = None
        for _ in range(arguments.determinism):
            for b in outputs:
                b.view_bits.fill_(b.poison)
            harness.launch(launchable, *views, scalars)
            if first is None:
                first = [b.bits.clone() for b in outputs]
            same = [(b.bits == f).all() for b, f in zip(outputs, first)]
            different += ~torch.stack(same).all()
        count = int(different)
        report = check(
            torch, launchable, kernel, sizes, arguments.seed, True, inputs_like=like
        )
        problems = report["problems"]
        if count:
            problems = problems + [f"{count} launches differ from the first"]
        print(
            f"{'FAILED' if problems else 'passed'} {describe((kernel, sizes))}: "
            f"{arguments.determinism} launches, {count} differ"
            + "".join("; " + p for p in problems)
        )
        failed += bool(problems)
    print(f"determinism: {len(pairs)} kernels, {failed} failed")
    return failed


def choose_for_determinism(pairs, arguments):
    """The largest sizes of each kernel; without a filter one kernel whose CTAs
    alternate the direction of their streams."""
    largest_of = {}
    for kernel, sizes in pairs:
        best = largest_of.get(kernel)
        if best is None or math.prod(sizes) > math.prod(best):
            largest_of[kernel] = sizes
    chosen = sorted(largest_of.items(), key=lambda pair: -math.prod(pair[1]))
    if arguments.filter:
        return chosen
    return [
        (k, s)
        for k, s in chosen
        if k.kind == "attention" and k.element == "bf16" and "sawtooth=force" in k.options
        and "persistent" in k.options
    ][:1]


def count_line(results, pairs):
    worst = {}
    for index, report in results.items():
        kernel = pairs[index][0]
        element = kernel.element if kernel.kind == "attention" else "matmul"
        for name, key in ((element, "error"), ("LSE", "lse_error")):
            if key in report:
                worst[name] = max(worst.get(name, 0.0), report[key])
    failed = sum(1 for report in results.values() if report["problems"])
    rows = sum(1 for index in results if math.prod(pairs[index][1][:2]) > 0)
    errors = ", ".join(f"{name} {value:.3g}" for name, value in sorted(worst.items()))
    return (
        f"{len(results)} combinations ({rows} with rows to compare, "
        f"{len({pairs[index][0] for index in results})} kernels): "
        f"{len(results) - failed} passed, {failed} failed, "
        f"worst error {errors or 'none'}"
    )


def new_parser():
    parser = harness.new_parser(__doc__)
    harness.add_run_arguments(parser)
    add_bundle_arguments(parser)
    parser.add_argument("--target", default="h200", help="default: h200")
    parser.add_argument("--seed", type=int, help="of the inputs (default: the time)")
    parser.add_argument("--list", action="store_true", help="print combinations only")
    parser.add_argument(
        "--cross-section", action="store_true",
        help="a dozen small combinations in this process, for compute-sanitizer",
    )
    parser.add_argument(
        "--determinism", type=int, metavar="N",
        help="launch one kernel (with --filter: each) N times; all bits agree",
    )
    parser.add_argument("--json", metavar="FILE", help="write all results")
    parser.add_argument(
        "--in-process", action="store_true", help="run in this process"
    )
    parser.add_argument(
        "--limit", type=float, default=60,
        help="seconds for one combination before it counts as hung (default: 60)",
    )
    parser.add_argument(
        "--restarts", type=int, default=12,
        help="child processes that may die before the rest is given up (default: 12)",
    )
    parser.add_argument("--verbose", action="store_true", help="passes too, tracebacks")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def main():
    arguments = new_parser().parse_args()
    pairs = cases.combinations()
    if arguments.seed is None:
        arguments.seed = int(time.time()) * 1000 % 2**40
    if arguments.worker:
        run_worker(pairs, arguments)
    # One process picks the seed; children get it.
    arguments.passed_on = [
        "--bundles", arguments.bundles, "--lower=" + arguments.lower,
        "--target", arguments.target, "--seed", str(arguments.seed), "--strict",
    ] + (["--verbose"] if arguments.verbose else [])

    chosen = [i for i, p in enumerate(pairs) if re.search(arguments.filter, describe(p))]
    if arguments.cross_section:
        section = cases.cross_section([pairs[i] for i in chosen])
        chosen = [i for i in chosen if pairs[i] in section]
    if arguments.list:
        for i in chosen:
            print(describe(pairs[i]))
        print(f"{len(chosen)} combinations")
        return
    if not chosen:
        sys.exit(f"no combination matches '{arguments.filter}'")
    torch, _ = harness.require_gpu(arguments.strict)
    records = [
        job(pairs[i][0], arguments.bundles, arguments.lower, arguments.target).record()
        for i in chosen
    ]
    if not any(records):
        harness.skip(f"no bundles in {arguments.bundles}: run compile.py", arguments.strict)
    print(f"{harness.describe_device(torch)}; seed {arguments.seed}", flush=True)

    if arguments.determinism:
        chosen_pairs = choose_for_determinism([pairs[i] for i in chosen], arguments)
        sys.exit(1 if run_determinism(chosen_pairs, arguments) else 0)

    results = {}

    def emit(event):
        if "end" not in event:
            return
        index = event.pop("end")
        results[index] = event
        text = ", ".join(f"{k} {v:.3g}" for k, v in event.items() if k != "problems")
        if event["problems"]:
            problems = "; ".join(event["problems"])
            print(f"FAILED {describe(pairs[index])}: {problems}", flush=True)
        elif arguments.verbose:
            print(f"passed {describe(pairs[index])}: {text}", flush=True)

    begin = time.monotonic()
    if arguments.in_process or arguments.cross_section:
        if not run_here(chosen, pairs, arguments, emit):
            for index in chosen:
                if index not in results:
                    emit({"end": index, "problems": ["not run: the device had failed"]})
    else:
        run_in_children(chosen, arguments, emit)
    for index in chosen:
        if index not in results:
            results[index] = {"problems": ["not run"]}
    harness.write_json(
        arguments.json,
        {
            "device": harness.describe_device(torch),
            "seed": arguments.seed,
            "seconds": round(time.monotonic() - begin, 1),
            "summary": count_line(results, pairs),
            "results": [
                {"combination": describe(pairs[i]), **results[i]} for i in sorted(results)
            ],
        },
    )
    print(count_line(results, pairs))
    sys.exit(1 if any(r["problems"] for r in results.values()) else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Waves that share a SIMD of MI300X, from the code of their main loop alone.

    two_waves.py FILE.s...                      a table: 1 and 2 waves of each file
    two_waves.py FILE.s... --sensitivity        the same for each doubtful assumption
    two_waves.py FILE.s... --stalls             what the waves wait for

llvm-mca, which static_mi300x.py asks, runs one wave. Two workgroups of 4 waves live on
a CU here, so two waves share each SIMD: the matrix core may work for one of them while
the other is in its softmax, and `s_setprio` says who goes first. This is a model of
that: some waves run the main loop of a file for ever, each starting later than the one
before by the same offset, for several offsets. It was never compared with an MI300X.

  passes / MFMA    passes of 4 cycles over those that the MFMA of all waves take: 1 is
                   a matrix core that never rests; the mean over offsets, and the worst
  MFMA %           of the passes, in how many the matrix core works
  prio             s_setprio is obeyed; else it takes its slot and no more, which
                   tells what priority does from what its order of code does
  VALU %, LDS %    (--stalls) in how many the port of VALU is taken, by MFMA, too, and
                   in how many LDS works

What the model takes for true, and where from:

 1. Time is in passes of 4 cycles. A SIMD has its turn each 4 cycles, and starts up to
    one instruction of each wave, in order, and up to one of each kind: VALU, SALU and
    SMEM, LDS, VMEM, branch; MFMA goes by the port of VALU. [ROCm Compute Profiler,
    Pipeline descriptions: Scheduler; llvm-mca: issue width 1]
 2. Who of two goes first: higher priority of s_setprio [CDNA3 ISA, S_SETPRIO]; then the
    older wave, always the same one (--arbiter oldest), or the one that went longer ago
    by this port (round-robin) [assumed].
 3. MFMA keeps the matrix core for 8 passes (32x32x8) or 4 (16x16x16) and the VALU port
    for one. [AMD Matrix Instruction Calculator, CDNA3: a 16x16x32 of fp8 takes 16
    cycles, of which VALU may use 12; peak rate] Another MFMA of any wave waits for the
    core at its place in the wave: nothing overtakes. [assumed]
 4. The result of a P-pass MFMA is read by others P + 4 passes after the start; as the C
    of an MFMA of the same registers after P (nothing but the core's turn), of
    overlapping ones after P + 2. [LLVM's GCNHazardRecognizer for gfx940: P + 3, 0 and P
    + 1 wait states between; llvm-mca: latencies 12 and 8]
 5. VALU takes its port for one pass, packed f32 as well [peak rate of vector f32];
    v_exp, log, rcp, rsq, sqrt, sin, cos for 4 [quarter rate: LLVM's SISchedule.td; no
    source says that it keeps other VALU away as long]. All others for one, conversions,
    too [assumed; our loops have none]. The next instruction of the wave may read the
    result (--valu-latency) [llvm-mca: 1]. What hazards ask for beyond that stands in
    the code as s_nop.
 6. LDS has two ports of 64 bytes a cycle, each for two SIMDs, which do the same here: a
    wave's read takes 32 bytes a cycle of it, b128 8 passes, b64 4, b32 2; writes send
    an address of 4 bytes a lane, too: b128 10, b64 6, b32 4. [Pipeline descriptions:
    LDS; others measured 128 bytes a cycle of a CU for reads on MI308X, and 76 for b128
    writes, which is 14 passes; --lds-scale] Permutes are like b32 [assumed]. No bank
    conflicts. [assumed: our layouts are swizzled]
 7. LDS answers in order, --lds-latency cycles after it takes an instruction on (64)
    [assumed], and keeps up to --lds-queue ones waiting (4) before the wave has to
    [assumed]. Latencies of LDS and VMEM vary by a quarter of them either way
    (--jitter), with a seed for each offset: without, waves fall into step in a way that
    a pass more or less of some latency changes. [assumed]
 8. VMEM: a CU has 64 bytes a cycle for its 4 SIMDs: dwordx4 16 passes, in order,
    --vmem-latency cycles (600) [rate: measured by others on MI308X; latency assumed].
 9. s_waitcnt holds the wave until no more than n of its own are under way; results of
    memory are ordered by it alone [CDNA3 ISA, S_WAITCNT]. s_nop N is N + 1 passes of
    its wave [measured by others: s_nop 10 takes 44 cycles]. Neither of them, nor
    s_setprio and s_barrier, takes a port [Pipeline descriptions: internal
    instructions].
10. The waves of one workgroup, on the 4 SIMDs, do the same at the same time, so that
    s_barrier takes its slot and no more. [assumed; it hides what they wait in truth]
11. A branch holds its wave for 8 passes. [llvm-mca's latency] The code is always there:
    no misses of the instruction cache. [assumed]
"""

import argparse
import random
import re
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from common import harness, markdown
from static_mi300x import FLOP_OF_PASS, LANES, classify, main_loop, mfma_flop

CYCLES_OF_PASS = 4
MFMA_READ = 4  # passes after the matrix core's last till anyone reads the result
MFMA_OVERLAP = 2  # the same for C of an MFMA of overlapping registers
TRANSCENDENTAL = 4
BRANCH = 8
LDS_PORT = 64 / 2  # bytes of a cycle and SIMD
LDS_ADDRESS = 4  # bytes of a lane that a write sends beside its data
VMEM_PORT = 64 / 4

# What a wave does in a pass: it starts an instruction, or waits for one of the others.
STALLS = ("starts", "s_nop, branch", "vmcnt", "lgkmcnt", "register", "matrix core", "port",
          "queue")

WARM_UP = 6  # iterations that are not counted
COUNTED = 24


@dataclass(frozen=True)
class Model:
    """The assumptions that options change; latencies in cycles, the rest in passes."""

    arbiter: str = "oldest"
    obey_priority: bool = True
    lds_latency: int = 64
    lds_queue: int = 4
    lds_scale: float = 1.0
    vmem_latency: int = 600
    valu_latency: int = 1
    transcendental: int = TRANSCENDENTAL
    jitter: float = 0.25  # share by which latencies of memory vary
    seed: int = 0
    matrix_port: bool = False  # MFMA has a port of its own, not that of VALU


# ---------------------------------------------------------------------------
# Instructions

REGISTERS = re.compile(r"\b([vsa])\[(\d+):(\d+)\]|\b([vsa])(\d+)\b|\b(vcc|exec)\b")
WIDTH = re.compile(r"_[bui](\d+)|_dwordx?(\d*)|_[us]?(byte|short)")
COUNTER = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
NO_RESULT = re.compile(r"(ds_write|(buffer|global|flat|scratch)_store|s_cmp|s_bitcmp)")
TWO_RESULTS = re.compile(r"v_(add|sub|subrev|addc|subb|subbrev)_co_|v_div_scale|v_mad_[ui]64")
PORTS = {"MFMA": "VALU", "exp": "VALU", "SMEM": "SALU", "wait": None, "barrier": None}


class Instruction(NamedTuple):
    text: str
    port: str  # None: internal, at no port
    busy: int = 1  # passes of the port, or of the memory behind it
    reads: frozenset = frozenset()  # besides `adds`
    writes: frozenset = frozenset()
    adds: tuple = ()  # C of an MFMA
    matrix: int = 0  # passes of the matrix core
    counter: str = ""  # that a memory access raises
    limits: tuple = ()  # (counter, at most) of s_waitcnt
    priority: int = None  # that s_setprio sets
    hold: int = 1  # passes of the wave


def registers(operand):
    """The 32-bit registers of an operand, in order."""
    found = []
    for kind, first, last, single, number, special in REGISTERS.findall(operand):
        if kind:
            found += [f"{kind}{i}" for i in range(int(first), int(last) + 1)]
        else:
            found.append(special or single + number)
    return tuple(found)


def operands(text):
    """The operands of an instruction: split at commas outside of brackets."""
    rest = text.split(None, 1)
    return re.split(r",\s*(?![^\[]*\])", rest[1]) if len(rest) > 1 else []


def access_bytes(text):
    """Bytes of a lane that a memory instruction moves."""
    name = text.split()[0]
    width = WIDTH.search(name)
    if not width:
        raise ValueError(f"no width is known of the memory access '{text}'")
    if width[1]:
        return int(width[1]) // 8 * (2 if re.match(r"ds_(read|write)2", name) else 1)
    return 4 * int(width[2] or 1) if width[2] is not None else 4


def lds_passes(text, model):
    size = access_bytes(text)
    if text.startswith("ds_write"):
        size += LDS_ADDRESS
    return max(1, round(LANES * size / LDS_PORT / CYCLES_OF_PASS * model.lds_scale))


def decode_wait(text):
    """s_waitcnt, s_nop and s_sleep."""
    name, value = (text.split(None, 1) + [""])[:2]
    if name == "s_nop":
        return Instruction(text, None, hold=int(value, 0) + 1)
    limits = tuple((counter, int(most)) for counter, most in COUNTER.findall(value))
    if name != "s_waitcnt" or not limits:
        raise ValueError(f"expected s_nop or s_waitcnt of vmcnt and lgkmcnt, but got '{text}'")
    return Instruction(text, None, limits=limits)


def decode_mfma(text, model):
    passes = mfma_flop(text) // FLOP_OF_PASS
    target, a, b, c = operands(text)[:4]
    return Instruction(
        text, "matrix" if model.matrix_port else "VALU",
        reads=frozenset(registers(a) + registers(b)), writes=frozenset(registers(target)),
        adds=registers(c), matrix=passes)


def decode(text, model):
    kind = classify(text)
    port = PORTS.get(kind, kind)
    if kind == "MFMA":
        return decode_mfma(text, model)
    if kind == "wait":
        return decode_wait(text)
    if kind == "barrier":
        return Instruction(text, None)
    if kind == "branch":
        return Instruction(text, port, hold=BRANCH)
    if text.startswith("s_setprio"):
        return Instruction(text, None, priority=int(text.split()[1], 0))
    split = operands(text)
    results = 0 if NO_RESULT.match(text) else 2 if TWO_RESULTS.match(text) else 1
    reads = frozenset(r for operand in split[results:] for r in registers(operand))
    writes = frozenset(r for operand in split[:results] for r in registers(operand))
    made = Instruction(text, port, reads=reads, writes=writes)
    if kind == "exp":
        return made._replace(busy=model.transcendental)
    if kind == "LDS":
        return made._replace(busy=lds_passes(text, model), counter="lgkmcnt")
    if kind == "VMEM":
        busy = max(1, round(LANES * access_bytes(text) / VMEM_PORT / CYCLES_OF_PASS))
        return made._replace(busy=busy, counter="vmcnt")
    return made._replace(counter="lgkmcnt") if kind == "SMEM" else made


# ---------------------------------------------------------------------------
# The SIMD


class Memory:
    """LDS or VMEM: takes on instructions in order, each for some passes, and answers
    in order after a latency that varies."""

    def __init__(self, latency, queue, model):
        self.latency = latency / CYCLES_OF_PASS
        self.queue = queue
        self.jitter = model.jitter
        self.random = random.Random(model.seed)
        self.free = 0
        self.answered = 0
        self.starts = deque()  # of those that are not taken on yet

    def room(self, now):
        while self.starts and self.starts[0] <= now:
            self.starts.popleft()
        return len(self.starts) <= self.queue

    def start(self, now, busy):
        """When the answer is there."""
        begin = max(now, self.free)
        self.free = begin + busy
        self.starts.append(begin)
        varied = self.latency * (1 + self.jitter * (2 * self.random.random() - 1))
        self.answered = max(self.answered, begin + round(varied), self.free)
        return self.answered


@dataclass
class Wave:
    age: int  # 0 is the oldest
    resume: int  # the pass in which its next instruction may start
    place: int = 0
    laps: list = field(default_factory=list)  # passes in which an iteration was over
    priority: int = 0
    ready: dict = field(default_factory=dict)  # register -> pass
    sums: dict = field(default_factory=dict)  # register -> (D of its MFMA, last pass)
    under_way: dict = field(default_factory=lambda: {"vmcnt": [], "lgkmcnt": []})
    turns: dict = field(default_factory=dict)  # port -> pass of the last turn

    def operands_ready(self, op, now):
        ready = self.ready
        if any(ready.get(r, 0) > now for r in op.reads):
            return False
        if not op.matrix:  # MFMA finish in order, so that only others wait to write
            return all(ready.get(r, 0) <= now for r in op.writes)
        return all(self.sum_ready(r, op.adds) <= now for r in op.adds)

    def sum_ready(self, register, adds):
        """When an MFMA may take a register as its C."""
        if register not in self.sums:
            return self.ready.get(register, 0)
        same, end = self.sums[register]
        return end if same == adds else end + MFMA_OVERLAP

    def held_by(self, op, now):
        """The counter that s_waitcnt waits for, if any."""
        for counter, most in op.limits:
            left = [end for end in self.under_way[counter] if end > now]
            self.under_way[counter] = left
            if len(left) > most:
                return counter
        return ""


class Simd:
    """One SIMD of a CU and its waves; `step` is a pass."""

    def __init__(self, body, starts, model):
        self.model = model
        self.body = [decode(text, model) for text in body]
        self.waves = [Wave(age, start) for age, start in enumerate(starts)]
        self.now = 0
        self.port_free = {"VALU": 0, "matrix": 0}  # of the others, a turn is a pass
        self.core_free = 0
        self.memory = {
            "LDS": Memory(model.lds_latency, model.lds_queue, model),
            "VMEM": Memory(model.vmem_latency, 16, model),
            "SALU": Memory(model.vmem_latency, 16, model),  # SMEM: none in our loops
        }
        self.busy = Counter()  # passes
        self.stalls = Counter()  # passes of waves, all together

    def rank(self, wave):
        """The order in which waves are asked."""
        port = self.body[wave.place].port
        turn = wave.turns.get(port, -1) if self.model.arbiter == "round-robin" else 0
        return (-wave.priority, turn, wave.age)

    def obstacle(self, wave, op, taken):
        """What keeps an instruction from its start: a name, empty if nothing does."""
        if wave.resume > self.now:
            return "s_nop, branch"
        held = wave.held_by(op, self.now)
        if held:
            return held
        if op.matrix and self.core_free > self.now:
            return "matrix core"
        if not wave.operands_ready(op, self.now):
            return "register"
        if op.port in taken or self.port_free.get(op.port, 0) > self.now:
            return "port"
        if op.counter and not self.memory[op.port].room(self.now):
            return "queue"
        return ""

    def start(self, wave, op):
        now = self.now
        if op.counter:
            end = self.memory[op.port].start(now, op.busy)
            wave.under_way[op.counter].append(end)
        elif op.matrix:
            self.core_free = now + op.matrix
            target = tuple(registers(operands(op.text)[0]))
            for register in op.writes:
                wave.ready[register] = now + op.matrix + MFMA_READ
                wave.sums[register] = (target, now + op.matrix)
            self.port_free[op.port] = now + 1
        elif op.port:
            latency = op.busy - 1 + (self.model.valu_latency if op.port == "VALU" else 1)
            for register in op.writes:
                wave.ready[register] = now + latency
                wave.sums.pop(register, None)
            self.port_free[op.port] = now + op.busy
        if op.priority is not None and self.model.obey_priority:
            wave.priority = op.priority
        wave.turns[op.port] = now
        wave.resume = now + op.hold
        wave.place = (wave.place + 1) % len(self.body)
        if wave.place == 0:
            wave.laps.append(now)

    def step(self):
        taken = set()
        for wave in sorted(self.waves, key=self.rank):
            op = self.body[wave.place]
            stall = self.obstacle(wave, op, taken)
            self.stalls[stall or "starts"] += 1
            if not stall:
                self.start(wave, op)
                if op.port:
                    taken.add(op.port)
        self.busy["VALU"] += self.port_free["VALU"] > self.now
        self.busy["LDS"] += self.memory["LDS"].free > self.now
        self.now += 1


# ---------------------------------------------------------------------------
# Measurement


class Run(NamedTuple):
    """Of one offset, over the passes that are counted."""

    ratio: float  # passes over those of MFMA
    busy: dict  # name -> share of passes
    stalls: dict  # what waves did -> passes of an iteration of one wave, over its MFMA
    slowest: float  # passes of an iteration of the slowest wave


def iterations_per_pass(wave, begin):
    """From the end of one iteration to that of another: parts of one do not count."""
    laps = [lap for lap in wave.laps if lap >= begin]
    return (len(laps) - 1) / (laps[-1] - laps[0]) if len(laps) > 1 else 0


def simulate(body, starts, model, iterations=COUNTED):
    """Runs until the waves have done so many iterations, counted from when the last one
    has done WARM_UP or is known to starve."""
    simd = Simd(body, starts, model)
    waves, matrix = simd.waves, sum(op.matrix for op in simd.body)
    patience = max(starts) + 100 * WARM_UP * len(body) * len(starts)

    def done():
        return sum(len(wave.laps) for wave in waves)

    while min(len(wave.laps) for wave in waves) < WARM_UP and simd.now < patience:
        simd.step()
    begin, before, busy, stalls = simd.now, done(), +simd.busy, +simd.stalls
    while done() - before < iterations * len(waves):
        simd.step()
        if simd.now - begin > patience * iterations:
            raise RuntimeError("the waves wait for ever")
    passes = simd.now - begin
    rates = [iterations_per_pass(wave, begin) for wave in waves]
    share = {name: (simd.busy[name] - busy[name]) / passes for name in ("VALU", "LDS")}
    share["MFMA"] = sum(rates) * matrix
    unit = sum(rates) * matrix * passes
    return Run(1 / share["MFMA"], share,
               {name: (simd.stalls[name] - stalls[name]) / unit for name in STALLS},
               1 / min(rates) if min(rates) else float("inf"))


def over_offsets(body, waves, model, offsets):
    """Runs of as many offsets, parts of what an iteration of one wave takes."""
    alone = simulate(body, [0], model)
    if waves == 1:
        return [alone]
    # Waves that start at the same time, or after each other at equal distances.
    shift = alone.slowest / offsets
    return [simulate(body, [round(shift * part * wave) for wave in range(waves)],
                     replace(model, seed=part)) for part in range(offsets)]


def summary(runs):
    def mean(values):
        return sum(values) / len(runs)

    return {
        "mean": mean(run.ratio for run in runs), "worst": max(run.ratio for run in runs),
        "busy": {name: mean(run.busy[name] for run in runs) for name in runs[0].busy},
        "stalls": {name: mean(run.stalls[name] for run in runs) for name in STALLS},
        "iteration of the slowest": mean(run.slowest for run in runs),
    }


def measure(body, waves, model, offsets):
    """Numbers of some waves, with and without obeying s_setprio."""
    found = {"ignored": summary(over_offsets(
        body, waves, replace(model, obey_priority=False), offsets))}
    prioritized = any(text.startswith("s_setprio") for text in body)
    found["obeyed"] = summary(over_offsets(
        body, waves, replace(model, obey_priority=True), offsets)) if prioritized else None
    return found


def columns(waves):
    names = [f"{waves} wave{'s' if waves > 1 else ''}"]
    return names if waves == 1 else names + ["worst", "MFMA %", "prio", "worst", "MFMA %"]


def cells(found, waves):
    plain, prio = found["ignored"], found["obeyed"]
    if waves == 1:
        return [f"{plain['mean']:.3f}"]

    def shown(numbers):
        if not numbers:
            return ["", "", ""]
        return [f"{numbers['mean']:.3f}", f"{numbers['worst']:.3f}",
                f"{100 * numbers['busy']['MFMA']:.1f}"]

    return shown(plain) + shown(prio)


def variations(model):
    """The model with one assumption changed at a time, by name."""
    changes = {
        "as given": {},
        "round-robin": {"arbiter": "round-robin"},
        "LDS latency 128": {"lds_latency": 128},
        "LDS queue 0": {"lds_queue": 0},
        "LDS 1.4 times busier": {"lds_scale": 1.4},
        "VMEM latency 1200": {"vmem_latency": 1200},
        "VALU latency 2": {"valu_latency": 2},
        "no jitter": {"jitter": 0.0},
        "v_exp at full rate": {"transcendental": 1},
        "MFMA at a port of its own": {"matrix_port": True},
    }
    return {name: replace(model, **change) for name, change in changes.items()}


def run_table(files, arguments, model):
    header = ["file"] + [name for waves in arguments.waves for name in columns(waves)]
    rows, results = [], []
    for name, body in files.items():
        row = [name]
        for waves in arguments.waves:
            found = measure(body, waves, model, arguments.offsets)
            results.append({"file": name, "waves": waves, **found})
            row += cells(found, waves)
        rows.append(row)
    print(markdown(header, rows))
    return results


def run_sensitivity(files, arguments, model):
    """A table for each number of waves: the ratio with s_setprio obeyed."""
    results = []
    for waves in arguments.waves:
        rows = []
        for label, changed in variations(model).items():
            row = [label]
            for name, body in files.items():
                found = summary(over_offsets(body, waves, changed, arguments.offsets))
                results.append({"assumption": label, "file": name, "waves": waves, **found})
                row.append(f"{found['mean']:.3f}")
            rows.append(row)
        print(markdown([f"{waves} wave{'s' if waves > 1 else ''}", *files], rows) + "\n")
    return results


def run_stalls(files, arguments, model):
    """What the waves do, in passes of an iteration of one over its MFMA."""
    rows, results = [], []
    for name, body in files.items():
        for waves in arguments.waves:
            found = summary(over_offsets(body, waves, model, arguments.offsets))
            results.append({"file": name, "waves": waves, **found})
            row = [f"{name}, {waves}"] + [f"{found['stalls'][k]:.3f}" for k in STALLS]
            rows.append(row + [f"{100 * found['busy'][k]:.1f}" for k in ("VALU", "LDS")])
    print(markdown(["file, waves", *STALLS, "VALU %", "LDS %"], rows))
    return results


def read_files(paths):
    files = {}
    for path in map(Path, paths):
        try:
            files[path.stem] = main_loop(path.read_text()).body
        except (OSError, ValueError) as error:
            raise SystemExit(f"{path}: {error}") from error
    return files


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.s")
    parser.add_argument("--waves", nargs="+", type=int, choices=range(1, 9), default=[1, 2],
                        metavar="N", help="on the SIMD, 1 to 8 (default: 1 2)")
    parser.add_argument("--offsets", type=int, default=8, metavar="N",
                        help="starts: parts of one wave's iteration (default: 8)")
    parser.add_argument("--sensitivity", action="store_true",
                        help="one assumption changed at a time")
    parser.add_argument("--stalls", action="store_true",
                        help="what the waves wait for, s_setprio obeyed")
    parser.add_argument("--arbiter", choices=("oldest", "round-robin"), default="oldest")
    for name, kind in (("lds-latency", int), ("lds-queue", int), ("lds-scale", float),
                       ("vmem-latency", int), ("valu-latency", int), ("jitter", float)):
        default = getattr(Model, name.replace("-", "_"))
        parser.add_argument("--" + name, type=kind, default=default, metavar="N",
                            help=f"default: {default}")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.offsets < 1:
        parser.error(f"--offsets: expected 1 or more, but got {arguments.offsets}")
    model = Model(
        arbiter=arguments.arbiter, lds_latency=arguments.lds_latency,
        lds_queue=arguments.lds_queue, lds_scale=arguments.lds_scale,
        vmem_latency=arguments.vmem_latency, valu_latency=arguments.valu_latency,
        jitter=arguments.jitter)
    files = read_files(arguments.files)
    run = (run_sensitivity if arguments.sensitivity
           else run_stalls if arguments.stalls else run_table)
    try:
        results = run(files, arguments, model)
    except ValueError as error:
        raise SystemExit(str(error)) from error
    harness.write_json(arguments.json, results)


if __name__ == "__main__":
    main()

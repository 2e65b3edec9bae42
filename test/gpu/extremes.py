"""Kernels of cases.py whose scores are large, infinite or NaN, or whose inputs
are denormal: what is said of them on a GPU.

Products of queries with keys are small integers or powers of two, and scales
powers of two, so that all scores are exact in f32: the usual bounds hold.
"""

import itertools
import math

# Keys before this one lie on the left.
LEFT = 600
VALUES = (-1e4, -1e7, -1e9, -1e10, -1e30, -2e38, 1e9, 3e38)
# What is added to the scores of the keys on the left and of the others, by j mod 5.
MIXED = ((-1e9, -1e30, -2e38, -1e10, -1e7), (0.0, -1e4, -1e9, -1e30, -2e38))
# What is added by j / 256, so that maxima rise by magnitudes, or fall.
RISING = (-2e38, -1e9, 0.0, 1e7, 1e9, 3e38)
STEPS = {"rising": RISING, "falling": RISING[::-1]}
STEP = 256

MODIFICATIONS = [
    f"{how} {side} {value:g}"
    for value, (how, side) in itertools.product(
        VALUES, (("set", "left"), ("add", "left"), ("set", "right"), ("add", "right"))
    )
] + ["mixed", *STEPS]

DIMS = (64, 128, 72, 256)
# Tiles, schedule, lowering.
PIPELINES = (("", "", ""), ("", "", "wgmma=none"))
SCHEDULED = (
    ("", "splits=3", ""),
    ("query=128,key=64", "persistent sms=3 resident=1 sawtooth=force", "optimistic-max"),
    ("query=64,key=64", "sawtooth=force", "wgmma=none optimistic-max"),
)

# Inputs: scores of each third key, or of those before KEYS ("all"), are of a magnitude.
KEYS = 200
PRODUCTS = {
    "all -2e9": (-2e9,),
    "all 2e9": (2e9,),
    "each of +-2e9": (2e9, -2e9, -1e7, 1e4, 1.5e9),
    "all -3e9": (-3e9,),
    "all 1e12": (1e12,),
    "all -1e12": (-1e12,),
    "all 1e30": (1e30,),
    "all -1e37": (-1e37,),
    "each of +-1e37": (1e4, -1e9, 1e12, -1e30, 1e30, -1e37, 1e37),
}
# Dimensions whose product is of the magnitude; the rest make ordinary scores.
WIDE = 16
# What f16 has room for; then what bf16 has.
CAUSAL_INPUTS = (
    ("all -2e9", "each of +-2e9", "NaN in Q", "NaN in K", "inf in K", "-inf in K"),
    ("all -3e9", "all 1e12", "all 1e30", "each of +-1e37", "NaN in K", "-inf in K"),
)
FULL_INPUTS = (
    ("all 2e9", "growing", "NaN in V", "denormal", "inf in K"),
    ("all -1e12", "all -1e37", "growing", "NaN in V", "denormal", "NaN in Q"),
)


def constant(name, value):
    return f"%{name} = arith.constant {value:e} : f32"


def chain(index, values):
    """Text of a value %bias: values[min(%index, ...)]."""
    lines = [constant("bias0", values[0])]
    for n, value in enumerate(values[1:], 1):
        lines += [
            f"%n{n} = arith.constant {n} : index",
            f"%from{n} = arith.cmpi uge, {index}, %n{n} : index",
            constant(f"value{n}", value),
            f"%bias{n} = arith.select %from{n}, %value{n}, %bias{n - 1} : f32",
        ]
    return lines, f"%bias{len(values) - 1}"


def modification_text(name):
    """The modification `name` of MODIFICATIONS as an operand of attn.attention."""
    if name in STEPS:
        lines, bias = chain("%step", STEPS[name])
        lines = [
            f"%size = arith.constant {STEP} : index",
            "%step = arith.divui %j, %size : index",
            *lines,
            f"%y = arith.addf %s, {bias} : f32",
        ]
    elif name == "mixed":
        both, bias = chain("%which", MIXED[0] + MIXED[1])
        lines = [
            f"%left = arith.constant {LEFT} : index",
            f"%five = arith.constant {len(MIXED[0])} : index",
            "%zero = arith.constant 0 : index",
            "%rest = arith.remui %j, %five : index",
            "%right = arith.cmpi uge, %j, %left : index",
            "%first = arith.select %right, %five, %zero : index",
            "%which = arith.addi %first, %rest : index",
            *both,
            f"%y = arith.addf %s, {bias} : f32",
        ]
    else:
        how, side, value = name.split()
        lines = [
            f"%left = arith.constant {LEFT} : index",
            f"%is = arith.cmpi {'ult' if side == 'left' else 'uge'}, %j, %left : index",
            constant("value", float(value)),
        ]
        if how == "add":
            lines.append("%other = arith.addf %s, %value : f32")
        other = "%other" if how == "add" else "%value"
        lines.append(f"%y = arith.select %is, {other}, %s : f32")
    body = "\n        ".join(lines + ["attn.yield %y : f32"])
    return f"""
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {{
        {body}
      }}"""


def change(name, j):
    """(whether key j keeps its score, what is added to it)"""
    if name in STEPS:
        steps = STEPS[name]
        return True, steps[min(j // STEP, len(steps) - 1)]
    if name == "mixed":
        biases = MIXED[j >= LEFT]
        return True, biases[j % len(biases)]
    how, side, value = name.split()
    if (j < LEFT) != (side == "left"):
        return True, 0.0
    return how == "add", float(value)


def modify(torch, name, scores):
    """Modified scores, which are f32."""
    changes = [change(name, j) for j in range(scores.shape[-1])]
    kept, added = (
        torch.tensor(column, dtype=torch.float32, device=scores.device)
        for column in ([c[0] for c in changes], [c[1] for c in changes])
    )
    # No product with 0, which an infinite score has none with.
    return (scores.float().masked_fill(kept == 0, 0.0) + added).double()


def is_large(inputs):
    return inputs in PRODUCTS or inputs == "growing"


def magnitudes(torch, inputs, count, largest):
    """The score of each key that is to be large, NaN where it is ordinary."""
    result = torch.full((count,), math.nan, dtype=torch.float64)
    if inputs == "growing":  # with every tile, from 1e3
        for j in range(0, count, 16):
            result[j] = 1e3 * (largest / 1e3) ** (j / count)
        return result
    chosen = range(min(KEYS, count)) if inputs.startswith("all") else range(0, count, 3)
    values = PRODUCTS[inputs]
    for n, j in enumerate(chosen):
        result[j] = values[n % len(values)]
    return result


def fill(torch, inputs, kernel, views, generator):
    """Overwrites q, k (and elements of v), [batch, head, index, dim] each."""
    q, k, v = views
    half = kernel.element == "f16"

    def put(view, values):
        view.copy_(values.to(view.device))

    def whole(view, low, high):
        return torch.randint(
            low, high + 1, view.shape, generator=generator, device=view.device
        ).double()

    if inputs == "denormal":
        # Products of what is below the smallest normal number with the largest powers.
        least, most, steps = (-24, 15, 1023) if half else (-133, 127, 127)
        put(q, whole(q, -steps, steps) * 2.0**least)
        put(k, (whole(k, 0, 1) * 2 - 1) * 2.0**most)
        return
    q_values, k_values = whole(q, -2, 2), whole(k, -2, 2)
    # One sign in the first dimension, so that an infinite key has a score of its sign.
    q_values[..., 0] = 1
    if is_large(inputs):
        root = 2.0**15 if half else 2.0**62
        scores = magnitudes(torch, inputs, k.shape[2], 2e9 if half else 1e37)
        scores = scores.to(k.device)
        q_values[..., :WIDE] = root
        k_values[..., :WIDE] = 0
        large = ~scores.isnan()
        k_values[:, :, large] = 0
        k_values[:, :, large, :WIDE] = (scores[large] / (WIDE * root * kernel.scale))[
            :, None
        ]
    put(q, q_values)
    put(k, k_values)
    if inputs == "NaN in Q":
        q[:, :, 5::97, 3] = math.nan
    elif inputs == "NaN in K":
        k[:, :, 2 * k.shape[2] // 3, 7] = math.nan
    elif inputs == "NaN in V":
        v[:, :, v.shape[2] // 2, 5] = math.nan
    elif inputs == "inf in K":
        k[:, :, k.shape[2] // 2, 0] = math.inf
    elif inputs == "-inf in K":
        k[:, :, : k.shape[2] // 3, 0] = -math.inf


def kernels():
    """(element, head dimension, mask, modification, pipeline, inputs) of each."""
    for n, name in enumerate(MODIFICATIONS):
        element, dim = ("bf16", "f16")[n // 2 % 2], DIMS[(n + n // 4) % len(DIMS)]
        pipeline = PIPELINES[(n + n // 4) % 2]
        yield element, dim, MASKS[(n + n // 8) % len(MASKS)], name, pipeline, ("exact",)
    for n, pipeline in enumerate(SCHEDULED):
        for m, name in enumerate(("add left -1e+10", "mixed", "rising")):
            element = ("bf16", "f16")[(n + m) % 2]
            yield element, DIMS[m % 2], MASKS[(n + m) % 2], name, pipeline, ("exact",)
    for n, dim in enumerate(DIMS):
        for m, pipeline in enumerate(PIPELINES):
            bf16 = (n + m) % 2
            mask = ("causal", "full")[n // 2 % 2 ^ m]
            inputs = (CAUSAL_INPUTS if mask == "causal" else FULL_INPUTS)[bf16]
            yield ("f16", "bf16")[bf16], dim, mask, "none", pipeline, inputs
    for n, pipeline in enumerate(SCHEDULED):
        mask = ("causal", "full")[n % 2]
        inputs = (CAUSAL_INPUTS if mask == "causal" else FULL_INPUTS)[1]
        yield "bf16", DIMS[n % 2], mask, "none", pipeline, inputs


# Rows of the first see only keys on the left, those of the last only a few.
MASKS = ("causal", "full", "bottom right", "window")

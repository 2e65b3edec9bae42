"""Reads a bundle as docs/bundle.md says, and says in lines what is in it.

    bundle.py DIR [--size axis=n,...]...

Fails where the manifest is not one: keys that are missing or that no page explains, views,
dimensions and scalars that there are not, files that are not there, sizes and digests that are
not theirs. With --size, evaluates guards and grids for these sizes.
"""

import argparse
import hashlib
import json
import os
import sys

OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "rem": lambda a, b: a % b,
    "min": min,
    "max": max,
    "and": lambda a, b: int(a and b),
    "or": lambda a, b: int(a or b),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
}


def want(condition, *what):
    if not condition:
        raise SystemExit("bundle.py: " + " ".join(str(w) for w in what))


def is_count(value, least=0):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def keys(what, table, needed, optional=()):
    want(isinstance(table, dict), what, "is no dictionary")
    want(set(needed) <= set(table), what, "lacks", set(needed) - set(table))
    unknown = set(table) - set(needed) - set(optional)
    want(not unknown, what, "has", unknown, "of which docs/bundle.md says nothing")


def check_expression(views, expression):
    if is_count(expression, least=-(2**63)):
        return
    want(isinstance(expression, list) and expression, expression, "is no expression")
    name, *operands = expression
    if name in ("size", "stride"):
        want(len(operands) == 2 and all(map(is_count, operands)), expression, "is no", name)
        want(operands[0] < len(views), expression, "names no view")
        want(operands[1] < len(views[operands[0]]["shape"]), expression, "names no dimension")
        return
    want(name in OPERATORS or name == "select", name, "is no operator")
    want(len(operands) == (3 if name == "select" else 2), expression, "has a wrong number of operands")
    for operand in operands:
        check_expression(views, operand)


def evaluate(views, sizes, expression):
    if isinstance(expression, int):
        return expression
    name, *operands = expression
    if name == "size":
        size = views[operands[0]]["shape"][operands[1]]
        return size if isinstance(size, int) else sizes[size]
    values = [evaluate(views, sizes, operand) for operand in operands]
    if name == "select":
        return values[1] if values[0] else values[2]
    return OPERATORS[name](*values)


def check_view(view):
    keys("view", view, ["name", "access", "element", "shape", "permutation"])
    want(view["access"] in ("read", "write"), view["access"], "is no access")
    want(view["element"] in ("f16", "bf16", "f32"), view["element"], "is no element type")
    for size in view["shape"]:
        want(is_count(size) or (isinstance(size, str) and size), size, "is no size")
    want(sorted(view["permutation"]) == list(range(len(view["shape"]))), view["permutation"], "is no permutation")
    print("view", view["name"], view["access"], view["element"], view["shape"], view["permutation"])


def check_parameter(views, scalars, parameter):
    kind = parameter.get("kind")
    if kind == "scalar":
        keys(kind, parameter, ["kind", "index"])
        want(is_count(parameter["index"]) and parameter["index"] < len(scalars), parameter, "names no scalar")
        return f"scalar {parameter['index']}"
    want(is_count(parameter.get("view", -1)) and parameter["view"] < len(views), parameter, "names no view")
    view = views[parameter["view"]]
    if kind == "pointer":
        keys(kind, parameter, ["kind", "view"])
        return f"pointer {view['name']}"
    if kind in ("size", "stride"):
        keys(kind, parameter, ["kind", "view", "dim"])
        want(is_count(parameter["dim"]) and parameter["dim"] < len(view["shape"]), parameter, "names no dimension")
        # What is dynamic for the kernel may be known of a program.
        if kind == "size" and "source" not in view:
            want(not is_count(view["shape"][parameter["dim"]]), parameter, "is static")
        return f"{kind} {view['name']} {parameter['dim']}"
    want(kind == "tensor_map", kind, "is no kind of parameter")
    keys(kind, parameter, ["kind", "view", "box", "swizzle"])
    box = parameter["box"]
    want(len(box) == len(view["shape"]), parameter, "has a box of another rank")
    # CUDA driver API, cuTensorMapEncodeTiled.
    want(all(is_count(b, 1) and b <= 256 for b in box), box, "is no box")
    want(parameter["swizzle"] in (0, 32, 64, 128), parameter["swizzle"], "is no swizzle")
    bytes_of = {"f16": 2, "bf16": 2, "f32": 4}[view["element"]]
    want(parameter["swizzle"] in (0, box[-1] * bytes_of), parameter, "has rows that are no span")
    return f"tensor_map {view['name']} {box} swizzle {parameter['swizzle']}"


def check_binary(directory, manifest, binary):
    keys("binary", binary, ["file", "format", "bytes", "sha256"])
    formats = ("hsaco",) if manifest["target"]["arch"].startswith("gfx") else ("cubin", "ptx")
    want(binary["format"] in formats, binary["format"], "is no format")
    want(binary["file"].endswith("." + binary["format"]), binary["file"], "is named otherwise")
    with open(os.path.join(directory, binary["file"]), "rb") as file:
        code = file.read()
    want(binary["bytes"] == len(code), binary["file"], "has another size,", len(code))
    want(binary["sha256"] == hashlib.sha256(code).hexdigest(), binary["file"], "has another digest")
    return code


def interface_digest(manifest, program, step):
    """Of what is handed over with the code."""
    (binary,) = [binary for binary in manifest["binaries"] if binary["file"] == step["binary"]]
    interface = {
        "arch": manifest["target"]["arch"],
        "binary_sha256": binary["sha256"],
        "block": step["block"],
        "kernel": step["kernel"],
        "parameters": step["parameters"],
        "scalars": [scalar["type"] for scalar in scalars_of(program, step)],
        "shared_bytes": step["shared_bytes"],
        **{key: step[key] for key in ("cluster", "overlaps") if key in step},
    }
    text = json.dumps(interface, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def scalars_of(program, step):
    """Those of the kernel; a constant says its type."""
    scalars = program["scalars"]
    numbers = step.get("scalars", range(len(scalars)))
    for number in numbers:
        want(isinstance(number, dict) or number < len(scalars), number, "is no scalar")
        if isinstance(number, dict):
            keys("constant", number, ["constant", "type"])
    return [number if isinstance(number, dict) else scalars[number] for number in numbers]


def views_of(arrays, step):
    """Those of the kernel: name, element and rank, of the program's views and the workspace."""
    if "views" not in step:
        return arrays
    result = []
    for view in step["views"]:
        keys("view of a step", view, ["base"], ["shape", "strides", "offset"])
        want(is_count(view["base"]) and view["base"] < len(arrays), view, "names no array")
        base = arrays[view["base"]]
        shape = view.get("shape", base["shape"])
        want(("shape" in view) == ("strides" in view), view, "has a shape or strides alone")
        for expression in [*view.get("shape", []), *view.get("strides", []), view.get("offset", 0)]:
            check_expression(arrays, expression)
        want(len(shape) == len(view.get("strides", shape)), view, "has another rank than strides")
        result.append({**base, "shape": shape, "source": view})
    return result


def check_step(manifest, program, arrays, step, codes, guard):
    keys(
        "step",
        step,
        ["binary", "kernel", "grid", "block", "shared_bytes", "align", "parameters", "interface_sha256"],
        ["cluster", "limits", "overlaps", "resources", "scalars", "views"],
    )
    want(step.get("overlaps", True) is True, "overlaps is there and not true")
    views, scalars = views_of(arrays, step), scalars_of(program, step)
    want(step["binary"] in codes, step["binary"], "is none of the binaries")
    want(step["kernel"].encode() in codes[step["binary"]], step["binary"], "has no kernel", step["kernel"])
    want(step["interface_sha256"] == interface_digest(manifest, program, step), "the interface has another digest")
    check_expression(views, step["grid"])
    check_expression(views, step.get("cluster", 1))
    for limit in step.get("limits", []):
        check_expression(views, limit)
        if limit[0] == "eq":
            print("equal", *map(json.dumps, limit[1:]))
    want(is_count(step["block"], 1) and step["block"] <= 1024, step["block"], "is no block")
    want(is_count(step["shared_bytes"]), step["shared_bytes"], "is no size")
    for align in step["align"]:
        keys("align", align, ["view", "bytes"])
        want(is_count(align["view"]) and align["view"] < len(views), align, "names no view")
        want(align["bytes"] in (1, 2, 4, 8, 16), align, "is no alignment")
    if "resources" in step:
        amd = ["accumulation_registers", "scalar_registers", "scalar_spills", "lds_bytes"]
        keys("resources", step["resources"], ["registers", "spill_bytes", "stack_bytes"]
             + (amd if step["binary"].endswith(".hsaco") else []))
    mapped = {p["view"] for p in step["parameters"] if p.get("kind") == "tensor_map"}
    aligned = {a["view"] for a in step["align"] if a["bytes"] % 16 == 0}
    want(mapped <= aligned, "views with tensor maps expect 16 bytes, but got", step["align"])
    print("grid", json.dumps(step["grid"]))
    if guard:
        print("guard", json.dumps(guard))
    if "views" in step:
        for view in views:
            print("of", view["name"], json.dumps({k: v for k, v in view["source"].items() if k != "base"}))
    if "scalars" in step:
        print("scalars", json.dumps(step["scalars"]))
    print("block", step["block"], "shared", step["shared_bytes"], step["binary"])
    if "overlaps" in step:
        print("overlaps")
    print("align", [(views[a["view"]]["name"], a["bytes"]) for a in step["align"]])
    print("parameters", "; ".join(check_parameter(views, scalars, p) for p in step["parameters"]))


def check_variant(manifest, program, variant, codes):
    keys("variant", variant, ["steps"], ["guard", "limits", "workspace"])
    for condition in [variant.get("guard", 1), *variant.get("limits", [])]:
        check_expression(program["views"], condition)
    for limit in variant.get("limits", []):
        print("limit", json.dumps(limit))
    arrays = list(program["views"])
    for array in variant.get("workspace", []):
        keys("workspace", array, ["name", "element", "shape"])
        for size in array["shape"]:
            check_expression(program["views"], size)
        print("workspace", array["name"], array["element"], json.dumps(array["shape"]))
        arrays.append(array)
    want(variant["steps"], "no steps")
    for number, step in enumerate(variant["steps"]):
        check_step(manifest, program, arrays, step, codes, None if number else variant.get("guard"))


def check_program(manifest, program, codes):
    keys("program", program, ["name", "views", "scalars", "variants"])
    print("program", program["name"])
    for view in program["views"]:
        check_view(view)
    accesses = [view["access"] for view in program["views"]]
    want(accesses == sorted(accesses), "views are read, then written, but got", accesses)
    names = [view["name"] for view in program["views"]]
    want(len(set(names)) == len(names), "two views of one name", names)
    for scalar in program["scalars"]:
        keys("scalar", scalar, ["name", "type"])
        print("scalar", scalar["name"], scalar["type"])
    want(program["variants"], "no variants")
    for variant in program["variants"]:
        check_variant(manifest, program, variant, codes)


def choose(program, sizes, text):
    """The variant that these sizes take. Strides are not known: only steps of the program's own views count."""
    views = program["views"]
    for number, variant in enumerate(program["variants"]):
        own = [step for step in variant["steps"] if "views" not in step]
        conditions = [variant.get("guard", 1), *(limit for step in own for limit in step.get("limits", []))]
        if all(evaluate(views, sizes, condition) for condition in conditions):
            grids = [evaluate(views, sizes, step["grid"]) for step in own]
            print(text, "variant", number, "ctas", *grids)
            return
    print(text, "no variant")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--size", action="append", default=[])
    arguments = parser.parse_args()
    with open(os.path.join(arguments.directory, "manifest.json")) as file:
        manifest = json.load(file)
    keys("manifest", manifest, ["format", "version", "target", "binaries", "programs"])
    want(manifest["format"] == "attn-mlir-bundle" and manifest["version"] == 2, "is no bundle of version 2")
    keys("target", manifest["target"], ["name", "arch"])
    programs = manifest["programs"]
    want(programs, "no programs")
    print("bundle for", manifest["target"]["name"], manifest["target"]["arch"])
    codes = {binary["file"]: check_binary(arguments.directory, manifest, binary) for binary in manifest["binaries"]}
    want(len(codes) == len(manifest["binaries"]), "a binary is there twice")
    for program in programs:
        check_program(manifest, program, codes)
    steps = [step for program in programs for variant in program["variants"] for step in variant["steps"]]
    want(set(codes) == {step["binary"] for step in steps}, "binaries that no step has")
    files = {"manifest.json", *codes}
    want(set(os.listdir(arguments.directory)) == files, "other files than", files)
    for text in arguments.size:
        sizes = {name: int(size) for name, size in (pair.split("=") for pair in text.split(","))}
        for program in programs:
            choose(program, sizes, text)


if __name__ == "__main__":
    sys.exit(main())

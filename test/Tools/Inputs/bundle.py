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
        if kind == "size":
            want(isinstance(view["shape"][parameter["dim"]], str), parameter, "is static")
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


def interface_digest(manifest, variant):
    """Of what is handed over with the code."""
    (binary,) = [binary for binary in manifest["binaries"] if binary["file"] == variant["binary"]]
    interface = {
        "arch": manifest["target"]["arch"],
        "binary_sha256": binary["sha256"],
        "block": variant["block"],
        "kernel": variant["kernel"],
        "parameters": variant["parameters"],
        "scalars": [scalar["type"] for scalar in manifest["scalars"]],
        "shared_bytes": variant["shared_bytes"],
    }
    text = json.dumps(interface, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def check_variant(manifest, variant, codes):
    views, scalars = manifest["views"], manifest["scalars"]
    keys(
        "variant",
        variant,
        ["binary", "kernel", "grid", "block", "shared_bytes", "align", "parameters", "interface_sha256"],
        ["guard", "limits", "resources"],
    )
    want(variant["binary"] in codes, variant["binary"], "is none of the binaries")
    want(variant["kernel"].encode() in codes[variant["binary"]], variant["binary"], "has no kernel", variant["kernel"])
    want(variant["interface_sha256"] == interface_digest(manifest, variant), "the interface has another digest")
    for key in ("grid", "guard"):
        if key in variant:
            check_expression(views, variant[key])
            print(key, json.dumps(variant[key]))
    for limit in variant.get("limits", []):
        check_expression(views, limit)
    want(is_count(variant["block"], 1) and variant["block"] <= 1024, variant["block"], "is no block")
    want(is_count(variant["shared_bytes"]), variant["shared_bytes"], "is no size")
    for align in variant["align"]:
        keys("align", align, ["view", "bytes"])
        want(is_count(align["view"]) and align["view"] < len(views), align, "names no view")
        want(align["bytes"] in (1, 2, 4, 8, 16), align, "is no alignment")
    if "resources" in variant:
        amd = ["accumulation_registers", "scalar_registers", "scalar_spills", "lds_bytes"]
        keys("resources", variant["resources"], ["registers", "spill_bytes", "stack_bytes"]
             + (amd if variant["binary"].endswith(".hsaco") else []))
    mapped = {p["view"] for p in variant["parameters"] if p.get("kind") == "tensor_map"}
    aligned = {a["view"] for a in variant["align"] if a["bytes"] % 16 == 0}
    want(mapped <= aligned, "views with tensor maps expect 16 bytes, but got", variant["align"])
    print("block", variant["block"], "shared", variant["shared_bytes"], variant["binary"])
    print("align", [(views[a["view"]]["name"], a["bytes"]) for a in variant["align"]])
    print("parameters", "; ".join(check_parameter(views, scalars, p) for p in variant["parameters"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--size", action="append", default=[])
    arguments = parser.parse_args()
    with open(os.path.join(arguments.directory, "manifest.json")) as file:
        manifest = json.load(file)
    keys("manifest", manifest, ["format", "version", "name", "target", "views", "scalars", "binaries", "variants"])
    want(manifest["format"] == "attn-mlir-bundle" and manifest["version"] == 2, "is no bundle of version 2")
    keys("target", manifest["target"], ["name", "arch"])
    print("bundle", manifest["name"], "for", manifest["target"]["name"], manifest["target"]["arch"])
    for view in manifest["views"]:
        check_view(view)
    accesses = [view["access"] for view in manifest["views"]]
    want(accesses == sorted(accesses), "views are read, then written, but got", accesses)
    for scalar in manifest["scalars"]:
        keys("scalar", scalar, ["name", "type"])
        print("scalar", scalar["name"], scalar["type"])
    want(manifest["variants"], "no variants")
    codes = {binary["file"]: check_binary(arguments.directory, manifest, binary) for binary in manifest["binaries"]}
    want(len(codes) == len(manifest["binaries"]), "a binary is there twice")
    for variant in manifest["variants"]:
        check_variant(manifest, variant, codes)
    want(set(codes) == {variant["binary"] for variant in manifest["variants"]}, "binaries that no variant has")
    files = {"manifest.json", *codes}
    want(set(os.listdir(arguments.directory)) == files, "other files than", files)
    for text in arguments.size:
        sizes = {name: int(size) for name, size in (pair.split("=") for pair in text.split(","))}
        for number, variant in enumerate(manifest["variants"]):
            conditions = [variant.get("guard", 1), *variant.get("limits", [])]
            if all(evaluate(manifest["views"], sizes, condition) for condition in conditions):
                print(text, "variant", number, "ctas", evaluate(manifest["views"], sizes, variant["grid"]))
                break
        else:
            print(text, "no variant")


if __name__ == "__main__":
    sys.exit(main())

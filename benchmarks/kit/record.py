"""Reads the file that run.py wrote (docs/hardware-kit.md), and says what is wrong with it."""

import json
import sys
from pathlib import Path

FORMAT, VERSION = "attn-mlir-kit-result", 1


class Damaged(Exception):
    """The file is not what run.py writes."""


def expect(condition, what):
    if not condition:
        raise Damaged(what)


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_shape(shape, where):
    expect(isinstance(shape, dict), f"{where}: expected an object")
    for name, kind in (("kernel", str), ("batch", int), ("keys", int), ("queries", int),
                       ("options", list), ("ms", dict), ("peers_ms", dict), ("failed", dict),
                       ("errors", dict), ("predictions", dict)):
        expect(isinstance(shape.get(name), kind), f"{where}: expected '{name}' of type {kind.__name__}")
    for option in shape["options"]:
        expect(isinstance(option, dict) and all(isinstance(option.get(n), str) for n in ("schedule", "lower")),
               f"{where}: expected options with 'schedule' and 'lower'")
    for name in ("ms", "failed", "errors"):
        for n in shape[name]:
            expect(n.isdigit() and int(n) < len(shape["options"]),
                   f"{where}: '{name}' speaks of option {n}, but there are {len(shape['options'])}")
    for name in ("ms", "peers_ms"):
        for n, time in shape[name].items():
            expect(number(time) and 0 < time < 1e9, f"{where}: expected a time of '{n}', but got {time!r}")


def check_record(record):
    expect(isinstance(record, dict), "expected an object")
    expect(record.get("format") == FORMAT, f"expected format '{FORMAT}', but got {record.get('format')!r}")
    expect(record.get("version") == VERSION, f"expected version {VERSION}, but got {record.get('version')!r}")
    for name in ("kit", "device", "checks"):
        expect(isinstance(record.get(name), dict), f"expected an object '{name}'")
    facts = record["kit"].get("facts")
    expect(isinstance(facts, dict) and isinstance(facts.get("facts"), dict) and isinstance(facts.get("name"), str),
           "expected 'kit' with the facts of its target")
    expect(isinstance(record.get("speed", []), list), "expected a list 'speed'")
    for i, shape in enumerate(record.get("speed", [])):
        check_shape(shape, f"speed[{i}]")


def load(path):
    """The record; or the end of the process, with what is wrong."""
    try:
        record = json.loads(Path(path).read_text())
        check_record(record)
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: expected JSON that run.py wrote, but got: {error}")
    except Damaged as error:
        sys.exit(f"{path}: {error}")
    record.setdefault("speed", [])
    withdraw(record["speed"])
    return record


def withdraw(shapes):
    """A schedule that was wrong at one size of a kernel has no times at the others."""
    wrong = {(s["kernel"], n) for s in shapes for n in s["failed"]}
    for shape in shapes:
        shape["ms"] = {n: t for n, t in shape["ms"].items() if (shape["kernel"], n) not in wrong}


def device_name(record):
    device = record["device"]
    for part in ("properties", "launcher", "smi"):
        name = device.get(part, {}).get("name") if isinstance(device.get(part), dict) else None
        if name:
            return name
    return "an unknown device"


def option_text(option):
    words = " | ".join(filter(None, (option["schedule"], option["lower"])))
    return words or "by itself"


def right(shape):
    """number -> milliseconds of the schedules that were right and were timed."""
    return {int(n): t for n, t in shape["ms"].items()}

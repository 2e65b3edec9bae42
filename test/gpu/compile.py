#!/usr/bin/env python3
"""Compiles the kernels of cases.py to bundles, for check.py. Wants no GPU."""

import re
import sys
from pathlib import Path

import cases
import harness

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "check"


def merged(first, second):
    """Options `first`, then those of `second` that it does not have."""
    names = {word.split("=")[0] for word in first.split()}
    rest = [word for word in second.split() if word.split("=")[0] not in names]
    return " ".join(first.split() + rest)


# Bytes of shared memory that a CTA may have, where they are fewer than on Hopper (docs/targets.md).
SHARED_BYTES = {"a100": 166912, "rtx4090": 101376, "rtx5090": 101376, "gb10": 101376}
HOPPERS_OWN = re.compile(r"wgmma=(all|scores)|specialize|store-tensors")


def options_on(kernel, target):
    """Options of a kernel on a target: on smaller chips what cases.py says, but for the tiles and
    the lowerings that they do not have, where the compiler takes its own."""
    schedule, lower = kernel.schedule(), kernel.lower
    if target not in SHARED_BYTES:
        return schedule, lower
    if HOPPERS_OWN.search(lower):
        lower = ""
    if kernel.kind == "attention" and kernel.tiles:
        # Roles may have put a warpgroup to each 64 rows of a tile; without, it is for fewer.
        fit = cases.fits(kernel.qk, kernel.value, kernel.tiles, kernel.options,
                         SHARED_BYTES[target])
        if not fit or lower != kernel.lower:
            schedule = kernel._replace(tiles="").schedule()
            # Threads copy what tensor maps cannot.
            lower = " ".join(re.findall(r"(?:copy|chunk)=\S+", lower))
    return schedule, lower


def job(kernel, directory, lower="", target="h200"):
    schedule, own = options_on(kernel, target)
    return harness.Job(
        Path(directory) / kernel.name,
        f"// {kernel.describe()}\n{kernel.text()}",
        schedule,
        merged(own, lower),
        target,
    )


def add_bundle_arguments(parser):
    parser.add_argument(
        "--bundles", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/check"
    )
    parser.add_argument(
        "--lower",
        default="",
        help="options of the lowering for all kernels; a kernel's own take "
        "precedence. The run half expects the same ones",
    )
    parser.add_argument(
        "--filter", default="", metavar="REGEX", help="only kernels with a match"
    )


def main():
    parser = harness.new_parser(__doc__)
    harness.add_compile_arguments(parser)
    add_bundle_arguments(parser)
    arguments = parser.parse_args()
    jobs = [
        job(kernel, arguments.bundles, arguments.lower, arguments.target)
        for kernel in cases.kernels()
        if re.search(arguments.filter, kernel.describe())
    ]
    failed = harness.compile_jobs(jobs, arguments)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

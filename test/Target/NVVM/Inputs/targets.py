"""Writes an example with targets that lack something."""

import sys

directory, example = sys.argv[1:]
with open(example) as file:
    text = file.read()


def write(name, facts):
    with open(f"{directory}/{name}.mlir", "w") as file:
        file.write(f'module attributes {{attn.target = #attn.target<"h200", {facts}>}} {{\n{text}\n}}\n')


write("no-async", 'capabilities = ["nvvm", "mma.sync", "ldmatrix", "tma"]')
for arch in ("sm_30", "sm_70", "sm_80", "sm_89", "sm_999", "gfx942", "nonsense", "sm_", "-x"):
    write(arch, f'arch = "{arch}"')
write("wgmma-sm_90", 'arch = "sm_120a"')

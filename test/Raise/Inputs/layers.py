#!/usr/bin/env python3
"""Writes a function of transformer layers: projections, attention, a gated MLP, as linalg.generic.

usage: layers.py OPERATIONS

At least so many operations, not counting those in bodies."""

import sys

from forms import Function

ROWS, WIDTH, HEADS = 128, 256, 4


def main():
    f = Function("layers")
    x = f.argument([ROWS, WIDTH], "f32")
    weights = [f.argument([WIDTH, WIDTH], "f32") for _ in range(4)]

    def heads(t):
        return f.transpose(f.expand(t, [[0], [1, 2]], [ROWS, HEADS, WIDTH // HEADS]), [1, 0, 2])

    while len(f.lines) < int(sys.argv[1]):
        q, k, v = (heads(f.contract(x, "md", w, "dn", "mn")) for w in weights[:3])
        s = f.scaled(f.contract(q, "hid", k, "hjd", "hij"), "hij", 0.125)
        o = f.transpose(f.contract(f.softmax(s, "hij"), "hij", v, "hje", "hie"), [1, 0, 2])
        o = f.contract(f.collapse(o, [[0], [1, 2]]), "md", weights[3], "dn", "mn")
        x = f.binary("arith.addf", x, "md", o, "md", "md")
        gate, up = (f.contract(x, "md", w, "dn", "mn") for w in weights[:2])
        one = f.constant(1.0)
        gated = f.map([(gate, "mn"), (up, "mn")], "mn", [
            "%n = arith.negf %in0 : f32", "%e = math.exp %n : f32", f"%d = arith.addf %e, {one} : f32",
            "%s = arith.divf %in0, %d : f32", "%r = arith.mulf %s, %in1 : f32", "%r"])
        x = f.binary("arith.addf", x, "md", f.contract(gated, "md", weights[2], "dn", "mn"), "md", "md")
    print(f.done(x).text())


if __name__ == "__main__":
    main()

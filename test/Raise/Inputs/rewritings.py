#!/usr/bin/env python3
"""Writes random functions that are attention, and such that are nearly so, each in one of many equal
ways: dimensions in any order, operands commuted, sums and factors reassociated, transposes, casts,
splits and merges of dimensions inserted.

usage: rewritings.py SEED COUNT

COUNT functions of each kind; those that are no attention have the attribute test.stays."""

import random
import sys

from forms import Function

SIZES = dict(b=2, h=2, k=2, g=3, i=9, j=11, d=8, e=16)
LOW = "0xFF800000"


class Rewriting:
    def __init__(self, name, seed, defect):
        self.random = random.Random(seed)
        self.f, self.defect = Function(name), defect
        self.batch = self.random.choice(["", "b", "h", "bh", "hb", "bk"])
        self.group = "g" if self.batch and self.random.random() < 0.4 else ""
        self.element = self.random.choice(["f32", "f32", "f16", "bf16"])

    # Equal ways

    def chance(self, share):
        return self.random.random() < share

    def shuffled(self, letters):
        letters = list(letters)
        self.random.shuffle(letters)
        return "".join(letters)

    def argument(self, letters, element):
        letters = self.shuffled(letters)
        return self.disguised(self.f.argument([SIZES[c] for c in letters], element), letters)

    def disguised(self, value, letters):
        """The same elements, perhaps in another order of dimensions, or there and back."""
        f = self.f
        if len(letters) > 1 and self.chance(0.3):
            order = list(range(len(letters)))
            self.random.shuffle(order)
            value, letters = f.transpose(value, order), "".join(letters[d] for d in order)
        if len(letters) > 1 and self.chance(0.25):
            at = self.random.randrange(len(letters) - 1)
            groups, shape = [], f.shape(value)
            for d in range(len(letters) - 1):
                groups.append([d] if d < at else [d, d + 1] if d == at else [d + 1])
            value = f.expand(f.collapse(value, groups), groups, shape)
        if self.chance(0.2):
            at = self.random.randrange(len(letters) + 1)
            groups = [[d] for d in range(len(letters))]
            if at == len(letters):
                groups[-1].append(at)
            else:
                groups = groups[:at] + [[at, at + 1]] + [[d + 2] for d in range(at, len(letters) - 1)]
            shape = list(f.shape(value))
            value = f.collapse(f.expand(value, groups, shape[:at] + [1] + shape[at:]), groups)
        if f.element(value) in ("f16", "bf16") and self.chance(0.2):
            narrow = f.element(value)
            value = f.cast(f.cast(value, letters, "f32"), letters, narrow)
        return value, letters

    def binary(self, op, lhs, rhs, out):
        """out: letters of the result."""
        f = self.f
        if op in ("arith.addf", "arith.mulf") and self.chance(0.5):
            lhs, rhs = rhs, lhs
        if op == "arith.subf" and self.chance(0.3):
            body = ["%n = arith.negf %in1 : f32", "%r = arith.addf %n, %in0 : f32", "%r"]
        elif op == "arith.divf" and self.chance(0.3):
            one = f.constant(1.0)
            body = [f"%n = arith.divf {one}, %in1 : f32", "%r = arith.mulf %n, %in0 : f32", "%r"]
        else:
            body = [f"%r = {op} %in0, %in1 : f32", "%r"]
        out = self.shuffled(out)
        extents = f.extents(lhs, rhs)
        missing = [c for c in out if c not in extents]
        assert not missing, (out, lhs, rhs)
        return self.disguised(f.map([lhs, rhs], out, body, "f32"), out)

    def unary(self, lines, value, element="f32"):
        v, letters = value
        out = self.shuffled(letters)
        return self.disguised(self.f.map([(v, letters)], out, lines, element), out)

    def scaled(self, value, factor):
        c = self.f.constant(float(factor))
        if self.chance(0.3):
            half = self.f.constant(factor / 2)
            two = self.f.constant(2.0)
            lines = [f"%a = arith.mulf {half}, %in0 : f32", f"%r = arith.mulf %a, {two} : f32", "%r"]
        elif self.chance(0.3):
            inverse = self.f.constant(1 / factor)
            lines = [f"%r = arith.divf %in0, {inverse} : f32", "%r"]
        else:
            lines = [f"%r = arith.mulf %in0, {c} : f32", "%r"]
        return self.unary(lines, value)

    def contract(self, lhs, rhs, out, element="f32", init=0.0):
        if self.chance(0.5):
            lhs, rhs = rhs, lhs
        out = self.shuffled(out)
        return self.disguised(self.f.contract(*lhs, *rhs, out, element, init), out)

    def reduce(self, op, start, value, out):
        v, letters = value
        out = self.shuffled(out)
        return self.disguised(self.f.reduce(op, start, v, letters, out), out) if out else (
            self.f.reduce(op, start, v, letters, out), out)

    def wide(self, value):
        v, letters = value
        return (self.f.cast(v, letters, "f32"), letters) if self.chance(0.5) else value

    # Attention

    def mask(self, s):
        f, (value, letters) = self.f, s
        kind = self.random.choice(["none", "none", "causal", "window", "added", "booleans"])
        out = self.shuffled(letters)
        if kind in ("causal", "window"):
            # Loops are in the order of the operand's dimensions.
            i, j, low = letters.index("i"), letters.index("j"), f.constant(LOW)
            lines = [f"%i = linalg.index {i} : index", f"%j = linalg.index {j} : index"]
            lines.append("%a = arith.cmpi sle, %j, %i : index" if self.chance(0.5)
                         else "%a = arith.cmpi sge, %i, %j : index")
            if kind == "window":
                lines += ["%w = arith.constant 4 : index", "%x = arith.addi %w, %j : index",
                          "%b = arith.cmpi sge, %x, %i : index", "%c = arith.andi %a, %b : i1"]
            kept = "%c" if kind == "window" else "%a"
            lines += [f"%r = arith.select {kept}, %in0, {low} : f32", "%r"]
            return self.disguised(f.map([s], out, lines, "f32"), out)
        others = "".join(c for c in letters if c in "ij" or (c in self.batch and self.chance(0.5)))
        if kind == "added":
            m = self.argument(others, self.random.choice(["f32", "f16"]))
            return self.binary("arith.addf", s, (f.cast(*m, "f32"), m[1]), letters)
        if kind == "booleans":
            m, low = self.argument(others, "i1"), f.constant(LOW)
            lines = [f"%r = arith.select %in1, %in0, {low} : f32", "%r"]
            return self.disguised(f.map([s, m], out, lines, "f32"), out)
        return s

    def build(self):
        f, batch, group, defect = self.f, self.batch, self.group, self.defect
        rows, el = batch + group + "i", self.element
        q = self.argument(rows + "d", el)
        k = self.argument(batch + "jd", el)
        v = self.argument(batch + "je", el)
        where = self.random.choice(["scores", "scores", "q", "none"])
        if el == "f32" and where == "q":
            q = self.scaled(q, 0.25)
        q, k = self.wide(q), self.wide(k)
        s = self.contract(q, k, rows + "j", init=0.5 if defect == "scores start" else 0.0)
        if where == "scores":
            s = self.scaled(s, 0.25)
        plain = s
        s = self.mask(s)
        if defect == "other axis":
            row, key = rows.replace("i", "j"), "i"
        else:
            row, key = rows, "j"
        top = self.scaled(plain, 0.5) if defect == "other maximum" else s
        m = self.reduce("arith.maximumf", 0.0 if defect == "maximum start" else LOW, top, row)
        if defect == "no maximum":
            x = self.unary(["%r = math.exp %in0 : f32", "%r"], s)
        else:
            x = self.unary(["%r = math.exp %in0 : f32", "%r"], self.binary("arith.subf", s, m, rows + "j"))
        summed = self.scaled(x, 0.5) if defect == "other sum" else x
        l = self.reduce("arith.addf", 0.0, summed, row)
        if defect == "epsilon":
            c = f.constant("1.0e-03")
            l = self.unary([f"%r = arith.addf {c}, %in0 : f32", "%r"], l)
        weights, behind = x, self.chance(0.3) and key == "j"
        if not behind and defect != "no division":
            weights = self.binary("arith.divf", x, l, rows + "j")
        if defect == "scaled weights":
            weights = self.scaled(weights, 1.25)
        if el != "f32" and self.chance(0.6):
            weights = f.cast(*weights, el), weights[1]
        else:
            v = self.wide(v)
        o = self.contract(weights, v, rows + "e", init=1.0 if defect == "result starts" else 0.0)
        if behind and defect != "no division":
            o = self.binary("arith.divf", o, l, rows + "e")
        if el != "f32" and self.chance(0.6):
            o = f.cast(*o, el), o[1]
        returned = [o[0]]
        if defect in (None, "other logarithm") and (defect or self.chance(0.25)):
            log = self.unary(["%r = math.log %in0 : f32", "%r"], l)
            returned.append(self.binary("arith.addf", log, self.scaled(m, 2.0) if defect else m, row)[0])
        if defect == "second user":
            returned.append(self.random.choice([s, x, weights, l])[0])
        return f.done(*returned, stays=defect is not None)


DEFECTS = ["other axis", "other maximum", "no maximum", "maximum start", "other sum", "epsilon", "no division",
           "scaled weights", "result starts", "scores start", "second user", "other logarithm"]


def main():
    seed, count = map(int, sys.argv[1:])
    for number in range(count):
        print(Rewriting(f"attention_{seed}_{number}", f"{seed}-{number}", None).build().text())
        defect = DEFECTS[number % len(DEFECTS)]
        name = f"{defect.replace(' ', '_')}_{seed}_{number}"
        print(Rewriting(name, f"{seed}-{number}-not", defect).build().text())


if __name__ == "__main__":
    main()

"""Modules with regions: those of test/gpu/regions.py, and mask regions at random.

    regions.py NAME HEADS KV_HEADS DIM [QUERIES]    prints one of them; with static queries
    regions.py random SEED                          prints a mask region that is drawn
    regions.py repeated OPERATION                   prints one whose conditions, or bounds, are each used several times
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "gpu"))
import regions  # noqa: E402


class Drawn:
    """A mask region of integers: a tree of conditions on batch, head, query, key, captured
    numbers and elements of captured tensors."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def name(self, text, kind):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text} : {kind}")
        return name

    def constant(self, value):
        return self.name(f"arith.constant {value}", "index")

    def element(self, source, indices, kind):
        number = self.name(f"attn.gather {source}[{', '.join(indices)}]", f"{kind} -> i32")
        return self.name(f"arith.index_cast {number}", "i32 to index")

    def leaf(self, key):
        pick = self.random.random()
        if key:
            return "%j"
        if pick < 0.4:
            return "%i"
        if pick < 0.5:
            return self.random.choice(("%b", "%h"))
        if pick < 0.7:
            return self.constant(self.random.choice((-3, 0, 1, 7, 30, 64, 100)))
        if pick < 0.85:
            return "%n"
        return self.element("%lengths", ["%b"], "tensor<?xi32>")

    def term(self, key, depth=0):
        """A sum, a product, a quotient or less; with the key in it, or not."""
        pick = self.random.random()
        if depth > 2 or pick < 0.4:
            return self.leaf(key)
        other = self.term(False, depth + 1)
        own = self.term(key, depth + 1)
        size = self.constant(self.random.choice((1, 2, 3, 8, 33)))
        if pick < 0.55:
            return self.name(f"arith.addi {own}, {other}", "index")
        if pick < 0.7:
            sides = [own, other] if self.random.random() < 0.6 else [other, own]
            return self.name(f"arith.subi {sides[0]}, {sides[1]}", "index")
        operation = self.random.choice(("muli", "divsi", "floordivsi", "remsi", "divui",
                                        "maxsi", "minsi"))
        return self.name(f"arith.{operation} {own}, {size}", "index")

    def compare(self):
        key = self.random.random() < 0.85
        if key and self.random.random() < 0.25:
            lhs = self.element("%ids", ["%b", "%j"], "tensor<?x?xi32>")
            rhs = self.element("%ids", ["%b", "%i"], "tensor<?x?xi32>")
            predicate = self.random.choice(("eq", "eq", "sge", "sle", "slt", "sgt", "ne"))
        else:
            lhs, rhs = self.term(key), self.term(False)
            predicate = self.random.choice(
                ("sle", "slt", "sge", "sgt", "sle", "sge", "eq", "ne", "ult", "uge"))
        if self.random.random() < 0.3:
            lhs, rhs = rhs, lhs
        return self.name(f"arith.cmpi {predicate}, {lhs}, {rhs}", "index")

    def condition(self, depth=0):
        pick = self.random.random()
        if depth > 2 or pick < 0.35:
            return self.compare()
        sides = self.condition(depth + 1), self.condition(depth + 1)
        if pick < 0.7:
            return self.name(f"arith.andi {sides[0]}, {sides[1]}", "i1")
        if pick < 0.88:
            return self.name(f"arith.ori {sides[0]}, {sides[1]}", "i1")
        if pick < 0.95:
            yes = self.name("arith.constant true", "i1").split(" ")[0]
            return self.name(f"arith.xori {sides[0]}, {yes}", "i1")
        third = self.condition(depth + 1)
        return self.name(f"arith.select {third}, {sides[0]}, {sides[1]}", "i1")

    def text(self):
        result = self.condition()
        # A constant has no type behind it that differs from its own.
        lines = [line.replace("constant true : i1", "constant true") for line in self.lines]
        mask = self.random.choice(("", "", " mask(#attn.causal<bottom_right>)",
                                   " mask(#attn.window<left = 40, right = 9, align = top_left>)"))
        q, kv = "tensor<?x2x?x16xf32>", "tensor<?x1x?x16xf32>"
        body = "\n    ".join(lines + [f"attn.yield {result} : i1"])
        return f"""func.func @drawn(%q: {q}, %k: {kv}, %v: {kv}, %ids: tensor<?x?xi32>, %lengths: tensor<?xi32>,
                 %n: index) -> {q} {{
  %o = attn.attention %q, %k, %v{mask} scale(0.25)
      captures(%ids, %lengths, %n : tensor<?x?xi32>, tensor<?xi32>, index)
      keep(%b: index, %h: index, %i: index, %j: index, %ids: tensor<?x?xi32>, %lengths: tensor<?xi32>,
           %n: index) {{
    {body}
  }} {{sorted = array<i64: 0>}} : ({q}, {kv}, {kv}) -> {q}
  return %o : {q}
}}
"""


def repeated(operation):
    """A causal mask by a condition, or a bound, of which 64 operations each use the one before several times: paths through them are 2^64."""
    bound = operation == "minsi"
    lines = ["%x0 = arith.addi %i, %zero : index" if bound else "%x0 = arith.cmpi sle, %j, %i : index"]
    for n in range(64):
        operands = ", ".join([f"%x{n}"] * (3 if operation == "select" else 2))
        lines.append(f"%x{n + 1} = arith.{operation} {operands} : {'index' if bound else 'i1'}")
    if bound:
        lines.append("%last = arith.cmpi ule, %j, %x64 : index")
    body = "\n    ".join(lines)
    kind = "tensor<?x2x?x16xf32>"
    return f"""func.func @repeated(%q: {kind}, %k: {kind}, %v: {kind}) -> {kind} {{
  %o = attn.attention %q, %k, %v scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {{
    %zero = arith.constant 0 : index
    {body}
    attn.yield {'%last' if bound else '%x64'} : i1
  }} : ({kind}, {kind}, {kind}) -> {kind}
  return %o : {kind}
}}
"""


def named(name, heads, kv_heads, dim, queries="?"):
    text = regions.regions()[name].text(int(heads), int(kv_heads), int(dim), lse=True)
    return text.replace(f"tensor<?x{heads}x?x{dim}x", f"tensor<?x{heads}x{queries}x{dim}x").replace(
        f"tensor<?x{heads}x?xf32>", f"tensor<?x{heads}x{queries}xf32>")


if __name__ == "__main__":
    if sys.argv[1] == "random":
        print(Drawn(int(sys.argv[2])).text())
    elif sys.argv[1] == "repeated":
        print(repeated(sys.argv[2]))
    else:
        print(named(*sys.argv[1:]))

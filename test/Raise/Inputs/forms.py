"""Writes functions on tensors: contractions and elementwise operations by the letters of their
dimensions, as linalg.generic, and what else attention is made of."""


class Size:
    """A dynamic size: how it is called, and what it is when the function runs."""

    def __init__(self, name, value):
        self.name, self.value = name, value


def static(size):
    return size.value if isinstance(size, Size) else size


def tensor(shape, element):
    dims = "".join(("?" if isinstance(s, Size) else str(s)) + "x" for s in shape)
    return f"tensor<{dims}{element}>"


class Function:
    def __init__(self, name):
        self.name, self.arguments, self.lines, self.count = name, [], [], 0
        self.types, self.sizes, self.known = {}, {}, {}
        self.returned, self.stays = [], False

    # Values

    def fresh(self, shape=None, element=None):
        self.count += 1
        name = f"%{self.count}"
        if element:
            self.types[name] = (list(shape), element)
        return name

    def add(self, text, shape=None, element=None):
        name = self.fresh(shape, element)
        self.lines.append(f"{name} = {text}")
        return name

    def type(self, value):
        return tensor(*self.types[value])

    def shape(self, value):
        return self.types[value][0]

    def element(self, value):
        return self.types[value][1]

    def argument(self, shape, element, fill=None):
        name = f"%arg{len(self.arguments)}"
        attributes = []
        if any(isinstance(s, Size) for s in shape):
            attributes.append(f"test.shape = [{', '.join(str(static(s)) for s in shape)}]")
        if fill:
            attributes.append(f'test.fill = "{fill}"')
        self.types[name] = (list(shape), element)
        self.arguments.append((name, tensor(shape, element), attributes))
        for dim, size in enumerate(shape):
            if isinstance(size, Size) and size.name not in self.sizes:
                index = self.add(f"arith.constant {dim} : index")
                self.sizes[size.name] = self.add(f"tensor.dim {name}, {index} : {self.type(name)}")
        return name

    def scalar(self, type, value):
        name = f"%arg{len(self.arguments)}"
        text = f"{value} : {type}"
        self.arguments.append((name, type, [f"test.value = {text}"]))
        return name

    def constant(self, value, type="f32"):
        return self.add(f"arith.constant {value} : {type}")

    def splat(self, value, shape, element):
        return self.add(f"arith.constant dense<{value}> : {tensor(shape, element)}", shape, element)

    def size(self, size):
        return self.sizes[size.name]

    def empty(self, shape, element):
        dynamic = ", ".join(self.size(s) for s in shape if isinstance(s, Size))
        return self.add(f"tensor.empty({dynamic}) : {tensor(shape, element)}", shape, element)

    def fill(self, value, shape, element):
        scalar = self.constant(value, element)
        empty = self.empty(shape, element)
        type = self.type(empty)
        return self.add(f"linalg.fill ins({scalar} : {element}) outs({empty} : {type}) -> {type}", shape, element)

    # Operations

    def generic(self, inputs, output, init, body, element=None):
        """inputs: (value, letters); output: letters; body: lines of %in0, %in1, ..., %out, of
        which the last is the value to yield."""
        letters, extents = [], {}
        for value, own in [*inputs, (init, output)]:
            for dim, letter in enumerate(own):
                if letter in "01":
                    continue
                if letter not in letters:
                    letters.append(letter)
                extents[letter] = self.shape(value)[dim]
        dims = ", ".join(letters)

        def affine(own):
            return f"affine_map<({dims}) -> ({', '.join('0' if c == '0' else c for c in own)})>"

        maps = ", ".join(affine(own) for _, own in [*inputs, (init, output)])
        kinds = ", ".join('"parallel"' if c in output else '"reduction"' for c in letters)
        ins = ", ".join(v for v, _ in inputs)
        types = ", ".join(self.type(v) for v, _ in inputs)
        arguments = [f"%in{i}: {self.element(v)}" for i, (v, _) in enumerate(inputs)]
        arguments.append(f"%out: {self.element(init)}")
        taken = f"ins({ins} : {types}) " if inputs else ""
        lines = "\n".join(f"    {line}" for line in body[:-1])
        text = (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {taken}"
                f"outs({init} : {self.type(init)}) {{\n  ^bb0({', '.join(arguments)}):\n{lines}\n"
                f"    linalg.yield {body[-1]} : {self.element(init)}\n  }} -> {self.type(init)}")
        return self.add(text, self.shape(init), self.element(init))

    def extents(self, *inputs):
        return {c: self.shape(v)[d] for v, own in inputs for d, c in enumerate(own)}

    def widen(self, name, source, target, to):
        """Lines that cast a float, and the name of what they make."""
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        if source == target:
            return [], name
        op = "arith.extf" if width[source] < width[target] else "arith.truncf"
        return [f"{to} = {op} {name} : {source} to {target}"], to

    def contract(self, lhs, l, rhs, r, out, element="f32", init=0.0, scale=None):
        extents = self.extents((lhs, l), (rhs, r))
        start = self.fill(init, [extents[c] for c in out], element)
        body, a = self.widen("%in0", self.element(lhs), element, "%a")
        more, b = self.widen("%in1", self.element(rhs), element, "%b")
        body += [*more, f"%p = arith.mulf {a}, {b} : {element}", f"%r = arith.addf %out, %p : {element}", "%r"]
        return self.generic([(lhs, l), (rhs, r)], out, start, body)

    def map(self, inputs, out, body, element=None, extents=None):
        known = self.extents(*inputs) if extents is None else extents
        element = element or self.element(inputs[0][0])
        return self.generic(inputs, out, self.empty([known[c] for c in out], element), body)

    def binary(self, op, lhs, l, rhs, r, out):
        element = self.element(lhs)
        return self.map([(lhs, l), (rhs, r)], out, [f"%r = {op} %in0, %in1 : {element}", "%r"])

    def unary(self, op, value, letters):
        return self.map([(value, letters)], letters, [f"%r = {op} %in0 : {self.element(value)}", "%r"])

    def scaled(self, value, letters, factor, op="arith.mulf"):
        element = self.element(value)
        scale = self.constant(factor, element)
        return self.map([(value, letters)], letters, [f"%r = {op} %in0, {scale} : {element}", "%r"])

    def cast(self, value, letters, element):
        body, name = self.widen("%in0", self.element(value), element, "%r")
        return self.map([(value, letters)], letters, [*body, name], element) if body else value

    def reduce(self, op, start, value, letters, out):
        element = self.element(value)
        extents = self.extents((value, letters))
        init = self.fill(start, [extents[c] for c in out], element)
        return self.generic([(value, letters)], out, init, [f"%r = {op} %in0, %out : {element}", "%r"])

    def softmax_op(self, value, dimension):
        empty = self.empty(*self.types[value])
        type = self.type(value)
        return self.add(f"linalg.softmax dimension({dimension}) ins({value} : {type}) outs({empty} : {type}) -> {type}",
                        *self.types[value])

    def minus_infinity(self, element):
        return {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80", "f64": "0xFFF0000000000000"}[element]

    def softmax(self, value, letters, key="j", divide=True):
        """Decomposed; with divide=False exponentials and their sum."""
        row = letters.replace(key, "")
        m = self.reduce("arith.maximumf", self.minus_infinity(self.element(value)), value, letters, row)
        e = self.unary("math.exp", self.binary("arith.subf", value, letters, m, row, letters), letters)
        s = self.reduce("arith.addf", 0.0, e, letters, row)
        return self.binary("arith.divf", e, letters, s, row, letters) if divide else (e, s)

    def transpose(self, value, order):
        shape = [self.shape(value)[d] for d in order]
        empty = self.empty(shape, self.element(value))
        return self.add(f"linalg.transpose ins({value} : {self.type(value)}) outs({empty} : {self.type(empty)}) "
                        f"permutation = [{', '.join(map(str, order))}]", shape, self.element(value))

    def broadcast(self, value, shape, dimensions):
        empty = self.empty(shape, self.element(value))
        return self.add(f"linalg.broadcast ins({value} : {self.type(value)}) outs({empty} : {self.type(empty)}) "
                        f"dimensions = [{', '.join(map(str, dimensions))}]", shape, self.element(value))

    def collapse(self, value, groups):
        shape = []
        for group in groups:
            sizes = [self.shape(value)[d] for d in group]
            dynamic = [s for s in sizes if isinstance(s, Size)]
            product = 1
            for s in sizes:
                product *= static(s)
            if dynamic and len(sizes) > 1:
                name = "x".join(str(getattr(s, "name", s)) for s in sizes)
                shape.append(Size(name, product))
            else:
                shape.append(dynamic[0] if dynamic else product)
        text = ", ".join(str(list(g)) for g in groups)
        result = self.add(f"tensor.collapse_shape {value} [{text}] : {self.type(value)} into "
                          f"{tensor(shape, self.element(value))}", shape, self.element(value))
        for dim, size in enumerate(shape):
            if isinstance(size, Size) and size.name not in self.sizes:
                index = self.constant(dim, "index")
                self.sizes[size.name] = self.add(f"tensor.dim {result}, {index} : {self.type(result)}")
        return result

    def expand(self, value, groups, shape):
        text = ", ".join(str(list(g)) for g in groups)
        sizes = ", ".join(self.size(s) if isinstance(s, Size) else str(s) for s in shape)
        return self.add(f"tensor.expand_shape {value} [{text}] output_shape [{sizes}] : {self.type(value)} into "
                        f"{tensor(shape, self.element(value))}", shape, self.element(value))

    def named(self, op, lhs, rhs, shape, element=None, maps=None):
        element = element or self.element(lhs)
        init = self.fill(0.0, shape, element)
        stated = f" indexing_maps = [{', '.join(maps)}]" if maps else ""
        return self.add(f"{op}{stated} ins({lhs}, {rhs} : {self.type(lhs)}, {self.type(rhs)}) "
                        f"outs({init} : {self.type(init)}) -> {self.type(init)}", shape, element)

    # Text

    def done(self, *values, stays=False):
        self.returned, self.stays = list(values), stays
        return self

    def text(self):
        arguments = ", ".join(f"{n}: {t}" + (f" {{{', '.join(a)}}}" if a else "") for n, t, a in self.arguments)
        types = [self.type(v) for v in self.returned]
        result = types[0] if len(types) == 1 else f"({', '.join(types)})"
        attributes = " attributes {test.stays}" if self.stays else ""
        lines = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @{self.name}({arguments}) -> {result}{attributes} {{\n{lines}\n"
                f"  return {', '.join(self.returned)} : {', '.join(types)}\n}}\n")

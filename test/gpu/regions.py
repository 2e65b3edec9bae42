"""Score modifications and mask regions that read tensors, with what they mean.

Each Region has its MLIR text and the same in Python: functions of a score and of indices
as FlexAttention takes them, which work on tensors of indices, too (the reference).
"""

from typing import Callable, NamedTuple, Optional


class Sizes(NamedTuple):
    batch: int
    heads: int
    queries: int
    keys: int


class Region(NamedTuple):
    """`captures`: names and types, with {H} for the number of query heads. `make`: their
    values from torch, a generator and Sizes. `score` and `keep`: from these values the
    functions (score, b, h, i, j) and (b, h, i, j)."""

    name: str
    captures: tuple
    make: Callable
    score_text: str = ""
    keep_text: str = ""
    score: Optional[Callable] = None
    keep: Optional[Callable] = None
    mask: str = ""  # an attribute beside the region: causal
    sinks: bool = False
    sorted: tuple = ()  # captures whose numbers never fall

    def clauses(self, heads):
        """What stands between operands and types of attn.attention."""
        types = [text.format(H=heads) for _, text in self.captures]
        names = [name for name, _ in self.captures]
        inner = "".join(f", %{n}_: {t}" for n, t in zip(names, types))
        text = ""
        if names:
            text += f" captures({', '.join('%' + n for n in names)} : {', '.join(types)})"
        if self.sinks:
            text += f" sinks(%sinks : tensor<{heads}xf32>)"
        index = "%b: index, %h: index, %i: index, %j: index"
        if self.score_text:
            body = self.score_text.replace("{H}", str(heads))
            text += f"\n    score(%s: f32, {index}{inner}) {{{body}}}"
        if self.keep_text:
            body = self.keep_text.replace("{H}", str(heads))
            text += f"\n    keep({index}{inner}) {{{body}}}"
        return text

    def attributes(self):
        numbers = ", ".join(map(str, self.sorted))
        return f"\n    {{sorted = array<i64: {numbers}>}}" if self.sorted else ""

    def arguments(self, heads):
        """Those of the function, beside Q, K and V."""
        own = [(name, text.format(H=heads)) for name, text in self.captures]
        return own + [("sinks", f"tensor<{heads}xf32>")] * self.sinks

    def text(self, heads, kv_heads, dim, element="bf16", lse=False, scale=None):
        """A function of attention with this region, as level-1 MLIR."""
        q, kv = (f"tensor<?x{n}x?x{dim}x{element}>" for n in (heads, kv_heads))
        results = f"({q}, tensor<?x{heads}x?xf32>)" if lse else q
        mask = " mask(#attn.causal<top_left>)" if self.mask == "causal" else ""
        extra = "".join(f", %{n}: {t}" for n, t in self.arguments(heads))
        scale = round(dim**-0.5, 9) if scale is None else scale
        values = "%o, %l" if lse else "%o"
        types = results.strip("()") if lse else q
        return (
            f"func.func @f(%q: {q}, %k: {kv}, %v: {kv}{extra}) -> {results} {{\n"
            f"  {values} = attn.attention %q, %k, %v{mask} scale({scale!r})"
            f"{self.clauses(heads)}{self.attributes()}\n    : ({q}, {kv}, {kv}) -> {results}\n"
            f"  return {values} : {types}\n}}\n"
        )


def documents(torch, generator, sizes, count=None):
    """Numbers of documents that never fall; one a position, longer ones and short."""
    length = max(sizes.queries, sizes.keys, 1)
    count = count or max(1, length // 40)
    ends = torch.rand(sizes.batch, count, generator=generator, device=generator.device)
    ends = (ends.sort(dim=-1).values * length).long()
    positions = torch.arange(length, device=generator.device)
    numbers = (positions[None, :, None] >= ends[:, None, :]).sum(-1)
    return numbers.int()


def normal(torch, generator, *shape, dtype=None):
    made = torch.randn(shape, generator=generator, device=generator.device)
    return made.to(dtype) if dtype else made


def same_document(ids):
    return lambda b, h, i, j: ids[b, i] == ids[b, j]


def t5_buckets(torch, device, count=32, longest=128):
    """The bucket of each distance from 0 on (T5, appendix of "Exploring the limits of
    transfer learning with a unified text-to-text transformer"), one direction."""
    distance = torch.arange(longest + 1, device=device)
    exact = count // 2
    large = exact + (
        torch.log(distance.clamp(min=1) / exact) / torch.log(torch.tensor(longest / exact))
        * (count - exact)
    ).long()
    return torch.where(distance < exact, distance, large.clamp(max=count - 1)).int()


SAME = """
      %x = attn.gather %ids_[%b, %i] : tensor<?x?xi32> -> i32
      %y = attn.gather %ids_[%b, %j] : tensor<?x?xi32> -> i32
      %same = arith.cmpi eq, %x, %y : i32
      attn.yield %same : i1
    """
CAUSAL_OR = """
      %n = attn.gather %length_[%b] : tensor<?xi32> -> i32
      %ji = arith.index_cast %j : index to i32
      %in = arith.cmpi slt, %ji, %n : i32
      %before = arith.cmpi sle, %j, %i : index
      %p = arith.ori %in, %before : i1
      attn.yield %p : i1
    """
CHUNK = 96
CHUNKED = f"""
      %c = arith.constant {CHUNK} : index
      %x = arith.divui %i, %c : index
      %y = arith.divui %j, %c : index
      %same = arith.cmpi eq, %x, %y : index
      %before = arith.cmpi sle, %j, %i : index
      %p = arith.andi %same, %before : i1
      attn.yield %p : i1
    """
STEP, REACH = 3, 200
DILATED = f"""
      %c = arith.constant {STEP} : index
      %w = arith.constant {REACH} : index
      %x = arith.remui %i, %c : index
      %y = arith.remui %j, %c : index
      %same = arith.cmpi eq, %x, %y : index
      %d = arith.subi %i, %j : index
      %near = arith.cmpi sle, %d, %w : index
      %before = arith.cmpi sle, %j, %i : index
      %p = arith.andi %same, %near : i1
      %r = arith.andi %p, %before : i1
      attn.yield %r : i1
    """
FIRST, WINDOW = 4, 150
STREAMING = f"""
      %f = arith.constant {FIRST} : index
      %w = arith.constant {WINDOW} : index
      %d = arith.subi %i, %j : index
      %near = arith.cmpi sle, %d, %w : index
      %before = arith.cmpi sle, %j, %i : index
      %in = arith.andi %near, %before : i1
      %first = arith.cmpi slt, %j, %f : index
      %p = arith.ori %in, %first : i1
      attn.yield %p : i1
    """
BOOLEAN = """
      %zero = arith.constant 0 : i8
      %none = arith.constant 0 : index
      %x = attn.gather %table_[%b, %none, %i, %j] : tensor<?x1x?x?xi8> -> i8
      %p = arith.cmpi ne, %x, %zero : i8
      attn.yield %p : i1
    """
BIAS = """
      %none = arith.constant 0 : index
      %x = attn.gather %bias_[%none, %h, %i, %j] : tensor<1x{H}x?x?xbf16> -> bf16
      %y = arith.extf %x : bf16 to f32
      %r = arith.addf %s, %y fastmath<contract> : f32
      attn.yield %r : f32
    """
ALIBI = """
      %m = attn.gather %slopes_[%h] : tensor<{H}xf32> -> f32
      %d = arith.subi %j, %i : index
      %di = arith.index_cast %d : index to i32
      %df = arith.sitofp %di : i32 to f32
      %x = arith.mulf %df, %m fastmath<contract, reassoc> : f32
      %r = arith.addf %s, %x fastmath<contract> : f32
      attn.yield %r : f32
    """
T5 = """
      %zero = arith.constant 0 : index
      %most = arith.constant 128 : index
      %d = arith.subi %i, %j : index
      %p = arith.maxsi %d, %zero : index
      %n = arith.minsi %p, %most : index
      %u = attn.gather %buckets_[%n] : tensor<129xi32> -> i32
      %w = arith.index_cast %u : i32 to index
      %x = attn.gather %table_[%h, %w] : tensor<{H}x32xf32> -> f32
      %r = arith.addf %s, %x fastmath<contract> : f32
      attn.yield %r : f32
    """
RELATIVE = """
      %half = arith.constant 64 : index
      %zero = arith.constant 0 : index
      %most = arith.constant 128 : index
      %d = arith.subi %j, %i : index
      %e = arith.addi %d, %half : index
      %p = arith.maxsi %e, %zero : index
      %n = arith.minsi %p, %most : index
      %x = attn.gather %table_[%h, %n] : tensor<{H}x129xf16> -> f16
      %y = arith.extf %x : f16 to f32
      %r = arith.addf %s, %y fastmath<contract> : f32
      attn.yield %r : f32
    """
SOFTCAP = """
      %c = attn.gather %caps_[%b, %h] : tensor<?x{H}xf32> -> f32
      %x = arith.divf %s, %c : f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %c : f32
      attn.yield %y : f32
    """


def slopes(torch, generator, sizes):
    heads = torch.arange(1, sizes.heads + 1, device=generator.device)
    return [torch.exp2(-8.0 * heads / sizes.heads)]


def regions():
    """All of them, by name."""
    made = [
        Region("documents", (("ids", "tensor<?x?xi32>"),),
               lambda t, g, z: [documents(t, g, z)], keep_text=SAME,
               keep=same_document, mask="causal", sorted=(0,)),
        Region("documents-full", (("ids", "tensor<?x?xi32>"),),
               lambda t, g, z: [documents(t, g, z)], keep_text=SAME, keep=same_document,
               sorted=(0,)),
        Region("unsorted", (("ids", "tensor<?x?xi32>"),),
               lambda t, g, z: [t.randint(0, 5, (z.batch, max(z.queries, z.keys, 1)),
                                          generator=g, device=g.device).int()],
               keep_text=SAME, keep=same_document),
        Region("prefix", (("length", "tensor<?xi32>"),),
               lambda t, g, z: [t.randint(0, z.keys + 2, (z.batch,), generator=g,
                                          device=g.device).int()],
               keep_text=CAUSAL_OR,
               keep=lambda n: lambda b, h, i, j: (j < n[b]) | (j <= i)),
        Region("chunked", (), lambda t, g, z: [], keep_text=CHUNKED,
               keep=lambda: lambda b, h, i, j: (i // CHUNK == j // CHUNK) & (j <= i)),
        Region("dilated", (), lambda t, g, z: [], keep_text=DILATED,
               keep=lambda: lambda b, h, i, j:
               (i % STEP == j % STEP) & (i - j <= REACH) & (j <= i)),
        Region("streaming", (), lambda t, g, z: [], keep_text=STREAMING,
               keep=lambda: lambda b, h, i, j: ((i - j <= WINDOW) & (j <= i)) | (j < FIRST)),
        Region("boolean", (("table", "tensor<?x1x?x?xi8>"),),
               lambda t, g, z: [(t.rand(z.batch, 1, z.queries, z.keys, generator=g,
                                        device=g.device) < 0.5).to(t.int8)],
               keep_text=BOOLEAN,
               keep=lambda table: lambda b, h, i, j: table[b, 0, i, j] != 0),
        Region("bias", (("bias", "tensor<1x{H}x?x?xbf16>"),),
               lambda t, g, z: [normal(t, g, 1, z.heads, z.queries, z.keys,
                                       dtype=t.bfloat16)],
               score_text=BIAS,
               score=lambda bias: lambda s, b, h, i, j: s + bias[0, h, i, j]),
        Region("alibi", (("slopes", "tensor<{H}xf32>"),), slopes, score_text=ALIBI,
               score=lambda m: lambda s, b, h, i, j: s + m[h] * (j - i), mask="causal"),
        Region("t5", (("buckets", "tensor<129xi32>"), ("table", "tensor<{H}x32xf32>")),
               lambda t, g, z: [t5_buckets(t, g.device), normal(t, g, z.heads, 32)],
               score_text=T5,
               score=lambda buckets, table: lambda s, b, h, i, j:
               s + table[h, buckets[(i - j).clamp(0, 128)]], mask="causal"),
        Region("relative", (("table", "tensor<{H}x129xf16>"),),
               lambda t, g, z: [normal(t, g, z.heads, 129, dtype=t.float16)],
               score_text=RELATIVE,
               score=lambda table: lambda s, b, h, i, j:
               s + table[h, (j - i + 64).clamp(0, 128)]),
        Region("sinks", (), lambda t, g, z: [normal(t, g, z.heads)], sinks=True,
               mask="causal"),
        Region("sinks-full", (), lambda t, g, z: [normal(t, g, z.heads) * 3], sinks=True),
        Region("softcap", (("caps", "tensor<?x{H}xf32>"),),
               lambda t, g, z: [normal(t, g, z.batch, z.heads).abs() + 1],
               score_text=SOFTCAP,
               score=lambda c: lambda s, b, h, i, j:
               (s / c[b, h]).tanh() * c[b, h], mask="causal"),
        Region("softcap-documents", (("ids", "tensor<?x?xi32>"), ("caps", "tensor<?x{H}xf32>")),
               lambda t, g, z: [documents(t, g, z), normal(t, g, z.batch, z.heads).abs() + 1,
                                normal(t, g, z.heads)],
               score_text=SOFTCAP, keep_text=SAME,
               score=lambda ids, c: lambda s, b, h, i, j:
               (s / c[b, h]).tanh() * c[b, h],
               keep=lambda ids, c: same_document(ids), sinks=True),
    ]
    return {region.name: region for region in made}


def reference(torch, region, values, q, k, v, scale):
    """O and LSE in float64, from the dense matrix of scores."""
    batch, heads, queries, _ = q.shape
    keys, group = k.shape[2], heads // k.shape[1]
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    b, h, i, j = (
        torch.arange(n, device=q.device).view([-1 if d == at else 1 for d in range(4)])
        for at, n in enumerate((batch, heads, queries, keys))
    )
    captured = values[: len(region.captures)]
    scores = scale * (q @ k.transpose(2, 3))
    if region.score:
        wide = [x.double() if x.is_floating_point() else x for x in captured]
        scores = region.score(*wide)(scores, b, h, i, j)
    keep = torch.ones_like(scores, dtype=torch.bool)
    if region.keep:
        keep &= region.keep(*captured)(b, h, i, j)
    if region.mask == "causal":
        keep &= j <= i
    scores = scores.masked_fill(~keep, float("-inf"))
    if region.sinks:
        sink = values[-1].double().view(1, -1, 1, 1).expand(batch, heads, queries, 1)
        scores = torch.cat([scores, sink], dim=-1)
    lse = scores.logsumexp(dim=-1)
    weights = (scores - lse.masked_fill(lse == float("-inf"), 0)[..., None]).exp()
    return weights[..., :keys] @ v, lse

#!/usr/bin/env python3
"""A two-layer transformer trained in bf16 with our attention, beside PyTorch's back ends and float32.

    check_training.py                 300 steps, three seeds, on a GPU
    check_training.py --device cpu    beside PyTorch's math back end alone

Weights and optimiser are float32, products and attention bf16 (autocast); the same weights, batches and order for all.
A sequence consists of eight of 64 tokens, which only attention to earlier ones can tell: the loss falls from log 64 to
about log 8. It is the mean of the last 50 steps; its gap is the difference to float32's. Ours may be at most 1.5 times the largest of those of
PyTorch's back ends to float32 or to each other. The error of the first step's gradients, all parameters as one
vector, is held to the same.
"""

import itertools
import sys

import harness

VOCABULARY, WIDTH, LAYERS, HEADS, KV_HEADS = 64, 512, 2, 8, 2
BATCH, LENGTH = 16, 512
FEW = 8
LAST = 50
MOST = 1.5


def build(torch, attend):
    """The model, whose layers call `attend(q, k, v)` with [B, H, S, D]."""
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            dim = WIDTH // HEADS
            self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv = nn.Linear(WIDTH, (HEADS + 2 * KV_HEADS) * dim, bias=False)
            self.out = nn.Linear(WIDTH, WIDTH, bias=False)
            self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            batch, length, _ = x.shape
            parts = self.qkv(self.first(x)).view(batch, length, -1, WIDTH // HEADS).transpose(1, 2)
            o = attend(*parts.split([HEADS, KV_HEADS, KV_HEADS], dim=1))
            x = x + self.out(o.transpose(1, 2).reshape(batch, length, WIDTH))
            return x + self.mlp(self.second(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.last, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

        def forward(self, ids):
            x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
            return self.head(self.last(self.blocks(x)))

    return Model()


def batch_of(torch, generator, batch, length):
    """Sequences of a few tokens each, which those before in the same sequence tell."""
    chosen = torch.rand((batch, VOCABULARY), generator=generator).argsort(-1)[:, :FEW]
    return chosen.gather(1, torch.randint(FEW, (batch, length + 1), generator=generator))


def attentions(torch, package, device):
    """Name and function of each, float32's first and ours second."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def by(backend):
        def call(q, k, v):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

        return call

    found = {
        "float32": by(SDPBackend.MATH),
        "ours": lambda q, k, v: package.torch.attention(q, k, v, causal=True)[0],
        "math": by(SDPBackend.MATH),
    }
    if device != "cpu":
        found.update({"FA2": by(SDPBackend.FLASH_ATTENTION), "cuDNN": by(SDPBackend.CUDNN_ATTENTION)})
    return found


def train(torch, name, attend, seed, arguments):
    """The loss of each step, and the gradients of the first."""
    torch.manual_seed(seed)
    model = build(torch, attend).to(arguments.device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    generator = torch.Generator().manual_seed(seed)
    losses, first = [], None
    for step in range(arguments.steps):
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * min(1.0, (step + 1) / 30)
        ids = batch_of(torch, generator, arguments.batch, arguments.length).to(arguments.device)
        with torch.autocast(arguments.device, torch.bfloat16, enabled=name != "float32"):
            logits = model(ids[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        if first is None:
            first = torch.cat([p.grad.flatten() for p in model.parameters()]).double()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses).tolist(), first


def compare(values, error):
    """(ours, the largest of PyTorch's) of differences to float32's and among PyTorch's."""
    peers = [value for name, value in values.items() if name not in ("float32", "ours")]
    theirs = [error(value, values["float32"]) for value in peers]
    theirs += [error(a, b) for a, b in itertools.combinations(peers, 2)]
    return error(values["ours"], values["float32"]), max(theirs)


def mean(values):
    return sum(values) / len(values)


def check_seed(torch, package, seed, arguments):
    """The differences of a seed: of losses, and of gradients."""
    losses, gradients = {}, {}
    for name, attend in attentions(torch, package, arguments.device).items():
        found, gradients[name] = train(torch, name, attend, seed, arguments)
        losses[name] = mean(found[-min(LAST, len(found)):])
        print(f"seed {seed}, {name}: loss {found[0]:.4f} at first, {losses[name]:.5f} at last", flush=True)
    of_loss = compare(losses, lambda a, b: abs(a - b))
    of_gradient = compare(gradients, lambda a, b: ((a - b).norm() / b.norm()).item())
    return of_loss, of_gradient


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=BATCH, help="default: %(default)s")
    parser.add_argument("--length", type=int, default=LENGTH, help="default: %(default)s")
    parser.add_argument("--strict", action="store_true", help="77 where nothing can run")
    arguments = parser.parse_args()
    if not 16 <= arguments.length <= LENGTH:
        parser.error(f"--length expects 16 to {LENGTH}, but got {arguments.length}")
    if arguments.device == "cuda":
        torch, package = harness.require_gpu(arguments.strict)
        print(harness.describe_device(torch))
    else:
        import torch

        package = harness.import_package()
    import attn_mlir.torch  # noqa: F401

    found = [check_seed(torch, package, seed, arguments) for seed in range(1, arguments.seeds + 1)]
    failed = False
    for what, each in zip(("gap of the loss", "error of the first gradients"), zip(*found)):
        # Seeds' gaps are noise of both signs: what is compared is their mean.
        ours, theirs = mean([a for a, _ in each]), mean([b for _, b in each])
        wrong = not ours <= MOST * theirs
        failed |= wrong
        print(f"{what}: ours {ours:.3e}, PyTorch's largest {theirs:.3e}, ratio {ours / theirs:.2f}"
              f" of at most {MOST}{': WRONG' if wrong else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

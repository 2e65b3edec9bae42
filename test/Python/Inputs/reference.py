"""Attention in float64 from the dense matrix of scores, by its definition."""

import torch


def indices(batch, heads, queries, keys):
    """Batch, head, query and key as tensors that broadcast to the scores."""
    sizes = (batch, heads, queries, keys)
    return [torch.arange(n).view([-1 if d == at else 1 for d in range(4)]) for at, n in enumerate(sizes)]


def window(queries, keys, left=-1, right=-1, top_left=False):
    """Which keys queries attend to, as booleans [queries, keys]."""
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    at = i if top_left else i + keys - queries
    keep = torch.ones(queries, keys, dtype=torch.bool)
    if left >= 0:
        keep &= j >= at - left
    if right >= 0:
        keep &= j <= at + right
    return keep


def attention(q, k, v, *, scale=None, keep=None, score=None, sinks=None):
    """O and LSE of arrays [batch, heads, length, dim]. ``keep``: booleans that broadcast; ``score``: a function of
    scores and four index tensors."""
    batch, heads, queries, dim = q.shape
    keys, group = k.shape[2], heads // k.shape[1]
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    scores = q @ k.transpose(2, 3) * (dim**-0.5 if scale is None else scale)
    if score is not None:
        scores = score(scores, *indices(batch, heads, queries, keys))
    if keep is not None:
        scores = scores.masked_fill(~keep, float("-inf"))
    if sinks is not None:
        column = sinks.double().view(1, -1, 1, 1).expand(batch, heads, queries, 1)
        scores = torch.cat([scores, column], dim=-1)
    lse = scores.logsumexp(dim=-1)
    weights = (scores - lse.masked_fill(lse == float("-inf"), 0)[..., None]).exp()
    return weights[..., :keys] @ v, lse


TOLERANCE = {torch.float32: 2e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2}


def check(case, got, wanted, dtype, tolerance=None):
    """``case`` is a unittest.TestCase."""
    most = TOLERANCE[dtype] if tolerance is None else tolerance
    case.assertEqual(tuple(got.shape), tuple(wanted.shape))
    if not got.numel():
        return
    got = got.double()
    case.assertTrue(torch.equal(got == float("-inf"), wanted == float("-inf")))
    error = (got - wanted).masked_fill(wanted == float("-inf"), 0).abs() / wanted.abs().clamp(min=1, max=1e6)
    case.assertFalse(error.isnan().any(), "NaN")
    case.assertLess(error.max().item(), most)

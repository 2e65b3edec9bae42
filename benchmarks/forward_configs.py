"""Schedules of forward.py: for each (head dimension, causal) the variants to try,
as (name, --schedule, --lower). The first is the one that is reported as ours;
variants of one name make a set.
"""

CONFIGS = {
    (64, False): [
        ("default", "tiles=query=128,key=64", "warps=4"),
        ("wide", "tiles=query=128,key=128", "warps=8"),
        ("small", "tiles=query=64,key=64", "warps=4"),
        ("three", "tiles=query=128,key=64", "warps=4 stages=3"),
        ("persistent", "tiles=query=128,key=64 persistent", "warps=4"),
    ],
    (64, True): [
        ("default", "tiles=query=128,key=64 grid-order=naive-head-first longest-first", "warps=4"),
        ("wide", "tiles=query=128,key=128 grid-order=naive-head-first longest-first", "warps=8"),
        ("small", "tiles=query=64,key=64 grid-order=naive-head-first longest-first", "warps=4"),
        ("three", "tiles=query=128,key=64 grid-order=naive-head-first longest-first", "warps=4 stages=3"),
        ("persistent", "tiles=query=128,key=64 persistent longest-first grid-order=naive-head-first", "warps=4"),
    ],
    (128, False): [
        ("default", "tiles=query=128,key=64", "warps=8"),
        ("wide", "tiles=query=128,key=128", "warps=8"),
        ("small", "tiles=query=64,key=64", "warps=4"),
        ("three", "tiles=query=128,key=64", "warps=8 stages=3"),
        ("persistent", "tiles=query=128,key=64 persistent", "warps=8"),
    ],
    (128, True): [
        ("default", "tiles=query=128,key=64 grid-order=naive-head-first longest-first", "warps=8"),
        ("wide", "tiles=query=128,key=128 grid-order=naive-head-first longest-first", "warps=8"),
        ("small", "tiles=query=64,key=64 grid-order=naive-head-first longest-first", "warps=4"),
        ("three", "tiles=query=128,key=64 grid-order=naive-head-first longest-first", "warps=8 stages=3"),
        ("persistent", "tiles=query=128,key=64 persistent longest-first grid-order=naive-head-first", "warps=8"),
    ],
}

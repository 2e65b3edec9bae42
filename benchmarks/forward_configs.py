"""Schedules of forward.py: for each (head dimension, causal) the variants to try,
as (name, --schedule, --lower) and perhaps --also-lower. The first is the one that is
reported as ours; variants of one name make a set.
"""


# What the compiler takes by itself; and the same with the exact maximum of each row, to
# be compared with kernels that take it.
DEFAULT = [("default", "", ""), ("exact", "", "", "optimistic-max=false")]

LONGEST_FIRST = "grid-order=naive-head-first longest-first"
PERSISTENT = "persistent resident=1"
PAIRS = PERSISTENT + " pair-tiles"

# Hopper's own pipeline: products by warpgroups, a producer warpgroup, consumers that
# compute softmax beside products and take turns.
ROLES = "wgmma=all specialize overlap ping-pong"
TWO = ROLES + " resident-stages=2"


def variants(order, *hopper):
    """The same names for every kernel; `order` is added to each schedule. "mma" has no
    `wgmma`."""
    portable = [
        ("mma", order or "splits=1", "wgmma=none"),
        ("q128k64w4", f"tiles=query=128,key=64 {order}".strip(), "warps=4"),
        ("q64k128w4", f"tiles=query=64,key=128 {order}".strip(), "warps=4"),
    ]
    return DEFAULT + portable + [
        (name, f"tiles={tiles} {schedule}".strip(), lower)
        for name, tiles, schedule, lower in hopper
    ]


CONFIGS = {
    (64, False): variants(
        "",
        ("roles", "query=192,key=128", PERSISTENT, TWO),
        ("no-roles", "query=128,key=128", "", "wgmma=all"),
    ),
    (64, True): variants(
        LONGEST_FIRST,
        ("roles", "query=192,key=128", PAIRS, TWO),
        ("no-roles", "query=128,key=128", LONGEST_FIRST, "wgmma=all"),
    ),
    (128, False): variants(
        "",
        ("roles", "query=128,key=128", PERSISTENT, TWO),
        ("k160", "query=128,key=160", PERSISTENT, TWO),
        ("k176", "query=128,key=176", PERSISTENT, ROLES),
        ("no-persistence", "query=128,key=128", "", ROLES),
    ),
    (128, True): variants(
        LONGEST_FIRST,
        ("roles", "query=128,key=128", PAIRS, TWO),
        ("k112", "query=128,key=112", PAIRS, TWO),
        ("no-persistence", "query=128,key=128", LONGEST_FIRST, ROLES),
    ),
    (256, False): variants(
        "",
        ("roles", "query=128,key=80", PERSISTENT, ROLES),
        ("k64", "query=128,key=64", PERSISTENT, ROLES),
        ("no-persistence", "query=128,key=80", "", ROLES),
    ),
    (256, True): variants(
        LONGEST_FIRST,
        ("roles", "query=128,key=80", PAIRS, ROLES),
        ("k64", "query=128,key=64", PAIRS, ROLES),
    ),
}


def ladder(order, persistent):
    """From one stage of a ring and mma.sync to ROLES, a step at a time. The rung below
    is naive_attention.py."""
    return [
        (
            name,
            f"tiles=query=128,key={keys} {persistent if TWO in lower else order}".strip(),
            lower,
        )
        for name, keys, lower in (
            ("1-one-stage", 64, "stages=1"),
            ("2-two-stages", 64, ""),
            ("3-wgmma-scores", 128, "wgmma=scores"),
            ("4-wgmma", 128, "wgmma=all"),
            ("5-specialized", 128, "wgmma=all specialize"),
            ("6-overlap", 128, "wgmma=all specialize overlap"),
            ("7-ping-pong", 128, ROLES),
            ("8-wider-tile", 176, ROLES),
            ("9-persistent", 128, TWO),
            ("9b-optimistic", 128, TWO + " optimistic-max"),
        )
    ]


NAIVE = "0-naive"
LADDER = {(128, False): ladder("", PERSISTENT), (128, True): ladder(LONGEST_FIRST, PAIRS)}

"""Schedules of forward.py: for each (head dimension, causal) the variants to try,
as (name, --schedule, --lower). The first is the one that is reported as ours;
variants of one name make a set.
"""


def variants(order):
    """The same names for every kernel; `order` is added to each schedule."""
    return [
        (name, f"tiles={tiles} {order}".strip() if "=" in tiles else f"{tiles} {order}".strip(), lower)
        for name, tiles, lower in (
            ("default", "", ""),
            ("persistent", "persistent", ""),
            ("q128k64w4", "query=128,key=64", "warps=4"),
            ("q64k128w4", "query=64,key=128", "warps=4"),
        )
    ]


LONGEST_FIRST = "grid-order=naive-head-first longest-first"

# Hopper's own pipeline: products by warpgroups, a producer warpgroup, consumers that
# compute softmax beside products and take turns.
ROLES = "wgmma=all specialize overlap ping-pong"


def hopper(order, tiles, lower):
    return [("hopper", f"tiles={tiles} {order}".strip(), lower)]


CONFIGS = {
    (64, False): variants("") + hopper("", "query=192,key=128", ROLES),
    (64, True): variants(LONGEST_FIRST)
    + hopper(LONGEST_FIRST, "query=128,key=128", "wgmma=all"),
    (128, False): variants("") + hopper("", "query=128,key=176", ROLES),
    (128, True): variants(LONGEST_FIRST) + hopper(LONGEST_FIRST, "query=128,key=128", ROLES),
}


def ladder(order):
    """From one stage of a ring and mma.sync to ROLES, a step at a time."""
    return [
        (name, f"tiles=query=128,key={keys} {order}".strip(), lower)
        for name, keys, lower in (
            ("1-one-stage", 64, "stages=1"),
            ("2-two-stages", 64, ""),
            ("3-wgmma-scores", 128, "wgmma=scores"),
            ("4-wgmma", 128, "wgmma=all"),
            ("5-specialized", 128, "wgmma=all specialize"),
            ("6-overlap", 128, "wgmma=all specialize overlap"),
            ("7-ping-pong", 128, ROLES),
            ("8-wider-tile", 176, ROLES),
        )
    ]


LADDER = {(128, False): ladder(""), (128, True): ladder(LONGEST_FIRST)}

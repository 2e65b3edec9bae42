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

CONFIGS = {
    (64, False): variants(""),
    (64, True): variants(LONGEST_FIRST),
    (128, False): variants(""),
    (128, True): variants(LONGEST_FIRST),
}

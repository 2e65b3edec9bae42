"""Every order in which the CTAs of a few parts can act on the word that they share.

The protocol of lib/Conversion/PartWords.h, from every value that the word may hold at
first: whatever the order, what is stored last is a merge of all parts' states. A CTA
begins, stores its state, says that it is done, and perhaps reads all states, one after
the other, and stores a result, which is the set of those states that were there; then it
looks once more. With `--once` it does not, which is wrong for some words.

    part_words.py [--once] PARTS [STEP]     every STEPth value of the word
"""

import sys

AGAIN, SETTLED = 1 << 62, 1 << 63
FIELDS = AGAIN - 1


def begun_from(held, low):
    return held & FIELDS | low


def changes(before, low):
    return 3 * low if before & low else AGAIN


def seen_from(before, held, low, others):
    first = bool(before & low)
    running = bool(held & others)
    bits = held ^ before
    changed = (bits | bits >> 1) & others
    again = not running and (first or changed)
    settled = first and changed == others
    now = (held ^ changes(before, low)) & FIELDS
    return now | (AGAIN if again else 0) | (SETTLED if settled else 0)


# A CTA is (place, the value it knows, what it has read).
BEGIN, STORE, END, READ, WRITE, DONE = range(6)


def explore(parts, initial, once=False):
    lows = [1 << 2 * part for part in range(parts)]
    every = sum(lows)
    start = (initial, (False,) * parts, None, ((BEGIN, 0, ()),) * parts)
    stack, known = [start], {start}
    while stack:
        word, stored, result, ctas = stack.pop()
        if all(cta[0] == DONE for cta in ctas):
            if result != (True,) * parts:
                return None
            continue
        for part, (place, value, read) in enumerate(ctas):
            low, others = lows[part], every ^ lows[part]
            next_word, next_stored, next_result = word, stored, result
            if place == BEGIN:
                own = (STORE, begun_from(word, low), ())
                next_word = word | low
            elif place == STORE:
                own = (END, value, ())
                next_stored = stored[:part] + (True,) + stored[part + 1:]
            elif place == END:
                if value & SETTLED:
                    own = (DONE, 0, ())
                else:
                    seen = seen_from(value, word, low, others)
                    next_word = word ^ changes(value, low)
                    own = (READ, seen, ()) if seen & AGAIN else (DONE, 0, ())
            elif place == READ:
                # States are read from the last on, as good as any order.
                read = (stored[parts - 1 - len(read)],) + read
                own = (WRITE if len(read) == parts else READ, value, read)
            elif place == WRITE:
                next_result, own = read, (DONE if once else END, value, ())
            else:
                continue
            state = (next_word, next_stored, next_result, ctas[:part] + (own,) + ctas[part + 1:])
            if state not in known:
                known.add(state)
                stack.append(state)
    return len(known)


def main():
    once = "--once" in sys.argv
    parts, step = (list(map(int, sys.argv[1 + once:])) + [1])[:2]
    visited = wrong = 0
    for fields in range(0, 4 ** parts, step):
        for high in (0, AGAIN, SETTLED):
            some = explore(parts, fields | high, once)
            visited, wrong = visited + (some or 0), wrong + (some is None)
    print(f"{parts} parts: {visited} states, {wrong} words from which a merge may be stale")


if __name__ == "__main__":
    main()

"""Reads a page of attn-compile --explain=json."""

import json
import sys

page = json.load(open(sys.argv[1]))
print("target", page["target"]["name"], page["target"]["facts"]["sms"])
print("from", page["schedule_from"], page["lower_from"])
(kernel,) = page["kernels"]
print("kernel", kernel["name"], dict(sorted(kernel["sizes"].items())))
fit = [c for c in page["candidates"] if "prediction" in c]
seconds = [c["prediction"]["seconds"] for c in fit]
print("sorted", seconds == sorted(seconds) and seconds[0] > 0)
chosen = [c for c in fit if (c["schedule"], c["lower"]) == (page["schedule"], page["lower"])]
print(
    "chosen among candidates",
    len(chosen) == 1 and chosen[0]["prediction"] == kernel["prediction"],
)
print(
    "every candidate has a prediction or a reason",
    all(("prediction" in c) != bool(c.get("rejected")) for c in page["candidates"]),
)
simulated = kernel["simulated"]["total"]
rate = simulated.get("hit_rate", simulated.get("hitRate"))
closed = kernel["prediction"]["l2"][0]["hit_rate"]
print(
    "hit rates of simulation and closed form differ by less than 0.1",
    abs(rate - closed) < 0.1,
)

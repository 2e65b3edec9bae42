"""The guards of a bundle, one a line."""

import json
import sys


def text(expression):
    if not isinstance(expression, list):
        return str(expression)
    return f"{expression[0]}({','.join(map(text, expression[1:]))})"


with open(f"{sys.argv[1]}/manifest.json") as file:
    manifest = json.load(file)
for program in manifest["programs"]:
    for variant in program["variants"]:
        print(text(variant.get("guard", "none")))

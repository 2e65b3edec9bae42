"""Which target a device is: the table against `attn-opt --list-targets`, and devices that differ."""

import re
import subprocess
import unittest

from attn_mlir import _errors, _targets


def listed():
    """(name, architecture): facts."""
    text = subprocess.run(["attn-opt", "--list-targets"], capture_output=True, text=True, check=True).stdout
    targets, facts = {}, None
    for line in text.splitlines():
        head, fact = re.match(r"(\S+) \((\S+)\): ", line), re.match(r"  (\w+) +(\d+) ", line)
        if head:
            facts = targets[head.groups()] = {}
        elif fact:
            facts[fact.group(1)] = int(fact.group(2))
    return targets


def stated(name, **changed):
    facts = next(row[2] for row in _targets.TABLE if row[0] == name)
    return {**{fact: facts[fact] for fact in _targets._STATED}, **changed}


class Targets(unittest.TestCase):
    def test_table(self):
        known = {target: facts for target, facts in listed().items() if target[1] != "host"}
        self.assertEqual({row[:2] for row in _targets.TABLE}, set(known))
        for name, arch, facts in _targets.TABLE:
            self.assertEqual(facts, {fact: known[name, arch][fact] for fact in facts}, name)
            self.assertEqual(set(facts), set(_targets._STATED + _targets._DERIVED))

    def test_listed(self):
        for name, arch, _ in _targets.TABLE:
            asked = arch[:-1] if arch.startswith("sm_") and arch.endswith("a") else arch
            self.assertEqual(_targets.nearest(asked, stated(name)), _targets.Target(name, arch, ()))

    def test_almost(self):
        """Clocks and parts of caches differ a little; some devices do not say."""
        near = stated("h200", dram_gbps=4810, l2_bytes=62914560 - 2**20, max_resident_ctas=0)
        self.assertEqual(_targets.nearest("sm_90", near), _targets.Target("h200", "sm_90a", ()))

    def test_others(self):
        target = _targets.nearest("sm_90", stated("h200", sms=66, dram_gbps=2400))
        self.assertEqual((target.name, target.arch), ("h200", "sm_90a"))
        overrides = dict(target.overrides)
        self.assertEqual((overrides["sms"], overrides["dram_gbps"], overrides["tensor_gflops"]), (66, 2400, 494500))
        self.assertNotIn("l2_effective_bytes", overrides)
        overrides = dict(_targets.nearest("gfx942", stated("mi300x", sms=38, l2_bytes=2097152)).overrides)
        self.assertEqual((overrides["l2_domains"], overrides["l2_effective_bytes"]), (1, 2097152))

    def test_unknown(self):
        with self.assertRaises(_errors.ArgumentError) as raised:
            _targets.nearest("sm_75", stated("a100"), "Tesla T4")
        self.assertRegex(str(raised.exception), r"gfx942, .*sm_90a.*, but got sm_75 \(Tesla T4\)")

    def test_names(self):
        self.assertEqual(_targets.named("cpu"), _targets.CPU)
        self.assertEqual(_targets.named("h100-pcie").arch, "sm_90a")
        with self.assertRaisesRegex(_errors.ArgumentError, "expected one of cpu, a100, .* but got 'h101'"):
            _targets.named("h101")


if __name__ == "__main__":
    unittest.main()

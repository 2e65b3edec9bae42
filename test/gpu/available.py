#!/usr/bin/env python3
"""Ends with 77, and says SKIPPED and why, where check.py cannot run anything."""

import harness

if __name__ == "__main__":
    harness.require_gpu(strict=True)

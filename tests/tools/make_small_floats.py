#!/usr/bin/env python3
"""Writes small_floats.json: what every bit pattern of the 8-bit (and smaller) float types means, by ml_dtypes.

usage: make_small_floats.py > small_floats.json      needs numpy and ml_dtypes, which come with TensorFlow
"""
import json

import ml_dtypes
import numpy

NAMES = ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"]


def text(value):
    """Exact; floats are told apart from each other by repr, NaN and infinities are strings."""
    value = float(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def main():
    patterns = numpy.arange(256, dtype=numpy.uint8)
    rows = {name: [text(v) for v in patterns.view(getattr(ml_dtypes, name))] for name in NAMES}
    body = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in rows.items())
    print("{" + body + "}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs an interop test with the Python that has TensorFlow: run.py TEST.py ARGUMENT...

That is SAVEDMODEL_TF_PYTHON, else the project's .venv, else the Python that runs this. The test itself skips
when TensorFlow cannot be imported.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def tensorflow_python():
    given = os.environ.get("SAVEDMODEL_TF_PYTHON")
    if given:
        if not os.path.exists(given):
            sys.exit(f"SAVEDMODEL_TF_PYTHON={given} is not there")
        return given
    venv = os.path.join(os.path.dirname(os.path.dirname(HERE)), ".venv", "bin", "python")
    return venv if os.path.exists(venv) else sys.executable


if __name__ == "__main__":
    python = tensorflow_python()
    os.execv(python, [python, os.path.join(HERE, sys.argv[1]), *sys.argv[2:]])

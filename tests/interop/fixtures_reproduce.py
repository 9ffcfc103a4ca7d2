"""The fixtures made anew by the pinned TensorFlow have the committed golden files."""

import os
import subprocess
import sys

import interop

tf = interop.tensorflow()


def pinned_version():
    with open(os.path.join(interop.FIXTURES, "requirements.txt"), encoding="utf-8") as file:
        return next(line.split("==")[1].strip() for line in file if line.startswith("tensorflow_cpu=="))


if tf.__version__ != pinned_version():
    interop.skip(f"TensorFlow is {tf.__version__}, the fixtures were made by {pinned_version()}")
sys.exit(subprocess.call([sys.executable, os.path.join(interop.FIXTURES, "make_fixtures.py"), "--check"]))

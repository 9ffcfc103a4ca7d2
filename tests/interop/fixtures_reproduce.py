"""The fixtures made anew by the pinned TensorFlow have the committed golden files."""

import os
import subprocess
import sys

import interop

tf = interop.tensorflow()
interop.require_pinned(tf)
sys.exit(subprocess.call([sys.executable, os.path.join(interop.FIXTURES, "make_fixtures.py"), "--check"]))

"""The restore scripts run anew by the pinned TensorFlow have the committed outcomes."""

import os
import subprocess
import sys

import interop

tf = interop.tensorflow()
interop.require_pinned(tf)
script = os.path.join(interop.FIXTURES, "make_restore_fixtures.py")
sys.exit(subprocess.call([sys.executable, script, "--check"]))

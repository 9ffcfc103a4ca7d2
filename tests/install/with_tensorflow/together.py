"""savedmodel and TensorFlow in one process: together.py {guest-first|tensorflow-first} GUEST MODEL

Prints the guest's answer about MODEL, a value that TensorFlow loads from it, and the guest's answer again. Exit 77
without TensorFlow.
"""
import ctypes
import importlib.util
import os
import sys

if importlib.util.find_spec("tensorflow") is None:
    print("no TensorFlow here")
    sys.exit(77)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
order, library, model = sys.argv[1:]


def load_guest():
    # RTLD_DEEPBIND: `import tensorflow` makes its own copies of protobuf and abseil visible to every library that is
    # loaded later, and they would take the place of the system's, whose versions differ. RTLD_LOCAL (the default): the
    # same the other way round.
    guest = ctypes.CDLL(library, mode=os.RTLD_LOCAL | os.RTLD_NOW | os.RTLD_DEEPBIND)
    guest.AskGuest.restype = ctypes.c_char_p
    return guest


if order == "guest-first":
    guest = load_guest()
    import tensorflow as tf
else:
    import tensorflow as tf
    guest = load_guest()

print(guest.AskGuest(model.encode()).decode())
print(float(tf.saved_model.load(model).encoder.layer.kernel[1, 2]))
print(guest.AskGuest(model.encode()).decode())

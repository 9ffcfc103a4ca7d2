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
    # As plug-ins are loaded. With RTLD_GLOBAL the system's libprotobuf, which the guest brings, would take the place
    # of TensorFlow's own inside TensorFlow, which no library that uses protobuf can prevent.
    guest = ctypes.CDLL(library)
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

"""Every message of proto/*.proto has the fields, and every enum the values, that real TensorFlow's has.

    compare_descriptors.py [DESCRIPTOR_SET]    made by `protoc --include_imports --descriptor_set_out`;
                                               without it protoc is run here

Compared, both ways: messages, enums and values, and of each field the number, name, type, label, packing, JSON
name, oneof, explicit presence and, for messages and enums, which one. What may differ is in ALLOWED.
"""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile

import interop

interop.tensorflow()

from google.protobuf import descriptor_pb2  # noqa: E402

# Our file -> TensorFlow's module.
FRAMEWORK = (
    "attr_value full_type function graph graph_debug_info node_def op_def resource_handle tensor tensor_shape "
    "tensor_slice types variable versions"
)
PROTOBUF = "fingerprint meta_graph saved_model saved_object_graph saver struct tensor_bundle trackable_object_graph"
MODULES = {
    **{name: f"tensorflow.core.framework.{name}_pb2" for name in FRAMEWORK.split()},
    **{name: f"tensorflow.core.protobuf.{name}_pb2" for name in PROTOBUF.split()},
    "checkpoint_state": "tensorflow.python.training.checkpoint_state_pb2",
    "saved_tensor_slice": "tensorflow.core.util.saved_tensor_slice_pb2",
    "keras_metadata": "tf_keras.protobuf.saved_metadata_pb2",
}
# Our file -> files that exist as descriptors inside TensorFlow's library only.
LIBRARY_FILES = {
    "chunk": ["tensorflow/tools/proto_splitter/chunk.proto", "tensorflow/tools/proto_splitter/versions.proto"]
}
LIBRARY = "libtensorflow_framework.so.2"

# Our package -> theirs, the longest first.
PACKAGES = [
    ("savedmodel.proto.proto_splitter.", "tensorflow.proto_splitter."),
    ("savedmodel.proto.keras.", "third_party.py.tf_keras.protobuf."),
    ("savedmodel.proto.", "tensorflow."),
]
# Keras has a copy of VersionDef under its own name.
SAME_MESSAGE = {"third_party.py.tf_keras.protobuf.VersionDef": "tensorflow.VersionDef"}

ALLOWED = {
    "tensorflow.DataType.DT_FLOAT4_E2M1FN": "number 33 was given after the TensorFlow that is compared with",
    "tensorflow.DataType.DT_FLOAT4_E2M1FN_REF": "the same, as a reference type",
}

FIELD_TYPE = descriptor_pb2.FieldDescriptorProto.Type.Name
FIELD_LABEL = descriptor_pb2.FieldDescriptorProto.Label.Name
UNPACKABLE = {"TYPE_STRING", "TYPE_BYTES", "TYPE_MESSAGE", "TYPE_GROUP"}


def their_name(name):
    for ours, theirs in PACKAGES:
        if name.startswith(ours):
            return theirs + name[len(ours):]
    return name


def json_name(name):
    head, *tail = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)


def field_facts(field, message, file):
    """What has to be equal, by name of the fact."""
    type_name = their_name(field.type_name.lstrip("."))
    kind, label = FIELD_TYPE(field.type), FIELD_LABEL(field.label)
    packable = label == "LABEL_REPEATED" and kind not in UNPACKABLE
    packed = field.options.packed if field.options.HasField("packed") else file.syntax == "proto3"
    return {
        "name": field.name,
        "type": kind,
        "of": SAME_MESSAGE.get(type_name, type_name),
        "label": label,
        "packed": packable and packed,
        "JSON name": field.json_name or json_name(field.name),
        "oneof": message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else "",
        "explicit presence": field.proto3_optional,
    }


class Facts:
    """Everything that files declare: {name of a message, field or enum value: {fact: value}}."""

    def __init__(self):
        self.messages, self.fields, self.enums, self.values = {}, {}, {}, {}

    def add_file(self, file):
        for enum in file.enum_type:
            self.add_enum(enum, file.package)
        for message in file.message_type:
            self.add_message(message, file.package, file)

    def add_message(self, message, scope, file):
        name = their_name(f"{scope}.{message.name}")
        syntax = file.syntax or "proto2"
        self.messages[name] = {"map entry": message.options.map_entry, "syntax": syntax}
        for field in message.field:
            self.fields[f"{name} field {field.number}"] = field_facts(field, message, file)
        for enum in message.enum_type:
            self.add_enum(enum, f"{scope}.{message.name}")
        for nested in message.nested_type:
            self.add_message(nested, f"{scope}.{message.name}", file)

    def add_enum(self, enum, scope):
        name = their_name(f"{scope}.{enum.name}")
        self.enums[name] = {}
        for value in enum.value:
            self.values[f"{name}.{value.name}"] = {"number": value.number}


def our_set(path):
    if path:
        with open(path, "rb") as file:
            return file.read()
    if shutil.which("protoc") is None:
        interop.skip("no protoc")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "savedmodel"))
        os.symlink(os.path.join(interop.PROJECT, "proto"), os.path.join(folder, "savedmodel", "proto"))
        names = [f"savedmodel/proto/{name}" for name in sorted(os.listdir(os.path.join(interop.PROJECT, "proto")))]
        out = os.path.join(folder, "set")
        command = ["protoc", "-I", folder, "--include_imports", "--descriptor_set_out", out]
        subprocess.run(command + [name for name in names if name.endswith(".proto")], check=True)
        with open(out, "rb") as file:
            return file.read()


def our_files(path):
    """{"node_def": FileDescriptorProto, ...}"""
    files = descriptor_pb2.FileDescriptorSet.FromString(our_set(path)).file
    prefix = "savedmodel/proto/"
    return {f.name[len(prefix):-len(".proto")]: f for f in files if f.name.startswith(prefix)}


def end_of_descriptor(data, begin):
    """Where the FileDescriptorProto that starts at `begin` ends: after its field 12, the syntax."""
    at, number = begin, 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while number != 12:
        number = varint() >> 3
        size = varint()
        at += size
    return at


def library_files(names):
    import tensorflow

    path = os.path.join(os.path.dirname(tensorflow.__file__), LIBRARY)
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        data = file.read()
    files = []
    for name in names:
        begin = data.find(b"\n" + bytes([len(name)]) + name.encode())
        if begin >= 0:
            end = end_of_descriptor(data, begin)
            files.append(descriptor_pb2.FileDescriptorProto.FromString(data[begin:end]))
    return files


def module_file(module):
    file = descriptor_pb2.FileDescriptorProto()
    importlib.import_module(module).DESCRIPTOR.CopyToProto(file)
    return file


def their_files(name):
    return library_files(LIBRARY_FILES[name]) if name in LIBRARY_FILES else [module_file(MODULES[name])]


def compare(report, what, ours, theirs):
    """Adds a disagreement for each difference; returns how many were there on both sides."""
    for name in sorted(set(ours) | set(theirs)):
        if name in ALLOWED and name not in theirs:
            continue
        report.equal(f"{what} {name}", ours.get(name, "missing"), theirs.get(name, "missing"))
    return len(set(ours) & set(theirs))


def main():
    report = interop.Report("declarations")
    ours, theirs = Facts(), Facts()
    files = our_files(sys.argv[1] if len(sys.argv) > 1 else None)
    report.equal("files of proto/", sorted(files), sorted({**MODULES, **LIBRARY_FILES}))
    compared = 0
    for name, file in sorted(files.items()):
        counterparts = their_files(name)
        if not counterparts:
            print(f"{name}.proto is not compared: {LIBRARY} does not carry its descriptor")
            continue
        compared += 1
        ours.add_file(file)
        for counterpart in counterparts:
            theirs.add_file(counterpart)
    messages = compare(report, "message", ours.messages, theirs.messages)
    fields = compare(report, "field", ours.fields, theirs.fields)
    compare(report, "enum", ours.enums, theirs.enums)
    values = compare(report, "enum value", ours.values, theirs.values)
    print(f"compared {messages} messages, {fields} fields and {values} enum values of {compared} files; "
          f"{len(ALLOWED)} values are ours alone")
    report.finish()


main()

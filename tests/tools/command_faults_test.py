#!/usr/bin/env python3
"""The command from outside, on models and calls made to break it.

usage: command_faults_test.py        with SAVEDMODEL_COMMAND naming the binary

Models that TensorFlow does not write come from tests/fixtures/independent_writer.py.
"""
import hashlib
import json
import math
import os
import resource
import struct
import subprocess
import sys
import time
import unittest

from command_test import COMMAND, DATA, FIXTURES, VERBS, Temporary, run, run_json

sys.path.insert(0, str(FIXTURES))
import independent_writer as writer  # noqa: E402

NOBODY = 65534
NESTED = str(DATA / "nested_modules")
GRAPH_KEY = b"_CHECKPOINTABLE_OBJECT_GRAPH"
FLOAT32 = 1


def meta_graph(object_graph=None, tags=()):
    info = b"".join(writer.field_bytes(4, tag) for tag in tags)
    return writer.field_bytes(1, info) + (b"" if object_graph is None else writer.field_bytes(7, object_graph))


def saved_model(*meta_graphs):
    return writer.field_varint(1, 1) + b"".join(writer.field_bytes(2, one) for one in meta_graphs)


class Faults(Temporary):
    def model(self, name, content):
        path = self.folder / name
        path.mkdir()
        (path / "saved_model.pb").write_bytes(content)
        return str(path)

    def checkpoint(self, name, bundle, index=None):
        prefix = os.path.join(self.folder, name)
        writer.write_files(prefix, index or bundle.index(), bundle.shards)
        return prefix

    def object_checkpoint(self, name, nodes, **tensors):
        """A checkpoint with these TrackableObject messages and float32 vectors."""
        bundle = writer.Bundle()
        for key, values in tensors.items():
            bundle.tensor(key.encode(), "float32", [len(values)], struct.pack("<%df" % len(values), *values))
        bundle.strings(GRAPH_KEY, [], [b"".join(writer.field_bytes(1, node) for node in nodes)])
        return self.checkpoint(name, bundle)

    def fails(self, arguments, exit_code, code, *words):
        """The same failure as text, in one line, and as a document."""
        found, document = run_json(*arguments)
        self.assertEqual((found, document["error"]["code"]), (exit_code, code), document)
        found, out, err = run(*arguments)
        self.assertEqual((found, out), (exit_code, b""))
        self.assertEqual(err.count(b"\n"), 1, err)
        for word in words:
            self.assertIn(word, err.decode())


class ObjectGraphs(Faults):
    def test_an_object_graph_without_nodes(self):
        model = self.model("none", saved_model(meta_graph(b"")))
        checkpoint = self.object_checkpoint("ckpt", [])
        for more in ([], ["--depth", "0"], ["--depth", "3"], ["--filter", "root"]):
            self.fails(["tree", model, *more], 3, "NotFound", "the object graph is empty")
            self.fails(["tree", checkpoint, *more], 4, "DataLoss", "has no nodes")
        for name, code in ((model, 3), (checkpoint, 4)):
            self.assertEqual(run("show", name)[0], 0)
            self.assertEqual(run("ls", name)[0], 0)
            for call in (["ls", name, "--filter", "root"], ["ls", name, "--filter", "root.**"], ["cat", name, "root"]):
                self.assertEqual(run(*call)[0], code, call)
        self.fails(["load", model], 3, "NotFound", "the object graph is empty")

    def test_why_there_is_no_tree(self):
        objects = writer.field_bytes(1, writer.field_bytes(4, b""))
        two = self.model("two", saved_model(meta_graph(objects, [b"a"]), meta_graph(objects, [b"b"])))
        empty = self.model("empty", b"")
        old = self.model("old", saved_model(meta_graph()))
        for call in (["tree"], ["ls", "--filter", "root"]):
            self.fails([*call, two], 2, "InvalidArgument", "2 MetaGraphs", "saved_model.pb")
            self.fails([*call, empty], 3, "NotFound", "no MetaGraphs")
            self.fails([*call, old], 2, "InvalidArgument", "TensorFlow 1")

    def test_an_object_graph_that_cannot_be_read_is_told_by_show_too(self):
        folder = self.copy("checkpoint_manager")
        shard = folder / "ckpt-4.data-00000-of-00001"
        data = bytearray(shard.read_bytes())
        data[100] ^= 1
        shard.write_bytes(data)
        code, document = run_json("show", str(folder / "ckpt-4"))
        _, listed = run_json("ls", str(folder / "ckpt-4"))
        self.assertEqual(code, 0)
        self.assertEqual(document["object_graph_error"], listed["object_graph_error"])
        self.assertEqual(document["object_graph_error"]["code"], "DataLoss")
        self.assertEqual([document["checkpoint"][k] for k in ("has_object_graph", "nodes", "slots")], [True, None, None])
        code, out, _ = run("show", str(folder / "ckpt-4"))
        self.assertEqual(code, 0)
        self.assertIn(b"not known: ", out)
        self.assertNotIn(b"0 nodes", out)
        self.assertNotIn("object_graph_error", run_json("show", str(DATA / "checkpoint_manager"))[1])

    def test_two_attributes_of_one_name(self):
        attributes = b"".join(writer.field_bytes(2, writer.field_bytes(1, name) + writer.field_bytes(3, key))
                              for name, key in ((b"same", b"a"), (b"other", b"b"), (b"same", b"c")))
        nodes = [writer.field_bytes(1, writer.field_varint(1, 1) + writer.field_bytes(2, b"v")), attributes]
        prefix = self.object_checkpoint("ckpt", nodes, a=[1], b=[2], c=[3])

        def unique(pairs):
            names = [name for name, _ in pairs]
            self.assertEqual(len(names), len(set(names)), names)
            return dict(pairs)

        code, out, _ = run("cat", prefix, "root.v", "--json")
        found = json.loads(out, object_pairs_hook=unique)["attributes"]
        self.assertEqual((code, list(found)), (0, ["same", "other"]))
        self.assertEqual([one["values"] for one in found["same"]], [[1], [3]])
        self.assertEqual(found["other"]["values"], [2])
        code, out, _ = run("tree", prefix, "--json")
        nodes = json.loads(out, object_pairs_hook=unique)["nodes"]
        self.assertEqual((code, nodes[1]["attributes"]), (0, {"same": ["a", "c"], "other": "b"}))

    def test_a_dtype_without_a_name_keeps_its_number(self):
        info = writer.field_varint(1, 99) + writer.field_bytes(2, b"") + writer.field_bytes(6, b"v")
        nodes = [writer.field_bytes(1, writer.field_varint(1, 1) + writer.field_bytes(2, b"v")) + writer.field_bytes(4, b""),
                 writer.field_bytes(7, info)]
        graph = b"".join(writer.field_bytes(1, node) for node in nodes)
        tensor = writer.field_bytes(1, b"x:0") + writer.field_varint(2, 99)
        signature = writer.field_bytes(1, writer.field_bytes(1, b"x") + writer.field_bytes(2, tensor))
        signatures = writer.field_bytes(5, writer.field_bytes(1, b"f") + writer.field_bytes(2, signature))
        model = self.model("m", saved_model(meta_graph(graph) + signatures))
        self.assertIn(b"variable dtype 99", run("tree", model)[1])
        self.assertEqual(run_json("tree", model)[1]["nodes"][1]["dtype"], "dtype 99")
        self.assertIn(b"dtype 99", run("show", model)[1])
        _, document = run_json("show", model)
        self.assertEqual(document["meta_graphs"][0]["signatures"]["f"]["inputs"]["x"]["dtype"], "dtype 99")
        bundle = writer.Bundle()
        bundle.entries[b"k"] = dict(dtype=99, shape=[])
        self.fails(["ls", self.checkpoint("c", bundle), "--filter", "root"], 2, "InvalidArgument")
        _, document = run_json("ls", str(self.folder / "c"))
        self.assertIn("99", document["tensors"][0]["error"]["message"])


class Sizes(Faults):
    def test_a_million_shards_that_are_not_there(self):
        prefix = str(self.folder / "ckpt")
        (self.folder / "ckpt.index").write_bytes(writer.table([(b"", writer.header(1 << 20))]))
        (self.folder / "ckpt.data-00007-of-1048576").write_bytes(b"x")
        code, out, _ = run("show", prefix)
        self.assertEqual(code, 0)
        self.assertLess(len(out.splitlines()), 12)
        self.assertIn(b"ckpt.data-00000-of-1048576", out)
        self.assertIn(b"ckpt.data-00007-of-1048576", out)
        self.assertRegex(out.decode(), r"and 1048572 more +missing")
        _, document = run_json("show", prefix)
        self.assertEqual(len(document["files"]), 5)
        self.assertEqual(document["missing_files"], (1 << 20) - 1)
        self.assertEqual(run_json("show", NESTED)[1]["missing_files"], 0)

    def test_counts_of_tensors_are_the_same_everywhere(self):
        for model in (NESTED, str(DATA / "checkpoint_manager"), str(DATA / "partitioned/ckpt")):
            tensors = run_json("ls", model)[1]["tensors"]
            shown = run_json("show", model)[1]["checkpoint"]
            verified = run_json("verify", model)[1]
            expected = (len(tensors), sum(tensor["bytes"] for tensor in tensors))
            self.assertEqual((shown["tensors"], shown["bytes"]), expected)
            self.assertEqual((verified["tensors"], verified["bytes"]), expected)

    def test_many_tensors_over_the_same_bytes_are_hashed_once(self):
        data = bytes(range(256)) * (1 << 12)  # 1 MiB, which takes milliseconds
        bundle = writer.Bundle()
        bundle.tensor(b"k0000", "float32", [len(data) // 4], data)
        bundle.tensor(b"other", "float32", [2], struct.pack("<2f", 1, 2))
        for i in range(1, 3000):
            bundle.entries[b"k%04d" % i] = bundle.entries[b"k0000"]
        prefix = self.checkpoint("ckpt", bundle)
        start = time.monotonic()
        code, document = run_json("ls", prefix, "--digest")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(code, 0)
        digests = [tensor["sha256"] for tensor in document["tensors"]]
        self.assertEqual(digests[:-1], [hashlib.sha256(data).hexdigest()] * 3000)
        self.assertEqual(digests[-1], hashlib.sha256(struct.pack("<2f", 1, 2)).hexdigest())

    def test_a_digest_is_not_taken_from_a_tensor_of_another_dtype_or_checksum(self):
        bundle = writer.Bundle()
        bundle.strings(b"a", [2], [b"x", b"y"])
        whole = bundle.entries[b"a"]
        bundle.entries[b"b"] = dict(whole, dtype=4, shape=[whole["size"]], crc=writer.mask(writer.crc32c(bundle.shards[0])))
        bundle.entries[b"c"] = dict(whole, crc=1)
        code, document = run_json("ls", self.checkpoint("ckpt", bundle), "--digest")
        self.assertEqual(code, 4)
        self.assertEqual(len({tensor["sha256"] for tensor in document["tensors"][:2]}), 2)
        self.assertEqual(document["tensors"][2]["error"]["code"], "DataLoss")
        self.assertNotIn("sha256", document["tensors"][2])

    def test_faults_of_many_tensors_are_one_line(self):
        bundle = writer.Bundle()
        for i in range(3):
            bundle.tensor(b"k%d" % i, "float32", [1], bytes(4))
            bundle.entries[b"k%d" % i]["crc"] = 1
        code, out, err = run("ls", self.checkpoint("ckpt", bundle), "--digest")
        self.assertEqual((code, len(out.splitlines()), err.count(b"\n")), (4, 3, 1))
        self.assertIn(b"k0", err)
        self.assertIn(b"2 other tensors", err)

    def test_out_of_memory_is_an_error(self):
        model = self.model("large", saved_model(meta_graph(writer.field_bytes(1, b"") * 1_000_000)))

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))

        if run("--version", preexec_fn=limit)[0] != 0:
            self.skipTest("this build needs more for itself")
        for verb in ("tree", "show", "ls"):
            code, out, err = run(verb, model, "--json", preexec_fn=limit)
            self.assertEqual((code, err), (4, b""), verb)
            self.assertEqual(json.loads(out)["error"]["code"], "ResourceExhausted")
        code, out, err = run("tree", model, preexec_fn=limit)
        self.assertEqual((code, out, err.count(b"\n")), (4, b"", 1))


class Paths(Faults):
    def test_links_in_place_of_the_graph_file(self):
        for name in ("loop", "dangling"):
            (self.folder / name).mkdir()
        (self.folder / "loop/saved_model.pb").symlink_to("saved_model.pb")
        (self.folder / "dangling/saved_model.pb").symlink_to("nowhere")
        for verb in ("show", "ls", "tree", "load", "verify"):
            self.fails([verb, str(self.folder / "loop")], 3, "InvalidArgument", "saved_model.pb")
            for argument in (self.folder / "dangling", self.folder / "dangling/saved_model.pb"):
                self.fails([verb, str(argument)], 3, "NotFound", "saved_model.pb", "symbolic link to something")

    def test_a_dangling_link_beside_the_text_of_the_model(self):
        model = self.copy("text_format_model")
        (model / "saved_model.pb").symlink_to("nowhere")
        self.assertEqual(run("show", str(model))[0], 0)

    def test_links_in_place_of_checkpoint_files(self):
        (self.folder / "checkpoint").symlink_to("checkpoint")
        (self.folder / "c.index").symlink_to("c.index")
        self.fails(["ls", str(self.folder)], 3, "InvalidArgument", "checkpoint")
        self.fails(["ls", str(self.folder / "c")], 3, "InvalidArgument", "c.index")

    def test_a_directory_that_may_not_be_read(self):
        model = self.copy("nested_modules")
        os.chmod(self.folder, 0o755)
        for mode in (0o000, 0o444):
            os.chmod(model, mode)
            self.addCleanup(os.chmod, model, 0o755)
            options = {}
            if os.geteuid() == 0:
                options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            try:
                code, out, err = run("show", str(model), "--json", **options)
            except PermissionError:
                self.skipTest("the command is in a place that others may not read")
            self.assertEqual((code, err), (3, b""))
            self.assertEqual(json.loads(out)["error"]["code"], "PermissionDenied")

    def test_an_index_without_a_name(self):
        bundle = writer.Bundle()
        bundle.tensor(b"k", "float32", [1], bytes(4))
        (self.folder / "dir").mkdir()
        self.checkpoint("dir/", bundle)
        for name in ("dir/", "dir/.index", "dir/.data-00000-of-00001"):
            code, document = run_json("cat", str(self.folder) + "/" + name, "k")
            self.assertEqual((code, document["values"]), (0, [0]))
        done = subprocess.run([COMMAND, "ls", ".index"], cwd=self.folder / "dir", capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"k  float32  [1]  4\n"))
        self.fails(["ls", str(self.folder / "dir")], 3, "NotFound", "dir/\"")


class Calls(Faults):
    def test_a_flag_with_a_value(self):
        for flag in ("--json=true", "--json=1", "--json=yes", "--json=", "--json=false"):
            for call in (["ls", NESTED, flag], [flag, "ls", NESTED], [flag, "--help"], ["--version", flag], [flag]):
                code, out, err = run(*call)
                self.assertEqual((code, err), (2, b""), call)
                self.assertEqual(json.loads(out)["error"]["code"], "InvalidArgument")
        for call in (["ls", NESTED, "--long=0"], ["ls", NESTED, "--digest=1"], ["load", NESTED, "--plan="], ["ls", "--help=1"],
                     ["--help=1"], ["--version=2"], ["ls", NESTED, "-l=1"], ["ls", NESTED, "-l0"]):
            self.fails(call, 2, "InvalidArgument")

    def test_help_and_version_as_documents(self):
        version = run("--version")[1].decode().split()[1]
        for call in (["--version"], ["--json", "--version"]):
            self.assertEqual(run_json(*call), (0, {"schema": 1, "version": version}))
        for call in ([], *([verb] for verb in VERBS)):
            self.assertEqual(run_json(*call, "--help"), (0, {"schema": 1, "help": run(*call, "--help")[1].decode()}))

    def test_depths_that_are_none(self):
        for depth in ("-1", "", "x", "1.5", "+1", " 1", "2147483648", "99999999999999999999"):
            self.fails(["tree", NESTED, "--depth", depth], 2, "InvalidArgument", "0 to 2147483647")
        self.assertEqual(run("tree", NESTED, "--depth", "2147483647")[1], run("tree", NESTED)[1])

    def test_one_is_not_many(self):
        prefix = self.object_checkpoint("ckpt", [b""])
        self.assertRegex(run("verify", prefix)[1].decode(), "^ok: 1 tensor, ")
        code, out, _ = run("load", NESTED, "--filter", "root.step")
        self.assertEqual(code, 0)
        self.assertIn(b"1 object, 1 variable, 8 bytes selected", out)

    def test_negative_zero_stays_negative(self):
        bundle = writer.Bundle()
        bundle.tensor(b"float32", "float32", [2], struct.pack("<2f", -0.0, 0.0))
        bundle.tensor(b"float64", "float64", [2], struct.pack("<2d", -0.0, 0.0))
        bundle.tensor(b"float16", "float16", [2], struct.pack("<2H", 0x8000, 0))
        bundle.tensor(b"complex64", "complex64", [1], struct.pack("<2f", -0.0, -0.0))
        prefix = self.checkpoint("ckpt", bundle)
        for key in ("float32", "float64", "float16"):
            values = run_json("cat", prefix, key)[1]["values"]
            self.assertEqual([math.copysign(1, value) for value in values], [-1, 1], key)
            self.assertEqual(run("cat", prefix, key)[1], b"[-0.0, 0]\n")
        values = run_json("cat", prefix, "complex64")[1]["values"][0]
        self.assertEqual([math.copysign(1, value) for value in values], [-1, -1])
        self.assertEqual(run("cat", prefix, "complex64")[1], b"[-0.0-0.0j]\n")


class Files(Faults):
    def test_a_link_is_followed(self):
        (self.folder / "folder").mkdir()
        link = self.folder / "link"
        target = self.folder / "folder/target"
        link.symlink_to("folder/target")
        for _ in ("new", "replaced"):
            self.assertEqual(run("cat", NESTED, "root.step", "--raw", str(link)), (0, b"", b""))
            self.assertTrue(link.is_symlink())
            self.assertEqual(len(target.read_bytes()), 8)
        self.assertEqual([entry.name for entry in (self.folder / "folder").iterdir()], ["target"])
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        self.fails(["cat", NESTED, "root.step", "--raw", str(loop)], 3, "InvalidArgument", "loop")

    def test_standard_output(self):
        for option in ("--raw", "--npy"):
            file = self.folder / "file"
            self.assertEqual(run("cat", NESTED, "root.step", option, str(file))[0], 0)
            self.assertEqual(run("cat", NESTED, "root.step", option, "-"), (0, file.read_bytes(), b""))
            code, document = run_json("cat", NESTED, "root.step", option, "-")
            self.assertEqual((code, document["error"]["code"]), (2, "InvalidArgument"))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([COMMAND, "cat", NESTED, "root.step", "--raw", "-"], stdout=full, stderr=subprocess.PIPE,
                                  check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (4, 1))


if __name__ == "__main__":
    unittest.main()

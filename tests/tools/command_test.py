#!/usr/bin/env python3
"""The command from outside: what it prints and how it ends, over models that TensorFlow wrote.

usage: command_test.py        with SAVEDMODEL_COMMAND naming the binary
"""
import hashlib
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import tempfile
import unittest

COMMAND = os.environ["SAVEDMODEL_COMMAND"]
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
DATA = FIXTURES / "data"
VERBS = ("show", "ls", "tree", "cat", "load", "verify")


def run(*arguments, env=None, **options):
    """(exit code, stdout, stderr) as bytes."""
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment.update(env or {})
    done = subprocess.run([COMMAND, *arguments], capture_output=True, env=environment, timeout=120, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def run_json(*arguments):
    """(exit code, document); there is nothing but the document."""
    code, out, err = run(*arguments, "--json")
    assert err == b"", err
    return code, json.loads(out)


def golden(name):
    return json.loads((FIXTURES / "golden" / f"{name}.json").read_text())


def model_path(stored):
    return str(DATA / stored["name"] / stored["model"]).rstrip("/")


class Temporary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy(self, fixture):
        return pathlib.Path(shutil.copytree(DATA / fixture, self.folder / fixture))


class Ls(Temporary):
    def test_json_is_what_tensorflow_says_of_every_fixture(self):
        for file in sorted((FIXTURES / "golden").iterdir()):
            stored = json.loads(file.read_text())
            with self.subTest(stored["name"]):
                code, document = run_json("ls", model_path(stored))
                self.assertEqual(code, 0)
                self.assertEqual(document["schema"], 1)
                self.assertEqual(document["format"], stored["format"])
                found = {t["key"]: t for t in document["tensors"]}
                self.assertEqual(sorted(found), sorted(t["key"] for t in stored["tensors"]))
                for expected in stored["tensors"]:
                    for field in ("dtype", "shape", "path", "slot"):
                        self.assertEqual(found[expected["key"]].get(field), expected.get(field), expected["key"])

    def test_members_of_a_tensor(self):
        _, document = run_json("ls", str(DATA / "nested_modules"))
        tensor = next(t for t in document["tensors"] if t["path"] == "root.step")
        self.assertEqual(list(tensor), ["path", "paths", "key", "attribute", "dtype", "shape", "bytes", "shard", "offset",
                                        "crc32c"])
        self.assertEqual(tensor["attribute"], "VARIABLE_VALUE")
        self.assertRegex(tensor["crc32c"], "^0x[0-9a-f]{8}$")

    def test_digest_is_over_the_elements(self):
        _, document = run_json("ls", str(DATA / "nested_modules"), "--digest", "--filter", "root.step")
        _, value = run_json("cat", str(DATA / "nested_modules"), "root.step")
        self.assertEqual(document["tensors"][0]["sha256"], hashlib.sha256(struct.pack("<q", value["values"])).hexdigest())

    def test_digest_of_strings_counts_trailing_zero_bytes(self):
        _, document = run_json("ls", str(DATA / "strings/ckpt"), "--digest")
        code, value = run_json("cat", str(DATA / "strings/ckpt"), "root.lengths")
        self.assertEqual(code, 0)
        data = b"".join(struct.pack("<Q", len(e.encode())) + e.encode() for e in value["values"])
        tensor = next(t for t in document["tensors"] if t["path"] == "root.lengths")
        self.assertEqual(tensor["sha256"], hashlib.sha256(data).hexdigest())

    def test_slices_of_a_partitioned_tensor(self):
        _, document = run_json("ls", str(DATA / "partitioned/ckpt"))
        tensor = next(t for t in document["tensors"] if t["key"] == "rows/w")
        self.assertEqual(len(tensor["slices"]), 4)
        self.assertEqual([s["spec"] for s in tensor["slices"]], ["0,3:-", "3,3:-", "6,2:-", "8,2:-"])
        self.assertEqual(list(tensor["slices"][0]), ["spec", "shard", "offset", "bytes"])
        self.assertEqual(sum(s["bytes"] for s in tensor["slices"]), tensor["bytes"])
        for member in ("shard", "offset", "crc32c"):
            self.assertNotIn(member, tensor)

    def test_text_has_a_line_per_tensor(self):
        code, out, err = run("ls", str(DATA / "nested_modules"))
        self.assertEqual((code, err), (0, b""))
        self.assertEqual(len(out.splitlines()), 9)
        self.assertIn(b"root.encoder.norm.kernel      float32  [3,1]   12", out)
        _, out, _ = run("ls", str(DATA / "nested_modules"), "--long", "--filter", "root.step")
        self.assertRegex(out.decode(), r"^root\.step  int64  \[\]  8  0:\d+  0x[0-9a-f]{8}  step/.ATTRIBUTES/VARIABLE_VALUE\n$")

    def test_without_its_shard_a_model_is_still_listed(self):
        model = self.copy("nested_modules")
        expected = run_json("ls", str(model))
        (model / "variables/variables.data-00000-of-00001").unlink()
        self.assertEqual(run_json("ls", str(model)), expected)
        code, document = run_json("ls", str(model / "variables/variables"))
        self.assertEqual(code, 0)
        self.assertEqual([t["path"] for t in document["tensors"]], [None] * 9)
        self.assertEqual(document["object_graph_error"]["code"], "NotFound")

    def test_a_tensor_that_cannot_be_read_is_told_beside_the_others(self):
        model = self.copy("nested_modules")
        shard = model / "variables/variables.data-00000-of-00001"
        data = bytearray(shard.read_bytes())
        data[0] ^= 1
        shard.write_bytes(data)
        code, document = run_json("ls", str(model), "--digest")
        self.assertEqual(code, 4)
        bad = [t for t in document["tensors"] if "error" in t]
        self.assertEqual([t["error"]["code"] for t in bad], ["DataLoss"])
        self.assertEqual(sum("sha256" in t for t in document["tensors"]), 8)


class Show(unittest.TestCase):
    def test_signatures_are_what_tensorflow_says(self):
        for file in sorted((FIXTURES / "golden").iterdir()):
            stored = json.loads(file.read_text())
            if stored["format"] != "saved_model":
                continue
            with self.subTest(stored["name"]):
                code, document = run_json("show", model_path(stored))
                self.assertEqual(code, 0)
                self.assertEqual(len(document["meta_graphs"]), len(stored["meta_graphs"]))
                for found, expected in zip(document["meta_graphs"], stored["meta_graphs"]):
                    self.assertEqual(found["tags"], expected["tags"])
                    self.assertEqual(found["signatures"], expected["signatures"])
                    self.assertEqual(found["counts"]["functions"], expected["functions"])

    def test_files_and_fingerprint(self):
        _, document = run_json("show", str(DATA / "nested_modules"))
        self.assertEqual(document["files"]["saved_model.pb"], (DATA / "nested_modules/saved_model.pb").stat().st_size)
        self.assertIn("variables/variables.data-00000-of-00001", document["files"])
        self.assertRegex(document["fingerprint"]["saved_model_checksum"], "^[0-9]+$")
        self.assertEqual(document["checkpoint"]["tensors"], 9)

    def test_a_checkpoint(self):
        code, document = run_json("show", str(DATA / "checkpoint_manager"))
        self.assertEqual((code, document["format"], document["meta_graphs"]), (0, "checkpoint", []))
        self.assertIn("ckpt-4.index", document["files"])

    def test_text(self):
        code, out, _ = run("show", str(DATA / "many_signatures"))
        self.assertEqual(code, 0)
        for word in (b"SavedModel", b"MetaGraph serve", b"signature", b"input", b"output", b"TensorFlow"):
            self.assertIn(word, out)


class Tree(unittest.TestCase):
    def test_cycles_and_shared_nodes(self):
        code, out, _ = run("tree", str(DATA / "cycle"))
        self.assertEqual(code, 0)
        text = out.decode()
        self.assertIn("parent  -> root (cycle)", text)
        self.assertIn("next  -> root.b\n", text)

    def test_json_is_a_flat_list(self):
        for name in ("nested_modules", "static_tables", "keras2_slots"):
            with self.subTest(name):
                _, document = run_json("tree", str(DATA / name))
                expected = {n["path"]: n["kind"] for n in golden(name)["meta_graphs"][0]["nodes"] if n["path"]}
                self.assertEqual({n["path"]: n["kind"] for n in document["nodes"]}, expected)
                ids = {n["id"] for n in document["nodes"]}
                for node in document["nodes"]:
                    self.assertLessEqual({c["id"] for c in node["children"]}, ids)

    def test_a_checkpoint_and_a_part(self):
        code, document = run_json("tree", str(DATA / "optimizer_slots/ckpt"), "--depth", "0")
        self.assertEqual((code, len(document["nodes"])), (0, 1))
        self.assertGreater(document["nodes"][0]["hidden"], 0)
        code, out, _ = run("tree", str(DATA / "nested_modules"), "--filter", "root.encoder.norm")
        self.assertEqual(out.decode().splitlines()[0].split("  ")[0], "root.encoder.norm")

    def test_without_objects(self):
        self.assertEqual(run_json("tree", str(DATA / "dtypes_by_name/ckpt"))[0], 2)
        self.assertEqual(run_json("tree", str(DATA / "v1_meta_graphs"))[0], 2)


class Cat(Temporary):
    def test_nested_values(self):
        code, document = run_json("cat", str(DATA / "nested_modules"), "root.encoder.norm.kernel")
        self.assertEqual(code, 0)
        self.assertEqual(document["values"], [[300.1], [301.2], [302.3]])
        self.assertEqual([document[k] for k in ("path", "dtype", "shape")], ["root.encoder.norm.kernel", "float32", [3, 1]])

    def test_by_key_and_in_text(self):
        code, out, _ = run("cat", str(DATA / "nested_modules"), "encoder/norm/kernel/.ATTRIBUTES/VARIABLE_VALUE")
        self.assertEqual((code, out), (0, b"[[300.1],\n [301.2],\n [302.3]]\n"))

    def test_all_values_of_an_object(self):
        code, document = run_json("cat", str(DATA / "mutable_tables"), "root.names")
        self.assertEqual(code, 0)
        self.assertEqual(list(document["attributes"]), ["table-keys", "table-values"])
        self.assertEqual(document["path"], "root.names")
        code, document = run_json("cat", str(DATA / "mutable_tables"), "root.names", "--slice", "0:1")
        self.assertEqual((code, document["error"]["code"]), (2, "InvalidArgument"))

    def test_values_of_every_type_are_json(self):
        for name in ("dtypes_by_name", "iterator_state", "shapes", "special_floats"):
            stored = golden(name)
            for tensor in stored["tensors"]:
                with self.subTest(f"{name}: {tensor['key']}"):
                    code, document = run_json("cat", model_path(stored), tensor["key"])
                    self.assertEqual((code, document["shape"]), (0, tensor["shape"]))
                    self.assertEqual(document["dtype"], tensor["dtype"])

    def test_constants_of_a_model(self):
        model = str(DATA / "constants")
        nodes = [n for n in run_json("tree", model)[1]["nodes"] if n["kind"] == "constant" and n["path"]]
        self.assertGreater(len(nodes), 0)
        for node in nodes:
            code, document = run_json("cat", model, node["path"])
            self.assertEqual((code, document["path"], document["key"]), (0, node["path"], None))
        self.assertEqual(run_json("cat", model, nodes[0]["path"], "--slice", "0:1")[0], 2)

    def test_slices(self):
        model = str(DATA / "partitioned/ckpt")
        whole = run_json("cat", model, "rows/w")[1]["values"]
        self.assertEqual(run_json("cat", model, "rows/w", "--slice", "2:7,1:3")[1]["values"],
                         [row[1:3] for row in whole[2:7]])
        self.assertEqual(run_json("cat", model, "rows/w", "--slice", "9")[1]["values"], whole[9:10])
        code, document = run_json("cat", model, "rows/w", "--slice", "0:11")
        self.assertEqual((code, document["error"]["code"], document["error"]["key"]), (2, "OutOfRange", "rows/w"))

    def test_special_floats(self):
        values = run_json("cat", str(DATA / "special_floats/ckpt"), "float32")[1]["values"]
        self.assertLessEqual({"NaN", "Infinity", "-Infinity"}, {v for v in values if isinstance(v, str)})

    def test_raw_and_npy(self):
        raw, npy = self.folder / "out.raw", self.folder / "out.npy"
        model = str(DATA / "nested_modules")
        self.assertEqual(run("cat", model, "root.encoder.norm.kernel", "--raw", str(raw)), (0, b"", b""))
        self.assertEqual(raw.read_bytes(), struct.pack("<3f", 300.1, 301.2, 302.3))
        code, document = run_json("cat", model, "root.encoder.norm.kernel", "--npy", str(npy))
        self.assertEqual((code, document["bytes"], document["file"]), (0, npy.stat().st_size, str(npy)))
        self.assertEqual(npy.read_bytes()[:6], b"\x93NUMPY")
        self.assertEqual(npy.read_bytes()[-12:], raw.read_bytes())

    def test_numpy_reads_every_fixed_size_type(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        model = str(DATA / "dtypes_by_name/ckpt")
        for tensor in run_json("ls", model)[1]["tensors"]:
            if tensor["dtype"] == "string":
                continue
            with self.subTest(tensor["dtype"]):
                file = self.folder / "x.npy"
                self.assertEqual(run("cat", model, tensor["key"], "--npy", str(file))[0], 0)
                array = numpy.load(file, allow_pickle=False)
                self.assertEqual(list(array.shape), tensor["shape"])
                values = run_json("cat", model, tensor["key"])[1]["values"]
                if array.dtype.kind in "iub" and "float" not in tensor["dtype"]:
                    self.assertEqual(array.tolist(), values)
                elif array.dtype.kind == "f":
                    self.assertEqual(array.tolist(), numpy.array(values, array.dtype).tolist())

    def test_what_numpy_lacks(self):
        file = self.folder / "x.npy"
        code, _, err = run("cat", str(DATA / "dtypes_checkpoint/ckpt"), "root.bfloat16", "--npy", str(file))
        self.assertEqual(code, 0)
        self.assertIn(b"bfloat16", err)
        code, document = run_json("cat", str(DATA / "strings/ckpt"), "root.bytes", "--npy", str(file.with_name("y")))
        self.assertEqual((code, document["error"]["code"]), (4, "Unimplemented"))
        self.assertFalse(file.with_name("y").exists())

    def test_full_disk_and_no_folder(self):
        code, document = run_json("cat", str(DATA / "nested_modules"), "root.step", "--raw", "/dev/full")
        self.assertEqual((code, document["error"]["code"]), (4, "ResourceExhausted"))
        code, document = run_json("cat", str(DATA / "nested_modules"), "root.step", "--raw", "/no/such/folder/x")
        self.assertEqual(code, 3)


class Load(Temporary):
    def test_a_part(self):
        code, document = run_json("load", str(DATA / "nested_modules"), "--filter", "root.encoder.norm")
        self.assertEqual(code, 0)
        self.assertEqual(document["returned"], {"root.encoder.norm": "user_object"})
        self.assertEqual([v["path"] for v in document["variables"]], ["root.encoder.norm.kernel", "root.encoder.norm.bias"])
        self.assertTrue(all(v["restored"] for v in document["variables"]))
        self.assertEqual((document["bytes_selected"], document["unused_keys"]), (16, 6))
        for member in ("filters", "bytes_read", "unmatched_objects"):
            self.assertIn(member, document)

    def test_without_a_value_wanted_nothing_is_said_of_the_checkpoint(self):
        arguments = ("load", str(DATA / "nested_modules"), "--filter", "root.signatures")
        code, document = run_json(*arguments)
        self.assertEqual((code, document["unused_keys"]), (0, None))
        text = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("not asked for", text)

    def test_what_is_not_revived_is_told_by_kind(self):
        text = subprocess.run([COMMAND, "load", str(DATA / "adder")], capture_output=True, text=True, check=True).stdout
        self.assertIn("function nodes are kept as they are: root.adder, root.holder.read", text)
        self.assertIn("0 stored tensors not asked for", text)

    def test_whole_models_give_every_variable(self):
        for name in ("nested_modules", "keras2_model", "keras3_export", "static_tables", "cycle", "text_format_model"):
            with self.subTest(name):
                code, document = run_json("load", str(DATA / name))
                self.assertEqual(code, 0)
                stored = [t["key"] for t in golden(name)["tensors"] if t.get("attribute") == "VARIABLE_VALUE"]
                self.assertEqual(sorted(v["key"] for v in document["variables"]), sorted(stored))

    def test_a_plan_reads_nothing(self):
        code, document = run_json("load", str(DATA / "nested_modules"), "--filter", "root.encoder", "--plan")
        self.assertEqual((code, document["planned"], document["bytes_read"]), (0, True, 0))
        self.assertFalse(any(v["restored"] for v in document["variables"]))
        self.assertEqual({n["reason"] for n in document["selected"]}, {"requested", "below a selected node"})

    def test_tensorflow_1_models(self):
        code, document = run_json("load", str(DATA / "v1_frozen"))
        self.assertEqual((code, document["error"]["code"]), (4, "Unimplemented"))
        code, document = run_json("load", str(DATA / "v1_frozen"), "--filter", "root.a")
        self.assertEqual((code, document["error"]["code"]), (2, "InvalidArgument"))
        self.assertEqual(run_json("load", str(DATA / "v1_meta_graphs"))[0], 2)
        self.assertEqual(run_json("load", str(DATA / "v1_meta_graphs"), "--tag", "train", "--tag", "serve")[0], 4)
        self.assertEqual(run_json("load", str(DATA / "v1_meta_graphs"), "--tag", "nobody")[0], 3)

    def test_tags_that_are_not_the_models(self):
        self.assertEqual(run_json("load", str(DATA / "nested_modules"), "--tag", "serve")[0], 0)
        self.assertEqual(run_json("load", str(DATA / "nested_modules"), "--tag", "other")[0], 2)

    def test_variables_without_a_value(self):
        model = str(DATA / "uninitialized_variable")
        code, document = run_json("load", model)
        self.assertEqual((code, document["error"]["code"], document["error"]["path"]), (3, "NotFound", "root.unset"))
        code, document = run_json("load", model, "--allow-missing")
        self.assertEqual((code, document["unmatched_objects"]), (0, ["root.unset"]))
        code, document = run_json("load", model, "--no-values")
        self.assertEqual((code, document["bytes_read"]), (0, 0))

    def test_a_checkpoint_is_no_model(self):
        code, document = run_json("load", str(DATA / "checkpoint_manager"))
        self.assertEqual((code, document["error"]["code"]), (2, "InvalidArgument"))


class Verify(Temporary):
    def test_sound_models(self):
        for name in ("nested_modules", "checkpoint_manager", "v1_meta_graphs", "partitioned/ckpt"):
            with self.subTest(name):
                code, document = run_json("verify", str(DATA / name))
                self.assertEqual((code, document["ok"], document["problems"]), (0, True, []))
                self.assertGreater(document["tensors"], 0)
        self.assertRegex(run("verify", str(DATA / "nested_modules"))[1].decode(), r"^ok: 9 tensors, \d+ bytes\n$")

    def test_a_changed_byte(self):
        model = self.copy("nested_modules")
        shard = model / "variables/variables.data-00000-of-00001"
        data = bytearray(shard.read_bytes())
        data[0] ^= 1
        shard.write_bytes(data)
        code, document = run_json("verify", str(model), "--long")
        self.assertEqual((code, document["ok"], document["fine"]), (1, False, 8))
        problem = document["problems"][0]
        self.assertEqual(list(problem), ["code", "message", "file", "offset", "key", "path"])
        self.assertEqual((problem["code"], problem["file"], problem["offset"]), ("DataLoss", str(shard), 0))
        self.assertEqual([r["path"] for r in document["results"] if not r["ok"]], [problem["path"]])
        code, out, _ = run("verify", str(model))
        self.assertEqual(code, 1)
        self.assertIn(b"8 of 9 tensors", out)
        self.assertIn(problem["path"].encode(), out)

    def test_missing_files(self):
        model = self.copy("static_tables")
        (model / "variables/variables.data-00000-of-00001").unlink()
        (model / "assets/vocabulary.txt").unlink()
        code, document = run_json("verify", str(model))
        self.assertEqual(code, 1)
        told = " ".join(p["file"] for p in document["problems"])
        self.assertIn("variables.data-00000-of-00001", told)
        self.assertIn("assets/vocabulary.txt", told)

    def test_a_variable_without_a_value_is_a_note(self):
        code, document = run_json("verify", str(DATA / "uninitialized_variable"))
        self.assertEqual((code, document["problems"]), (0, []))
        self.assertEqual([(n["code"], n["path"]) for n in document["notes"]], [("NotFound", "root.unset")])

    def test_nothing_to_verify(self):
        self.assertEqual(run_json("verify", str(self.folder))[0], 3)
        self.assertEqual(run_json("verify", str(self.folder / "nowhere"))[0], 3)


class Answers(Temporary):
    """What holds for every verb."""

    def arguments(self, verb, model):
        return [verb, str(model)] + (["root.v"] if verb == "cat" else [])

    def test_a_failure_is_one_document_too(self):
        for verb in VERBS:
            with self.subTest(verb):
                code, document = run_json(*self.arguments(verb, self.folder / "nowhere"))
                self.assertEqual((code, list(document)), (3, ["schema", "error"]))
                self.assertEqual(list(document["error"]), ["code", "message", "file", "offset", "key", "path"])
                self.assertEqual(document["error"]["code"], "NotFound")
                self.assertEqual(document["error"]["file"], str(self.folder / "nowhere"))

    def test_a_failure_is_one_line_otherwise(self):
        for verb in VERBS:
            with self.subTest(verb):
                code, out, err = run(*self.arguments(verb, self.folder / "nowhere"))
                self.assertEqual((code, out), (3, b""))
                self.assertTrue(err.startswith(b"savedmodel: "), err)
                self.assertEqual(err.count(b"\n"), 1)

    def test_usage(self):
        for arguments in (["vrfy"], ["ls"], ["ls", "a", "b"], ["ls", "a", "--filtr", "x"], []):
            with self.subTest(arguments):
                self.assertEqual(run(*arguments)[0], 2)
                code, document = run_json(*arguments)
                self.assertEqual((code, document["error"]["code"]), (2, "InvalidArgument"))
        self.assertIn(b'did you mean "verify"', run("vrfy")[2])
        self.assertIn(b'did you mean "--filter"', run("ls", "a", "--filtr", "x")[2])

    def test_help_and_version(self):
        self.assertEqual(run("--help")[0], 0)
        self.assertRegex(run("--version")[1].decode(), r"^savedmodel \d+\.\d+\.\d+\n$")
        for verb in VERBS:
            code, out, err = run(verb, "--help")
            self.assertEqual((code, err), (0, b""))
            self.assertIn(b"--json", out)

    def test_exit_codes(self):
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "saved_model.pb").write_bytes(b"\xff\xff")
        self.assertEqual(run_json("show", str(broken))[0], 4)
        (self.folder / "x.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
        self.assertEqual(run_json("show", str(self.folder / "x.h5"))[0], 4)
        self.assertEqual(run_json("show", "s3://bucket/model")[0], 4)
        os.mkfifo(self.folder / "fifo")
        self.assertEqual(run_json("show", str(self.folder / "fifo"))[0], 3)
        self.assertEqual(run_json("ls", str(DATA / "nested_modules"), "--filter", "encoder")[0], 2)
        self.assertEqual(run_json("ls", str(DATA / "nested_modules"), "--filter", "root.nobody")[0], 3)
        folder = self.folder / "folder"
        (folder / "saved_model.pb").mkdir(parents=True)
        self.assertEqual(run_json("show", str(folder))[0], 3)

    def test_names_that_are_not_utf8(self):
        name = b"m\xff\\\n"
        path = os.path.join(os.fsencode(self.folder), name)
        shutil.copytree(os.fsencode(DATA / "nested_modules"), path)
        code, out, _ = run(b"ls", path, b"--json")
        self.assertEqual(code, 0)
        self.assertTrue(json.loads(out)["model"].endswith("/m\\xff\\\\\n"))
        _, out, _ = run(b"show", path)
        self.assertIn(b"/m\\xff\\\\\\x0a\n", out)
        _, out, _ = run(b"show", path + b"gone", b"--json")
        self.assertTrue(json.loads(out)["error"]["file"].endswith("/m\\xff\\\\\ngone"))

    def test_odd_object_names_can_be_asked_for_as_they_are_printed(self):
        _, document = run_json("ls", str(DATA / "odd_names"))
        asked = 0
        for tensor in document["tensors"]:
            if tensor["path"] is None:
                continue
            for name in (tensor["path"], tensor["key"]):
                code, found = run_json("cat", str(DATA / "odd_names"), name)
                self.assertEqual((code, found["key"]), (0, tensor["key"]), name)
                asked += 1
        self.assertGreater(asked, 10)

    def test_a_closed_pipe_ends_quietly(self):
        for ignored in (False, True):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([COMMAND, "ls", str(DATA / "nested_modules")], stdout=write, stderr=subprocess.PIPE,
                                  restore_signals=not ignored, check=False, timeout=60)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["ls", str(DATA / "nested_modules")], ["ls", "nowhere", "--json"], ["--help"]):
                done = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
                self.assertEqual(done.returncode, 4)
                self.assertIn(b"cannot write", done.stderr)

    def on_a_terminal(self, *arguments, env=None):
        """What is written to stdout, which is a terminal."""
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment.update(env or {})
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made here: {error}")
        subprocess.run([COMMAND, *arguments], stdout=follower, stderr=subprocess.DEVNULL, env=environment, check=False,
                       timeout=60)
        os.close(follower)
        out = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(leader)
        return out

    def test_colour(self):
        model = str(DATA / "nested_modules")
        self.assertNotIn(b"\x1b[", run("tree", model)[1])
        self.assertIn(b"\x1b[", run("tree", model, "--color=always")[1])
        self.assertIn(b"\x1b[", run("tree", model, "--color=always", env={"NO_COLOR": "1"})[1])
        self.assertIn(b"\x1b[", self.on_a_terminal("tree", model))
        self.assertNotIn(b"\x1b[", self.on_a_terminal("tree", model, env={"NO_COLOR": "1"}))
        self.assertIn(b"\x1b[", self.on_a_terminal("tree", model, env={"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b[", self.on_a_terminal("tree", model, "--color", "never"))
        self.assertNotIn(b"\x1b[", self.on_a_terminal("tree", model, "--json", "--color=always"))

    def test_control_characters_in_names_do_not_reach_the_terminal(self):
        path = self.folder / "m\x1b[31m"
        shutil.copytree(DATA / "nested_modules", path)
        for verb in ("show", "ls", "tree", "verify"):
            _, out, err = run(verb, str(path))
            self.assertNotIn(b"\x1b", out + err)
        self.assertNotIn(b"\x1b", run("ls", str(path) + "x")[2])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The checks of this folder find what they are there to find."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import docs
import layering
import public_headers
import style


def tree(files):
    folder = tempfile.TemporaryDirectory()
    for name, text in files.items():
        path = pathlib.Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Layering(unittest.TestCase):
    def complaints(self, files):
        with tree(files) as root:
            return layering.check(pathlib.Path(root))[0]

    def test_downwards_is_fine(self):
        self.assertEqual(self.complaints({
            "base/status.h": "", "base/internal/error.h": '#include "savedmodel/base/status.h"\n',
            "proto/parse.h": "", "proto/graph.proto": 'import "savedmodel/proto/node.proto";\n', "proto/node.proto": "",
            "checkpoint/bundle/reader.h": '#include "savedmodel/base/status.h"\n',
            "checkpoint/bundle/reader.cc": '#include "savedmodel/base/internal/error.h"\n'
                                           '#include "savedmodel/proto/graph.pb.h"\n#include <vector>\n'
                                           '#include "savedmodel/proto/internal/utf8.h"\n',
            "proto/internal/utf8.h": "",
            "checkpoint/checkpoint.h": '#include "savedmodel/checkpoint/bundle/reader.h"\n',
            "tests/checkpoint/checkpoint_test.cc": '#include "savedmodel/proto/parse.h"\n',
            "samples/load.cc": '#include <savedmodel/checkpoint/checkpoint.h>\n'}), [])

    def test_finds_each_forbidden_edge(self):
        for source, target in [
                ("base/buffer.cc", "proto/parse.h"),
                ("checkpoint/bundle/reader.cc", "object_graph/graph.h"),
                ("checkpoint/bundle/reader.cc", "checkpoint/plan.h"),
                ("checkpoint/plan.cc", "signatures/signature.h"),
                ("signatures/signature.cc", "checkpoint/plan.h"),
                ("checkpoint/plan.cc", "saved_model/loader.h"),
                ("saved_model/loader.cc", "tools/show.h"),
                ("checkpoint/plan.cc", "checkpoint/bundle/internal/table.h"),
                ("saved_model/loader.cc", "object_graph/internal/codec.h"),
                ("object_graph/graph.h", "base/internal/error.h"),
                ("object_graph/graph.h", "proto/parse.h"),
                ("tests/base/buffer_test.cc", "object_graph/graph.h"),
                ("base/buffer.cc", "tests/support/matchers.h"),
                ("samples/load.cc", "base/internal/error.h"),
                ("tests/install/main.cc", "proto/parse.h")]:
            with self.subTest(source=source, target=target):
                found = self.complaints({source: f'#include "savedmodel/{target}"\n', target: ""})
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(source + ": "), found)

    def test_finds_other_spellings_and_missing_files(self):
        self.assertEqual(len(self.complaints({"base/a.cc": '#include "b.h"\n', "base/b.h": ""})), 1)
        self.assertEqual(len(self.complaints({"base/a.cc": '#include "base/b.h"\n', "base/b.h": ""})), 1)
        self.assertEqual(len(self.complaints({"base/a.cc": '#include <savedmodel/base/b.h>\n', "base/b.h": ""})), 1)
        self.assertEqual(len(self.complaints({"base/a.cc": '#include "savedmodel/base/b.h"\n'})), 1)

    def test_finds_a_circle(self):
        found = self.complaints({"base/a.h": '#include "savedmodel/base/b.h"\n',
                                 "base/b.h": '#include "savedmodel/base/c.h"\n',
                                 "base/c.h": '#include "savedmodel/base/a.h"\n'})
        self.assertEqual(found, ["a circle of includes: base/a.h -> base/b.h -> base/c.h -> base/a.h"])

    def test_two_ways_to_one_header_are_no_circle(self):
        self.assertEqual(layering.find_cycle({"a": ["b", "c"], "b": ["d"], "c": ["d", "b"], "d": []}), [])


class PublicHeaders(unittest.TestCase):
    def test_expects_headers_directly_in_public_rooms(self):
        files = ["base/a.h", "base/a.cc", "base/internal/b.h", "checkpoint/bundle/c.h", "proto/d.h", "tools/e.h"]
        with tree(dict.fromkeys(files, "")) as root:
            self.assertEqual(public_headers.expected_headers(pathlib.Path(root)), ["base/a.h", "checkpoint/bundle/c.h"])

    def test_finds_foreign_names(self):
        self.assertEqual(public_headers.foreign_names("void F(const ::google::protobuf::Message&);"), ["protobuf"])
        self.assertEqual(public_headers.foreign_names("namespace google { namespace protobuf { class M; } }"), ["protobuf"])
        self.assertEqual(public_headers.foreign_names("llvm::StringRef s; nlohmann :: json j;"), ["LLVM", "nlohmann JSON"])
        self.assertEqual(public_headers.foreign_names("namespace savedmodel { int google; }"), [])


class Style(unittest.TestCase):
    def test_a_plain_file_passes(self):
        self.assertEqual(style.check_text("base/a.cc", '#include "savedmodel/base/a.h"\n// reads /proc/self/maps\n'), [])

    def test_finds_what_it_looks_for(self):
        for text in ["int a;", "int a; \n", "\tint a;\n", '"/' + 'home/me/x"\n', "x\n" * (style.MAX_LINES + 1)]:
            self.assertEqual(len(style.check_text("base/a.cc", text)), 1, text[:40])

    def test_a_long_page_is_no_source(self):
        self.assertEqual(style.check_text("docs/a.md", "x\n" * 700), [])


class Docs(unittest.TestCase):
    def complaints(self, page, **files):
        with tree({"page.md": page, **files}) as folder:
            root = pathlib.Path(folder)
            return docs.check_page(root / "page.md", root, root)

    def test_runs_commands(self):
        self.assertEqual(self.complaints("```sh\ntest -f page.md\n```\n"), [])
        self.assertEqual(len(self.complaints("```sh\nfalse\n```\n")), 1)
        self.assertEqual(len(self.complaints("```sh\nfalse | true\n```\n")), 1)

    def test_compares_output(self):
        self.assertEqual(self.complaints("```sh\nseq 3\n```\n\n```text\n1\n2\n3\n```\n"), [])
        self.assertEqual(self.complaints("```sh\nseq 9\n```\n\n```text\n1\n...\n9\n```\n"), [])
        self.assertEqual(len(self.complaints("```sh\nseq 3\n```\n\n```text\n1\n3\n```\n")), 1)

    def test_compares_snippets(self):
        program = "int main() {\n  // docs: begin\n  Run();\n  // docs: end\n}\n"
        self.assertEqual(self.complaints("<!-- from a.cc -->\n```cpp\nRun();\n```\n", **{"a.cc": program}), [])
        self.assertEqual(len(self.complaints("<!-- from a.cc -->\n```cpp\nWalk();\n```\n", **{"a.cc": program})), 1)
        self.assertEqual(len(self.complaints("<!-- from a.cc -->\n```cpp\nRun();\n```\n")), 1)
        self.assertEqual(len(self.complaints("```cpp\nRun();\n```\n")), 1)
        self.assertEqual(self.complaints("<!-- shown: a sketch -->\n```cpp\nRun();\n```\n"), [])

    def test_heavy_commands_stand_in_their_runner(self):
        page = "<!-- run by ci.sh -->\n```sh\nmake \\\n  all  # slow\n```\n"
        self.assertEqual(self.complaints(page, **{"ci.sh": "time make all\n"}), [])
        self.assertEqual(len(self.complaints(page, **{"ci.sh": "make some\n"})), 1)
        self.assertEqual(len(self.complaints(page)), 1)

    def test_follows_links(self):
        self.assertEqual(self.complaints("[a](page.md) [b](https://example.org) [c](#top)\n"), [])
        self.assertEqual(len(self.complaints("[a](gone.md)\n")), 1)


class CountResults(unittest.TestCase):
    SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/count_results.py"
    PASSED = '<testcase name="a" status="run"/>'
    FAILED = '<testcase name="b" status="fail"><failure message=""/></testcase>'
    SKIPPED = '<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
    NOT_BUILT = '<testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase>'

    def last_line(self, cases, *arguments):
        with tree({"release.xml": "<testsuite>" + cases + "</testsuite>"}) as folder:
            done = subprocess.run([sys.executable, self.SCRIPT, folder, *arguments], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()[-1]

    def test_counts(self):
        self.assertEqual(self.last_line(self.PASSED), (0, "1 passed, 0 failed, 0 skipped"))
        self.assertEqual(self.last_line(self.PASSED + self.SKIPPED), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertEqual(self.last_line(self.PASSED + self.FAILED), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.last_line(self.PASSED + self.NOT_BUILT), (1, "1 passed, 1 failed, 0 skipped"))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.last_line("")[0], 1)

    def test_a_failed_stage_counts_once(self):
        self.assertEqual(self.last_line(self.PASSED, "--stages", "asan"), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.last_line(self.PASSED + self.FAILED, "--stages", "release"),
                         (1, "1 passed, 1 failed, 0 skipped"))


if __name__ == "__main__":
    unittest.main()

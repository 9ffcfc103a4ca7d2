"""What the interop tests share: the command, TensorFlow or a skip, the corpus, and a list of disagreements.

Exit codes of a test: 0 fine, 1 disagreement, 77 skipped (ctest's SKIP_RETURN_CODE).
Environment: SAVEDMODEL_COMMAND (the `savedmodel` binary), SAVEDMODEL_REQUIRE_TF=1 (no TensorFlow is a
failure), SAVEDMODEL_CORPUS (a folder of real models; default ../shared/corpus beside the project).
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
FIXTURES = os.path.join(PROJECT, "tests", "fixtures")
SKIPPED = 77

sys.path.insert(0, FIXTURES)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def tensorflow():
    """The tensorflow module; ends the test when it cannot be imported."""
    try:
        import tensorflow
    except ImportError as error:
        if os.environ.get("SAVEDMODEL_REQUIRE_TF") == "1":
            print(f"TensorFlow is required (SAVEDMODEL_REQUIRE_TF=1) and cannot be imported: {error}")
            sys.exit(1)
        skip(f"TensorFlow cannot be imported ({error}); scripts/setup_tensorflow.sh installs it")
    tensorflow.get_logger().setLevel("ERROR")
    return tensorflow


def require_pinned(tensorflow):
    """Ends the test when this is not the TensorFlow that made the fixtures."""
    with open(os.path.join(FIXTURES, "requirements.txt"), encoding="utf-8") as file:
        pinned = next(line.split("==")[1].strip() for line in file if line.startswith("tensorflow_cpu=="))
    if tensorflow.__version__ != pinned:
        skip(f"TensorFlow is {tensorflow.__version__}, the fixtures were made by {pinned}")


def corpus():
    """The folder of real models; ends the test when there is none."""
    folder = os.environ.get("SAVEDMODEL_CORPUS") or os.path.join(os.path.dirname(PROJECT), "shared", "corpus")
    if not os.path.exists(os.path.join(folder, "EXPECTED.jsonl")):
        skip(f"no corpus in {folder} (SAVEDMODEL_CORPUS)")
    return folder


def expected_checkpoints(folder):
    """The lines of EXPECTED.jsonl: {"path", "num_shards", "tensors": {key: [...]}}."""
    with open(os.path.join(folder, "EXPECTED.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def missing_shards(prefix, num_shards):
    names = [f"{prefix}.data-{i:05}-of-{num_shards:05}" for i in range(num_shards)]
    return [name for name in names if not os.path.exists(name)]


def command(*arguments):
    """Runs the command with --json; returns (exit code, the document it printed)."""
    binary = os.environ.get("SAVEDMODEL_COMMAND")
    if not binary or not os.path.exists(binary):
        print(f"the command is not there: SAVEDMODEL_COMMAND={binary}")
        sys.exit(1)
    result = subprocess.run([binary, *arguments, "--json"], capture_output=True, check=False, timeout=300)
    try:
        return result.returncode, json.loads(result.stdout)
    except ValueError as error:
        raise RuntimeError(
            f"savedmodel {' '.join(arguments)} --json ended with {result.returncode} and printed no JSON "
            f"({error}): {result.stdout[:200]!r} {result.stderr[-500:]!r}"
        ) from error


class Report:
    """Counts agreements and prints disagreements; `finish` ends the test."""

    def __init__(self, what):
        self._what = what
        self._checked = 0
        self._failures = 0

    def equal(self, place, found, expected):
        self._checked += 1
        if found == expected:
            return True
        self.fail(place, f"found {_short(found)}, expected {_short(expected)}")
        return False

    def fail(self, place, message):
        self._failures += 1
        if self._failures <= 50:
            print(f"{place}: {message}")

    def finish(self):
        print(f"{self._checked} {self._what} compared, {self._failures} disagreements")
        if self._checked == 0:
            print("nothing was compared")
        sys.exit(1 if self._failures or not self._checked else 0)


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "..."


def by_key(report, place, document):
    """{key: tensor} of an `ls` document, whose tensors must be sorted by key and unique."""
    if "tensors" not in document:
        report.fail(place, f"no tensors: {_short(document)}")
        return {}
    keys = [t["key"] for t in document["tensors"]]
    report.equal(f"{place}: order of keys", keys, sorted(set(keys), key=_key_bytes))
    return {t["key"]: t for t in document["tensors"]}


def _key_bytes(printed):
    """The key's own bytes: the command doubles backslashes and writes bytes that are not UTF-8 as \\xNN."""
    out, at = bytearray(), 0
    while at < len(printed):
        if printed[at] != "\\":
            out += printed[at].encode()
            at += 1
        elif printed[at + 1] == "x":
            out.append(int(printed[at + 2 : at + 4], 16))
            at += 4
        else:
            out += b"\\"
            at += 2
    return bytes(out)

"""50,000 tensors that TensorFlow writes now are listed and verified as TensorFlow has them."""

import tempfile

import interop

tf = interop.tensorflow()

import golden  # noqa: E402  (needs TensorFlow)
import make_large_index  # noqa: E402


def check(report, prefix):
    expected = golden.describe_checkpoint(prefix)
    report.equal("tensors that TensorFlow reads", len(expected), make_large_index.COUNT)
    code, document = interop.command("ls", "--digest", prefix)
    report.equal("exit code of ls", code, 0)
    found = interop.by_key(report, "ls", document)
    report.equal("keys", sorted(found), sorted(t["key"] for t in expected))
    for tensor in expected:
        ours = found.get(tensor["key"], {})
        for field in ("dtype", "shape", "sha256"):
            report.equal(f"{tensor['key']}: {field}", ours.get(field), tensor[field])
    code, document = interop.command("verify", prefix)
    report.equal("verify", (code, document.get("ok"), document.get("tensors")), (0, True, len(expected)))


def main():
    report = interop.Report("facts")
    with tempfile.TemporaryDirectory() as folder:
        check(report, make_large_index.write(folder))
    report.finish()


main()

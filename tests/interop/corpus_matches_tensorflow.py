"""Every checkpoint of the corpus that TensorFlow reads: `savedmodel ls --digest` has TensorFlow's values."""

import os

import interop

tf = interop.tensorflow()

import golden  # noqa: E402  (needs TensorFlow)


def read_by_tensorflow(prefix):
    """The tensors as TensorFlow reads them, or nothing when it does not, and the reason."""
    try:
        return golden.describe_checkpoint(prefix), None
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        return None, str(error).splitlines()[0][:150]


def check(report, path, prefix, expected):
    code, document = interop.command("ls", "--digest", prefix)
    report.equal(f"{path}: exit code of ls", code, 0)
    found = interop.by_key(report, path, document)
    report.equal(f"{path}: keys", sorted(found), sorted(t["key"] for t in expected))
    for tensor in expected:
        for field in ("dtype", "shape", "sha256", "path", "slot"):
            ours = found.get(tensor["key"], {}).get(field)
            report.equal(f"{path}: {tensor['key']}: {field}", ours, tensor.get(field))


def main():
    folder = interop.corpus()
    report = interop.Report("facts")
    unread = []
    for item in interop.expected_checkpoints(folder):
        prefix = os.path.join(folder, item["path"])
        expected, reason = read_by_tensorflow(prefix)
        if expected is None:
            unread.append(f"{item['path']}: {reason}")
        else:
            check(report, item["path"], prefix, expected)
    print(f"{len(unread)} checkpoints that TensorFlow does not read:", *unread, sep="\n  ")
    report.finish()


main()

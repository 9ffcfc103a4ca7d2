"""Every checkpoint of the corpus: `ls --long` and `verify` agree with EXPECTED.jsonl.

Needs no TensorFlow. Checkpoints without their data are listed all the same, and verify names the missing file.
"""

import os

import interop


def check_listing(report, item, model):
    code, document = interop.command("ls", "--long", model)
    place = f"{item['path']}: ls"
    report.equal(f"{place}: exit code", code, 0)
    found = {key: _as_expected(t) for key, t in interop.by_key(report, place, document).items()}
    report.equal(f"{place}: keys", sorted(found), sorted(item["tensors"]))
    for key in set(found) & set(item["tensors"]):
        report.equal(f"{place}: {key}", found[key], item["tensors"][key])


def _as_expected(tensor):
    """[dtype, shape, shard, offset, size, stored checksum]"""
    crc = tensor.get("crc32c")
    return [tensor["dtype"], tensor["shape"], tensor.get("shard"), tensor.get("offset"), tensor["bytes"],
            None if crc is None else int(crc, 16)]  # fmt: skip


def check_verify(report, item, prefix):
    code, document = interop.command("verify", prefix)
    place = f"{item['path']}: verify"
    missing = [os.path.basename(f) for f in interop.missing_shards(prefix, item["num_shards"])]
    report.equal(f"{place}: exit code", code, 1 if missing else 0)
    report.equal(f"{place}: ok", document.get("ok"), not missing)
    report.equal(f"{place}: number of tensors", document.get("tensors"), len(item["tensors"]))
    told = [f"{p.get('file')} {p.get('message')}" for p in document.get("problems", [])]
    for name in missing:
        report.equal(f"{place}: names the missing {name}", any(name in text for text in told), True)


def saved_model_folder(prefix):
    """The SavedModel that a prefix <folder>/variables/variables belongs to, if it has its message."""
    folder = os.path.dirname(os.path.dirname(prefix))
    whole = prefix == os.path.join(folder, "variables", "variables")
    messages = [os.path.join(folder, name) for name in ("saved_model.pb", "saved_model.pbtxt")]
    return folder if whole and any(map(os.path.exists, messages)) else None


def main():
    folder = interop.corpus()
    report = interop.Report("facts")
    for item in interop.expected_checkpoints(folder):
        prefix = os.path.join(folder, item["path"])
        check_listing(report, item, prefix)
        check_verify(report, item, prefix)
        model = saved_model_folder(prefix)
        if model:
            check_listing(report, item, model)
    report.finish()


main()

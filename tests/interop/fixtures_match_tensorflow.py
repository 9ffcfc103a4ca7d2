"""Every fixture: its golden file equals what TensorFlow reads now, and `savedmodel ls` equals both."""

import json
import os

import interop

interop.tensorflow()

import golden  # noqa: E402  (needs TensorFlow)

IN_BOTH = ("dtype", "shape", "path", "attribute", "slot", "sha256")


def goldens():
    folder = os.path.join(interop.FIXTURES, "golden")
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as stream:
            yield json.load(stream)


def check_golden(report, name, stored, now):
    report.equal(f"{name}: sections", sorted(now), sorted(set(stored) - {"schema", "name", "about"}))
    for section in now:
        report.equal(f"{name}: {section} of the golden file", stored.get(section), now[section])


def check_listing(report, stored, folder):
    name = stored["name"]
    code, document = interop.command("ls", "--long", "--digest", os.path.join(folder, stored["model"]))
    report.equal(f"{name}: exit code of ls", code, 0)
    report.equal(f"{name}: format", document.get("format"), stored["format"])
    found = interop.by_key(report, name, document)
    expected = {t["key"]: t for t in stored["tensors"]}
    report.equal(f"{name}: keys", sorted(found), sorted(expected))
    for key in set(found) & set(expected):
        check_tensor(report, f"{name}: {key}", found[key], expected[key])


def check_tensor(report, place, found, expected):
    for field in IN_BOTH:
        report.equal(f"{place}: {field}", found.get(field), expected.get(field))
    if expected["path"] is not None:
        report.equal(f"{place}: first of paths", found.get("paths", [None])[0], expected["path"])
    slices = [_with_dashes(s["spec"], expected["shape"]) for s in found.get("slices", [])]
    report.equal(f"{place}: slices", sorted(slices), sorted(expected.get("slices", [])))


def _with_dashes(spec, shape):
    """A slice's text where a dimension that is covered whole is `-`."""
    return ":".join("-" if extent == f"0,{dim}" else extent for extent, dim in zip(spec.split(":"), shape))


def main():
    report = interop.Report("facts")
    for stored in goldens():
        folder = os.path.join(interop.FIXTURES, "data", stored["name"])
        check_golden(report, stored["name"], stored, golden.describe(folder))
        check_listing(report, stored, folder)
    report.finish()


main()

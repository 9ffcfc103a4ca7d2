"""Every SavedModel among the fixtures: `savedmodel show` tells the MetaGraphs of the golden file."""

import json
import os

import interop


def models():
    folder = os.path.join(interop.FIXTURES, "golden")
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as stream:
            stored = json.load(stream)
        if stored["format"] == "saved_model":
            yield stored


def check_meta_graph(report, place, found, expected):
    for field in ("tags", "has_object_graph", "signatures"):
        report.equal(f"{place}: {field}", found.get(field), expected[field])
    report.equal(f"{place}: assets", sorted(found.get("assets", [])), sorted(expected["assets"]))
    counts = found.get("counts", {})
    report.equal(f"{place}: functions", counts.get("functions"), expected["functions"])
    nodes = expected.get("nodes", [])
    if nodes:
        report.equal(f"{place}: nodes", counts.get("nodes"), len(nodes))
        slots = sum(node.get("slot", False) for node in nodes)
        report.equal(f"{place}: slots", counts.get("slots"), slots)


def main():
    report = interop.Report("facts")
    for stored in models():
        name = stored["name"]
        code, document = interop.command("show", os.path.join(interop.FIXTURES, "data", name))
        report.equal(f"{name}: exit code of show", code, 0)
        found = document.get("meta_graphs", [])
        report.equal(f"{name}: number of MetaGraphs", len(found), len(stored["meta_graphs"]))
        for i, (one, other) in enumerate(zip(found, stored["meta_graphs"])):
            check_meta_graph(report, f"{name}[{i}]", one, other)
    report.finish()


main()

#!/usr/bin/env python3
"""Adds up what ctest wrote with --output-junit.

usage: count_results.py FOLDER [--stages FAILED_STAGE...]

Prints the failed and skipped tests and "N passed, N failed, N skipped". A stage that failed without a failed
test (it did not build) counts as one failure. Exit 1 when anything failed or nothing passed.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    if case.get("status") == "disabled":
        return "skipped"
    skipped = case.find("skipped")
    # ctest also calls a test whose program was never built, or whose set-up failed, "notrun": that is a failure.
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "failed"


def count(folder):
    """({"passed": [names], ...}, number of result files with a failure)."""
    outcomes, files_with_failures = collections.defaultdict(list), 0
    for path in sorted(folder.glob("*.xml")):
        failed_before = len(outcomes["failed"])
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            outcomes[outcome(case)].append(f"{path.stem}: {case.get('name')}")
        files_with_failures += len(outcomes["failed"]) > failed_before
    return outcomes, files_with_failures


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    stages = sys.argv[sys.argv.index("--stages") + 1:] if "--stages" in sys.argv else []
    outcomes, explained = count(pathlib.Path(sys.argv[1]))
    for kind in ("skipped", "failed"):
        for name in outcomes[kind]:
            print(f"{kind}: {name}")
    passed, skipped = len(outcomes["passed"]), len(outcomes["skipped"])
    failed = len(outcomes["failed"]) + max(0, len(stages) - explained)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()

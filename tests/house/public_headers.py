#!/usr/bin/env python3
"""Checks the installed headers.

usage: public_headers.py SOURCE_ROOT INSTALLED_INCLUDE_DIR WORK_DIR COMPILER [COMPILER ARGUMENTS...]

They are exactly the .h files directly in the public rooms; each compiles alone, twice in one file, without a
warning, against nothing but what is installed; and what it becomes mentions no protobuf, LLVM or JSON name.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from layering import SEES, is_public_header

WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"]
FOREIGN = {
    "protobuf": re.compile(r"\bgoogle\s*::\s*protobuf\b|\bnamespace\s+google\b"),
    "LLVM": re.compile(r"\bllvm\s*::|\bnamespace\s+llvm\b"),
    "nlohmann JSON": re.compile(r"\bnlohmann\s*::|\bnamespace\s+nlohmann\b"),
}


def expected_headers(root):
    found = (path.relative_to(root).as_posix() for room in SEES for path in (root / room).glob("*.h"))
    return sorted(path for path in found if is_public_header(path))


def foreign_names(preprocessed):
    return [name for name, pattern in FOREIGN.items() if pattern.search(preprocessed)]


def check_header(header, include_dir, work_dir, compiler):
    """The complaints about one header, given as <room>/<file>.h."""
    source = work_dir / (header.replace("/", "_") + ".cc")
    source.write_text(f'#include "savedmodel/{header}"\n' * 2)
    command = [*compiler, *WARNINGS, "-I", str(include_dir), str(source)]
    build = subprocess.run([*command, "-c", "-o", str(source.with_suffix(".o"))], capture_output=True, text=True)
    if build.returncode:
        return [f"{header} does not compile alone:\n{build.stderr}"]
    text = subprocess.run([*command, "-E", "-P"], capture_output=True, text=True, check=True).stdout
    return [f"{header} shows {name} to its users" for name in foreign_names(text)]


def check(root, include_dir, work_dir, compiler):
    expected = expected_headers(root)
    installed = sorted(p.relative_to(include_dir / "savedmodel").as_posix()
                       for p in (include_dir / "savedmodel").rglob("*") if p.is_file())
    complaints = [f"{name} is installed, and is no public header" for name in set(installed) - set(expected)]
    complaints += [f"{name} is a public header, and is not installed" for name in set(expected) - set(installed)]
    work_dir.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda name: check_header(name, include_dir, work_dir, compiler), installed):
            complaints += found
    return complaints, len(installed)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    complaints, count = check(*map(pathlib.Path, sys.argv[1:4]), sys.argv[4:])
    print("\n".join(complaints + [f"public headers: {count}, complaints: {len(complaints)}"]))
    sys.exit(1 if complaints or not count else 0)


if __name__ == "__main__":
    main()

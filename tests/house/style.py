#!/usr/bin/env python3
"""Checks what a reader would stumble over in the files of this repository.

usage: style.py SOURCE_ROOT [CLANG_FORMAT]

Sources are as clang-format leaves them; no file of ours is over 600 lines (a test 900); no file names a place on somebody's
machine; text files end in a newline and hold no tabs or trailing spaces. Without CLANG_FORMAT the rest is checked.
"""
import pathlib
import re
import subprocess
import sys

MAX_LINES = 600
MAX_TEST_LINES = 900  # a reader with many ways to read has many tests
TEXT = {".cc", ".h", ".proto", ".py", ".sh", ".cmake", ".txt", ".md", ".in", ".json", ".yml", ""}
SOURCES = {".cc", ".h", ".proto", ".py", ".sh", ".cmake"}
# Home, work and temporary folders and package mirrors; /usr, /etc, /proc and the like are everybody's.
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:home/\w|root/\w|work/\w|Users/\w|tmp/(?!savedmodel)\w)")
SKIPPED_DIRS = {"build", ".git", ".venv", ".cache", "__pycache__"}
DATA_DIRS = ("tests/fixtures", "fuzz/corpus", "tests/cases")


def tracked_files(root):
    """The repository's files by git, or by a walk where there is no repository (a source archive)."""
    git = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True)
    if git.returncode == 0 and git.stdout:
        names = git.stdout.decode().split("\0")
        return sorted(root / name for name in names if name and (root / name).is_file())
    return sorted(p for p in root.rglob("*")
                  if p.is_file() and not SKIPPED_DIRS & set(p.relative_to(root).parts))


def check_text(name, text):
    complaints = []
    lines = text.split("\n")
    most = MAX_TEST_LINES if name.startswith("tests/") else MAX_LINES
    if pathlib.PurePath(name).suffix in SOURCES and len(lines) - 1 > most:
        complaints.append(f"{name}: {len(lines) - 1} lines, over {most}: often two jobs in one")
    if text and not text.endswith("\n"):
        complaints.append(f"{name}: does not end in a newline")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            complaints.append(f"{name}:{number}: trailing space")
        if "\t" in line:
            complaints.append(f"{name}:{number}: tab")
        if MACHINE_PATH.search(line):
            complaints.append(f"{name}:{number}: names a place on somebody's machine: {line.strip()}")
    return complaints


def check_format(files, clang_format):
    sources = [str(path) for path in files if path.suffix in (".cc", ".h")]
    if not sources:
        return []
    run = subprocess.run([clang_format, "--dry-run", "--Werror", *sources], capture_output=True, text=True)
    if run.returncode == 0:
        return []
    places = sorted({line.split(": ")[0] for line in run.stderr.splitlines() if ": error:" in line})
    return [f"{place}: not as {clang_format} leaves it" for place in places] or [run.stderr]


def check(root, clang_format=None):
    files = tracked_files(root)
    complaints = []
    for path in files:
        name = path.relative_to(root).as_posix()
        if path.suffix in TEXT and not name.startswith(DATA_DIRS) and name != "LICENSE":
            try:
                complaints += check_text(name, path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                complaints.append(f"{name}: not UTF-8")
    if clang_format:
        complaints += check_format(files, clang_format)
    return complaints, len(files)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    complaints, count = check(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    print("\n".join(complaints + [f"style: {count} files, {len(complaints)} complaints"]))
    sys.exit(1 if complaints or not count else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the commands and checks the programs and links of the documentation.

usage: docs.py SOURCE_ROOT BUILD_DIR

Every fenced block of a tracked .md file says by its language, or by a comment on the line above, what happens:

  ```sh                          is run by bash in a folder that looks like the source root with BUILD_DIR as
                                 build/release, and the command in PATH; files it makes there and in $HOME last until
                                 the page's end. A ```text block right below it is its whole output; "..." on a line
                                 of its own stands for any lines
  <!-- run by FILE FILE -->      a ```sh block too heavy for this test: the files must hold each of its commands
  <!-- from FILE -->             the block is FILE, from a line that ends in "docs: begin" to one that ends in "docs: end"
  <!-- shown: WHY -->            nothing to run (a layout, a sketch, a wish)

A ```cpp, ```cmake or ```python block without such a comment is a complaint. Other languages are left alone.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

from style import tracked_files

BLOCK = re.compile(r"^(?:<!-- *(?P<note>[^\n]*?) *-->\n+)?```(?P<language>\w*)\n(?P<body>.*?)^```$"
                   r"(?:\n+```text\n(?P<output>.*?)^```$)?", re.M | re.S)
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
NEEDS_NOTE = {"cpp", "cmake", "python"}
TIMEOUT_SECONDS = 120


def snippet(text):
    """The part of a program between its docs markers, without common indentation; None without markers."""
    found = re.search(r"^[^\n]*docs: begin\n(.*?)^[^\n]*docs: end$", text, re.M | re.S)
    return textwrap.dedent(found.group(1)) if found else None


def commands(body):
    """The command lines of a block, without comments; continued lines are one command."""
    lines = body.replace("\\\n", " ").splitlines()
    bare = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    return [re.sub(r"\s+", " ", line) for line in bare if line]


def matches(expected, actual):
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*")
    return re.fullmatch(pattern, actual) is not None


class Desk:
    """Where commands run: links to the source root's entries, a build folder, a home."""

    def __init__(self, root, build_dir):
        self._folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self._folder.name, "savedmodel")
        (self.path / "build").mkdir(parents=True)
        for entry in root.iterdir():
            if entry.name not in ("build", ".git"):
                (self.path / entry.name).symlink_to(entry)
        (self.path / "build/release").symlink_to(build_dir)
        home = self.path.parent / "home"
        home.mkdir()
        self.env = dict(os.environ, HOME=str(home), PATH=f"{build_dir}/bin{os.pathsep}{os.environ['PATH']}")

    def run(self, body, output):
        """What is wrong with a block of commands; None when nothing is."""
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=self.path, env=self.env, text=True,
                              errors="replace", capture_output=True, timeout=TIMEOUT_SECONDS)
        if done.returncode:
            return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        if output is not None and not matches(output, done.stdout):
            return f"prints\n{done.stdout}where the page shows\n{output}"
        return None


def judge(block, root, desk):
    """What is wrong with one block; None when nothing is."""
    note, language, body = block["note"] or "", block["language"], block["body"]
    verb, _, rest = note.partition(" ")
    if verb == "shown:" and rest:
        return None
    if verb == "from":
        if not (root / rest).is_file():
            return f"is from {rest}, which does not exist"
        return None if snippet((root / rest).read_text()) == body else f"differs from {rest}"
    if language == "sh" and note.startswith("run by "):
        runners = [root / name for name in note[len("run by "):].split()]
        text = " ".join(runner.read_text() for runner in runners if runner.is_file())
        missing = [command for command in commands(body) if command not in re.sub(r"\s+", " ", text)]
        return f"is not run there: {missing}" if missing else None
    if language == "sh":
        return desk.run(body, block["output"])
    return f"a {language} block that nothing checks" if language in NEEDS_NOTE else None


def check_page(path, root, build_dir):
    name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
    complaints, desk = [], Desk(root, build_dir)
    for block in BLOCK.finditer(text):
        wrong = judge(block, root, desk)
        if wrong:
            line = text.count("\n", 0, block.start("body"))
            complaints.append(f"{name}:{line}: {wrong}")
    for target in LINK.findall(BLOCK.sub("", text)):
        if not (path.parent / target).exists():
            complaints.append(f"{name}: links to {target}, which does not exist")
    return complaints


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build_dir = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    pages = [path for path in tracked_files(root) if path.suffix == ".md"]
    complaints = [line for page in pages for line in check_page(page, root, build_dir)]
    print("\n".join(complaints + [f"docs: {len(pages)} pages, {len(complaints)} complaints"]))
    sys.exit(1 if complaints or not pages else 0)


if __name__ == "__main__":
    main()

"""Random restore scripts: the library's outcomes are those of real TensorFlow.

    restore_random.py [COUNT [SEED]]        default 200 1; script number i is made from seed SEED + i

SAVEDMODEL_RESTORE_SCRIPT names a program of the library that is started once, as `PROGRAM DIR` with a folder
that it may use as it likes. It reads one JSON object per line from its standard input,

    {"steps": [...], "data": "<folder>"}

and answers each with one line, the JSON array of the steps' outcomes (tests/cases/README.md, "Rows with
`steps`"). The files of the script's `save` and `write` steps are there already: {"write": "first", ...} is
<folder>/first.index and <folder>/first.data-00000-of-00001.
"""

import json
import os
import subprocess
import sys
import tempfile

import interop
import restore_generator

SHRINKING_RUNS = 300  # per disagreement
SHRUNK = 3  # so many disagreements are made small


class Program:
    """The library's side: a process that answers line by line."""

    def __init__(self, path, folder):
        self._arguments = [path, folder]
        self._process = None

    def run(self, steps, data):
        """The outcomes, or a text of what went wrong."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        try:
            self._process.stdin.write(json.dumps({"steps": steps, "data": data}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        line = self._process.stdout.readline()
        return json.loads(line) if line else self._ended()

    def _ended(self):
        code, self._process = self._process.wait(), None
        return f"the program ended with {code}"

    def close(self):
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()


def run_both(program, steps):
    """(TensorFlow's outcomes, the program's), or None when the script is no script."""
    import restore_script

    with tempfile.TemporaryDirectory() as folder:
        try:
            expected = restore_script.run(steps, folder)
        except restore_script.ScriptError:
            return None
        return json.loads(json.dumps(expected)), program.run(steps, folder)


def first_difference(expected, found):
    """The number of the first step on which they disagree, or None."""
    if not isinstance(found, list) or len(found) != len(expected):
        return len(expected)
    return next((i for i, (e, f) in enumerate(zip(expected, found)) if e != f), None)


def answers(steps, expected, found):
    """The disputed step with both answers to it."""
    at = first_difference(expected, found)
    return None if at is None or not isinstance(found, list) else (steps[at], expected[at], found[at])


def shrunk(program, steps, disputed):
    """A shorter script in which both still answer that step as they did."""
    runs, size = 0, len(steps) // 2
    while size >= 1 and runs < SHRINKING_RUNS:
        before, at = len(steps), 0
        while at < len(steps) and runs < SHRINKING_RUNS:
            shorter = steps[:at] + steps[at + size :]
            outcomes = run_both(program, shorter) if shorter else None
            runs += 1
            if outcomes is not None and answers(shorter, *outcomes) == disputed:
                steps = shorter
            else:
                at += size
        if size > 1 or len(steps) == before:
            size //= 2
    return steps


def print_disagreement(program, seed, steps, shrink):
    expected, found = run_both(program, steps)
    disputed = answers(steps, expected, found)
    if shrink and disputed is not None:
        steps = shrunk(program, steps, disputed)
        expected, found = run_both(program, steps)
    at = first_difference(expected, found)
    print(f"seed {seed}: step {at}: {found if not isinstance(found, list) else ''}")
    for number, step in enumerate(steps):
        both = json.dumps(expected[number])
        if isinstance(found, list) and number < len(found) and found[number] != expected[number]:
            both += f"   SAVEDMODEL: {json.dumps(found[number])}"
        print(f"  {number:3} {json.dumps(step)}  {both}")


def main(argv):
    count = int(argv[1]) if len(argv) > 1 else 200
    first_seed = int(argv[2]) if len(argv) > 2 else 1
    path = os.environ.get("SAVEDMODEL_RESTORE_SCRIPT")
    if not path or not os.path.exists(path):
        interop.skip(f"no program to compare with: SAVEDMODEL_RESTORE_SCRIPT={path}")
    interop.tensorflow()
    disagreements, outcomes = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(path, folder)
        for seed in range(first_seed, first_seed + count):
            steps = restore_generator.make_script(seed)
            expected, found = run_both(program, steps)
            outcomes += len(expected)
            if first_difference(expected, found) is not None:
                disagreements += 1
                print_disagreement(program, seed, steps, disagreements <= SHRUNK)
        program.close()
    print(f"{count} scripts, {outcomes} outcomes compared, {disagreements} scripts with disagreements")
    return 1 if disagreements or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

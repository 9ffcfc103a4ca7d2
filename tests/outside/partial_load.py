#!/usr/bin/env python3
"""Looks at a partial load from outside: which files are opened, which bytes are read or mapped, how much memory it takes.

usage: partial_load.py COMMAND MAKE_LARGE_MODEL

The model has 512 variables of 1 MiB (a sparse file) and 5,000 functions; the load takes two of the variables.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

VARIABLES, EACH, FUNCTIONS = 512, 1 << 20, 5000
WANTED = (7, 300)
PAGE = resource.getpagesize()
MEMORY_BESIDE_SELECTION = 64 << 20  # program, libraries and graph


def entries(command, model):
    listed = json.loads(subprocess.run([command, "ls", model, "--json", "--long"], check=True, capture_output=True).stdout)
    return {tensor["path"]: tensor for tensor in listed["tensors"]}


def trace(command, model, log):
    """The system calls of a load in a fresh process, and its JSON report."""
    filters = [word for i in WANTED for word in ("--filter", f"root.v{i}")]
    done = subprocess.run(["strace", "-f", "-y", "-s0", "-e", "trace=openat,pread64,preadv,read,mmap", "-o", log,
                           command, "load", model, "--json", *filters], check=True, capture_output=True)
    return pathlib.Path(log).read_text(), json.loads(done.stdout)


def touched(calls, name):
    """[begin, end) of every byte range of the file `name` that was read or mapped."""
    ranges = []
    for fd_call in re.finditer(rf"pread64\(\d+<[^>]*{re.escape(name)}>, .*?, (\d+), (\d+)\) = (\d+)", calls):
        begin = int(fd_call[2])
        ranges.append((begin, begin + int(fd_call[3])))
    for mapped in re.finditer(rf"mmap\([^,]+, (\d+), [^,]+, [^,]+, \d+<[^>]*{re.escape(name)}>, (0x[0-9a-f]+|0)\)", calls):
        begin = int(mapped[2], 0)
        ranges.append((begin, begin + int(mapped[1])))
    return ranges


def check_bytes(calls, tensors):
    allowed = [tensors[f"root.v{i}"] for i in WANTED]
    graph = [t for t in tensors.values() if t["key"] == "_CHECKPOINTABLE_OBJECT_GRAPH"]
    spans = [(t["offset"] // PAGE * PAGE, t["offset"] + t["bytes"] + PAGE) for t in allowed + graph]
    seen = touched(calls, "variables.data-00000-of-00001")
    assert seen, "the trace shows no read of the shard: is strace's format another?"
    for begin, end in seen:
        assert any(low <= begin and end <= high for low, high in spans), f"bytes {begin} to {end} were touched for nothing"
    read = sum(end - begin for begin, end in seen)
    assert read >= len(WANTED) * EACH, f"only {read} bytes of the shard were read for {len(WANTED)} variables"
    print(f"shard: {read} of {VARIABLES * EACH} bytes touched in {len(seen)} calls")


def check_memory(command, model):
    """Peak memory of a load of the two variables: the selection and a constant."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.execv(command, [command, "load", model, *[w for i in WANTED for w in ("--filter", f"root.v{i}")]])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"the load failed with {status}"
    peak, limit = usage.ru_maxrss * 1024, len(WANTED) * EACH + MEMORY_BESIDE_SELECTION
    assert peak <= limit, f"peak memory {peak}, limit {limit}"
    print(f"memory: peak {peak >> 20} MiB for {len(WANTED) * EACH >> 20} MiB selected of {VARIABLES * EACH >> 20} MiB")


def main():
    command, maker = sys.argv[1:]
    assert shutil.which("strace"), "strace is not installed"
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        subprocess.run([maker, model, str(VARIABLES), str(EACH), str(FUNCTIONS)], check=True)
        tensors = entries(command, model)
        calls, report = trace(command, model, os.path.join(folder, "trace"))
        assert [v["path"] for v in report["variables"]] == [f"root.v{i}" for i in WANTED], report["variables"]
        check_bytes(calls, tensors)
        check_memory(command, model)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the direction of includes between the rooms.

usage: layering.py SOURCE_ROOT      prints each edge that must not be; exit 1 when there is one

base <- proto <- object_graph <- {checkpoint, signatures} <- saved_model <- tools, and checkpoint/bundle sees
only base and proto. A room's internal/ is its own, except those of base and proto; public headers include
neither internal/ nor proto/, so that what is installed is complete. Tests of a room see what the room sees.
"""
import pathlib
import re
import sys

SEES = {
    "base": [],
    "proto": ["base"],
    "object_graph": ["base", "proto"],
    "checkpoint/bundle": ["base", "proto"],
    "checkpoint": ["base", "proto", "object_graph", "checkpoint/bundle"],
    "signatures": ["base", "proto", "object_graph"],
    "saved_model": ["base", "proto", "object_graph", "checkpoint/bundle", "checkpoint", "signatures"],
}
SEES["tools"] = list(SEES)
PRIVATE_ROOMS = ("proto", "tools")  # no public headers
SHARED_INSIDE = ("base", "proto")  # whose internal/ the SDK's own rooms may include
USERS = ("samples", "tests/install")  # what a user writes: public headers only

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
IMPORT = re.compile(r'^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"', re.M)


def room_of(path):
    """The room of a path relative to the root ("tests/base/x.cc" and "base/x.cc" are base); None outside."""
    if path.startswith("tests/"):
        path = path[len("tests/"):]
    rooms = sorted(SEES, key=len, reverse=True)
    return next((room for room in rooms if path.startswith(room + "/")), None)


def is_public_header(path):
    folder, _, name = path.rpartition("/")
    return name.endswith(".h") and folder in SEES and folder not in PRIVATE_ROOMS


def is_internal(path):
    return "internal" in path.split("/")[:-1]


def judge(path, target):
    """Why the file `path` must not include the project's file `target`; None when it may."""
    if any(path.startswith(user + "/") for user in USERS):
        return None if is_public_header(target) else "is for users' eyes, who have only public headers"
    room, other = room_of(path), room_of(target)
    if is_public_header(path) and not is_public_header(target):
        return "is a public header and includes a private one"
    if target.startswith("tests/"):
        return None if path.startswith(("tests/", "benchmarks/", "fuzz/")) else "includes a test"
    if room is None:  # benchmarks, fuzz targets and what tests share may look everywhere
        return None
    if other != room and other not in SEES[room]:
        return f"is in {room}, which does not see {other}"
    if other != room and other not in SHARED_INSIDE and is_internal(target):
        return f"is in {room} and includes what is internal to {other}"
    return None


def sources(root):
    folders = [*{room.split("/")[0] for room in SEES}, "samples", "tests", "benchmarks", "fuzz"]
    for folder in sorted(folders):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".proto") and path.is_file():
                yield path.relative_to(root).as_posix()


def project_includes(root, path):
    """Yields (target, complaint): files of ours that `path` includes, or what is wrong with the spelling."""
    text = (root / path).read_text(encoding="utf-8")
    if path.endswith(".proto"):
        found = [('"', name) for name in IMPORT.findall(text)]
    else:
        found = INCLUDE.findall(text)
    for quote, name in found:
        if name.startswith("savedmodel/"):
            target = name[len("savedmodel/"):]
            if quote == "<" and not path.startswith(USERS):
                yield target, "includes with <>; our own files are included with quotes"
            generated = re.sub(r"\.pb\.(h|cc)$", ".proto", target)
            if not (root / generated).is_file():
                yield target, "includes what does not exist"
            else:
                yield target, None
        elif (root / path).parent.joinpath(name).is_file() or (root / name).is_file():
            if not path.startswith(USERS):
                yield name, 'spells an include; our own files are included as "savedmodel/<room>/..."'


def find_cycle(edges):
    """One circle in a graph {node: [nodes]}, as a list that ends where it starts; [] when there is none."""
    state = {}
    for start in sorted(edges):
        trail, stack = [], [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                state[node] = "done"
                trail.pop()
            elif state.get(node) == "open":
                return trail[trail.index(node):] + [node]
            elif node not in state:
                state[node] = "open"
                trail.append(node)
                stack.append((node, True))
                stack.extend((after, False) for after in edges.get(node, []) if state.get(after) != "done")
    return []


def check(root):
    complaints, edges, files = [], {}, 0
    for path in sources(root):
        files += 1
        for target, wrong in project_includes(root, path):
            wrong = wrong or judge(path, target)
            if wrong:
                complaints.append(f"{path}: {wrong} ({target})")
            edges.setdefault(path, []).append(target)
    cycle = find_cycle(edges)
    if cycle:
        complaints.append("a circle of includes: " + " -> ".join(cycle))
    return complaints, files


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complaints, files = check(pathlib.Path(sys.argv[1]))
    print("\n".join(complaints + [f"layering: {files} files, {len(complaints)} complaints"]))
    sys.exit(1 if complaints or not files else 0)


if __name__ == "__main__":
    main()

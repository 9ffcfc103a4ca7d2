"""Random restore scripts: a tree of objects is saved twice, and a tree that is nearly the same is built in
some order while the files are restored and questions are asked.

What an edge is called tells the kind of its child ("v3" is a variable, "m1" a module), in both trees, and all
variables have one shape: what happens to objects that do not suit each other is for rows of
tests/cases/restore.json.
"""

import random

# How an edge to a child of that kind is called, and how often one is made.
KINDS = {
    "module": ("m", 4),
    "variable": ("v", 6),
    "list": ("l", 2),
    "dict": ("d", 1),
    "pair": ("p", 1),
    "state": ("s", 1),
}
CONTAINERS = ("module", "list", "dict")
SLOTS = ("m", "v")


def make_script(seed):
    """The steps of one script, always the same ones for a seed."""
    return _Script(random.Random(seed)).steps


class _Tree:
    """Objects by name, and edges (parent, name, child) between them."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.kinds = {}
        self.list_of = {}  # a list holds children of one kind
        self.edges = []
        self.roots = []

    def add(self, kind):
        name = f"{self.prefix}{len(self.kinds)}"
        self.kinds[name] = kind
        return name

    def named(self, *kinds):
        return [name for name, kind in self.kinds.items() if kind in kinds]


class _Script:
    def __init__(self, rng):
        self.rng = rng
        self.steps = []
        self.made = set()
        self.tracked = []  # edges of the tree that is being built, as far as it is
        self.number = 0
        self.restores = 0
        self.statuses = []  # those that may still be asked
        self.slots = set()  # (optimizer, variable) pairs that took a step together
        self.unasked = set()  # optimizers whose numbers depend on arithmetic
        self.by_keyword = rng.random() < 0.4
        self.may_drop = rng.random() < 0.5
        saved = self._random_tree("a")
        self._save(saved)
        self._build_and_restore(saved)

    def _chance(self, probability):
        return self.rng.random() < probability

    def _step(self, **step):
        self.steps.append(step)

    # Trees

    def _random_tree(self, prefix):
        tree = _Tree(prefix)
        tree.roots = [tree.add("module") for _ in range(2 if self.by_keyword else 1)]
        for _ in range(self.rng.randint(3, 14)):
            self._grow(tree)
        if not self.may_drop and self._chance(0.5):
            for _ in range(self.rng.randint(1, 2)):
                tree.edges.append((self._module(tree), self._edge_name("o"), tree.add("adam")))
        return tree

    def _module(self, tree):
        return self.rng.choice(tree.named("module"))

    def _edge_name(self, letter):
        odd = self.rng.choice(("/", ".", "..S", "/.")) if self._chance(0.05) else ""
        return f"{letter}{odd}{self.rng.randrange(5)}"

    def _grow(self, tree):
        """One more edge: to a new object, to one that is there already, or back."""
        parent = self.rng.choice(tree.named(*CONTAINERS))
        kind = self._child_kind(tree, parent)
        there = tree.named(kind) if self._may_be_shared(tree, parent, kind) else []
        child = self.rng.choice(there) if there and self._chance(0.25) else tree.add(kind)
        name = self._edge_name(KINDS[kind][0])
        is_list = tree.kinds[parent] == "list"
        if is_list or all(edge[:2] != (parent, name) for edge in tree.edges):
            tree.edges.append((parent, "" if is_list else name, child))

    def _may_be_shared(self, tree, parent, kind):
        """Lists and dicts that hold each other in a circle are more than Python's comparing them can take."""
        return kind not in ("list", "dict") or tree.kinds[parent] == "module"

    def _child_kind(self, tree, parent):
        kinds, weights = zip(*((kind, weight) for kind, (_, weight) in KINDS.items()))
        kind = self.rng.choices(kinds, weights)[0]
        if tree.kinds[parent] == "list":
            return tree.list_of.setdefault(parent, self.rng.choice(("variable", "module")))
        return kind

    def _similar_tree(self, saved):
        """A tree like the saved one, with some edges gone, renamed, split, merged, and some more."""
        tree = _Tree("b")
        same = {}
        for name, kind in saved.kinds.items():
            same[name] = tree.add(kind)
            if name in saved.list_of:
                tree.list_of[same[name]] = saved.list_of[name]
        tree.roots = [same[root] for root in saved.roots]
        change = self.rng.choice((0.0, 0.05, 0.15))
        for parent, name, child in saved.edges:
            if self._chance(change):
                continue
            child = self._changed_child(tree, same[child], change)
            name = self._edge_name(name[0]) if name and self._chance(change) else name
            if not name or all(edge[:2] != (same[parent], name) for edge in tree.edges):
                tree.edges.append((same[parent], name, child))
        while self._chance(2 * change):
            self._grow(tree)
        return tree

    def _changed_child(self, tree, child, change):
        kind = tree.kinds[child]
        if kind in ("adam", "list", "dict") or not self._chance(change):
            return child
        if self._chance(0.5):
            return self.rng.choice(tree.named(kind))  # two become one
        return tree.add(kind)  # one becomes two

    # Steps that build

    def _value(self):
        self.number += 1
        return [float(self.number), float(self.number) / 4]

    def _make(self, tree, name):
        if name in self.made:
            return
        self.made.add(name)
        kind = tree.kinds[name]
        if kind == "variable":
            self._step(make=name, **{"as": kind}, value=self._value())
        elif kind == "pair":
            self._step(make=name, **{"as": kind}, a=self._value()[0], b=self._value())
        elif kind == "state":
            self._step(make=name, **{"as": kind}, value=f"text {self._value()[0]}")
        else:
            self._step(make=name, **{"as": kind})

    def _track(self, tree, edge):
        parent, name, child = edge
        self._make(tree, parent)
        if tree.kinds[child] == "variable" and tree.kinds[parent] == "module" and self._may_create(child):
            self.made.add(child)
            self._step(create=child, parent=parent, name=name, value=self._value())
        else:
            self._make(tree, child)
            self._step(track=parent, name=name, child=child)
        self.tracked.append(edge)

    def _may_create(self, child):
        return child not in self.made and self._chance(0.2)

    def _checkpoint(self, name, tree):
        for root in tree.roots:
            self._make(tree, root)
        if self.by_keyword:
            self._step(checkpoint=name, objects={f"key{i}": root for i, root in enumerate(tree.roots)})
        else:
            self._step(checkpoint=name, root=tree.roots[0])

    def _assign_all(self, tree):
        for name in sorted(self.made & set(tree.kinds)):
            kind = tree.kinds[name]
            if kind == "variable":
                self._step(assign=name, value=self._value())
            elif kind == "pair":
                self._step(assign=name, value={"a": self._value()[0]})
            elif kind == "state":
                self._step(assign=name, value=f"text {self._value()[0]}")
        for optimizer, variable in sorted(self.slots):
            if optimizer in tree.kinds:
                self._assign_slots(optimizer, variable)

    def _train(self, tree, optimizer, keep_powers):
        """A step, after which everything is given numbers, as arithmetic is not what is compared."""
        there = [name for name in tree.named("variable") if name in self.made]
        if not there:
            return
        chosen = sorted(self.rng.sample(there, self.rng.randint(1, len(there))))
        self._step(train=optimizer, variables=chosen)
        for variable in chosen:
            self._step(assign=variable, value=self._value())
            self._assign_slots(optimizer, variable)
            self.slots.add((optimizer, variable))
        if keep_powers:
            self.unasked.add(optimizer)
        else:
            powers = {name: self._value()[0] for name in ("beta1_power", "beta2_power")}
            self._step(assign=optimizer, value=powers)
            self.unasked.discard(optimizer)

    def _assign_slots(self, optimizer, variable):
        for slot in SLOTS:
            self._step(assign_slot=optimizer, variable=variable, slot_name=slot, value=self._value())

    # Phases

    def _save(self, tree):
        for edge in tree.edges:
            self._track(tree, edge)
        for optimizer in tree.named("adam"):
            if self._chance(0.8):
                self._train(tree, optimizer, keep_powers=False)
        self._checkpoint("c", tree)
        self._write("first")
        self._assign_all(tree)
        for _ in range(self.rng.randint(0, 3)):
            before = len(tree.edges)
            self._grow(tree)
            for edge in tree.edges[before:]:
                self._track(tree, edge)
        self._write("second")
        self.tracked = []

    def _write(self, file):
        self._step(**{"save" if self.by_keyword and self._chance(0.5) else "write": file}, checkpoint="c")

    def _build_and_restore(self, saved):
        tree = self._similar_tree(saved)
        edges = list(tree.edges)
        if self._chance(0.7):
            self.rng.shuffle(edges)
        self._checkpoint("d", tree)
        checkpoints = ["d"] * 4
        if self._chance(0.3):
            self._second_root(tree)
            checkpoints.append("e")
        restores = sorted(self.rng.randint(0, len(edges)) for _ in range(self.rng.randint(1, 3)))
        for position in range(len(edges) + 1):
            for _ in range(restores.count(position)):
                self._restore(self.rng.choice(checkpoints))
            if position < len(edges):
                self._track(tree, edges[position])
            self._between(tree)
        self._ask_everything(tree)

    def _second_root(self, tree):
        root = self._module(tree)
        tree.roots.append(root)
        self._make(tree, root)
        self._step(checkpoint="e", root=root)

    def _restore(self, checkpoint):
        self.restores += 1
        name = f"s{self.restores}"
        self.statuses.append(name)
        kind = "restore" if self.by_keyword and checkpoint == "d" and self._chance(0.5) else "read"
        step = {kind: self.rng.choice(("first", "second")), "checkpoint": checkpoint, "status": name}
        if self._chance(0.1):
            step["skip_slots"] = True
        self._step(**step)

    def _between(self, tree):
        optimizers = [name for name in tree.named("adam") if name in self.made]
        if optimizers and self._chance(0.15):
            self._train(tree, self.rng.choice(optimizers), keep_powers=self._chance(0.5))
        if self.tracked and self._chance(0.08):
            self._untrack(tree)
        if len(self.statuses) > 1 and self._chance(0.03):
            self._step(drop=self.statuses.pop(self.rng.randrange(len(self.statuses))))
        if self._chance(0.25):
            self._ask(tree)

    def _untrack(self, tree):
        edge = self.rng.choice(self.tracked)
        parent, name, child = edge
        if tree.kinds[parent] != "module" or tree.kinds[child] == "adam":
            return
        self.tracked.remove(edge)
        self._step(untrack=parent, name=name)
        if self.may_drop and self._chance(0.8) and not self._held_elsewhere(tree, edge):
            self._step(drop=child)
            self.made.discard(child)
            tree.kinds.pop(child)

    def _held_elsewhere(self, tree, edge):
        child = edge[2]
        others = [other for other in tree.edges if other != edge]
        return child in tree.roots or any(child in (parent, below) for parent, _, below in others)

    # Questions

    def _ask(self, tree):
        questions = self._assertions() + self._values(tree)
        if questions:
            self._step(**self.rng.choice(questions))

    def _ask_everything(self, tree):
        for question in self._assertions() + self._values(tree):
            self._step(**question)
        for name in tree.named(*CONTAINERS):
            if name in self.made:
                self._step(children=name)
        self._step(save_counter="d")

    def _assertions(self):
        kinds = ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match")
        return [{kind: status} for status in self.statuses for kind in kinds]

    def _values(self, tree):
        there = [name for name in tree.kinds if name in self.made]
        asked = [n for n in there if tree.kinds[n] in ("variable", "pair", "state")]
        asked += [n for n in there if tree.kinds[n] == "adam" and n not in self.unasked]
        variables = [n for n in there if tree.kinds[n] == "variable"]
        optimizers = [n for n in there if tree.kinds[n] == "adam"]
        slots = [(o, v, s) for o in optimizers for v in variables for s in SLOTS]
        return [{"value": n} for n in asked] + [
            {"slot": o, "variable": v, "slot_name": s} for o, v, s in slots
        ]

#!/usr/bin/env python3
"""Installs the library and builds programs of strangers against it.

usage: install_test.py --build DIR --work DIR --model DIR --compiler CXX --cmake CMAKE [--launcher CCACHE]
                       STEP [--llvm ROOT]

STEP is prefix (installs, then moves the result: the other steps use what was moved), contents, find-package,
pkg-config, symbols, neighbours (other messages of TensorFlow's names, another LLVM and another libprotobuf in the
same process), or with-tensorflow (real TensorFlow in the same process). Exit 77 when a step cannot be done here.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
ANSWER = "whole 8 step 1311768467463792376 | part 105.6 | key 701.2\n"


def call(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def output_of(*command, **options):
    return call(*command, stdout=subprocess.PIPE, **options).stdout


def expect(condition, complaint):
    if not condition:
        sys.exit(f"FAILED: {complaint}")


def expect_output(expected, *command):
    found = output_of(*command)
    print(found, end="")
    expect(found == expected, f"expected {expected!r}, found {found!r}")


def configure_and_build(args, project, *definitions):
    """Builds SOURCE/project against the installed library; returns its build folder."""
    build = args.work / f"{project}{args.llvm.name if args.llvm else ''}"
    shutil.rmtree(build, ignore_errors=True)
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={args.launcher}"] if args.launcher else []
    call(args.cmake, "-S", SOURCE / project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         f"-DCMAKE_PREFIX_PATH={args.prefix}", f"-DCMAKE_CXX_COMPILER={args.compiler}", *launcher, *definitions)
    call(args.cmake, "--build", build)
    return build


def prefix(args):
    staging = args.work / "staging"
    for folder in (staging, args.prefix):
        shutil.rmtree(folder, ignore_errors=True)
    output_of(args.cmake, "--install", args.build, "--prefix", staging)
    staging.rename(args.prefix)


def contents(args):
    names = {p.relative_to(args.prefix).as_posix() for p in args.prefix.rglob("*") if p.is_file()}
    for name in ["lib/libsavedmodel.a", "lib/pkgconfig/savedmodel.pc", "share/doc/savedmodel/LICENSE",
                 "lib/cmake/savedmodel/savedmodelConfig.cmake", "lib/cmake/savedmodel/savedmodelConfigVersion.cmake",
                 "lib/cmake/savedmodel/savedmodelTargets.cmake", "include/savedmodel/base/tensor.h"]:
        expect(name in names, f"{name} is not installed")
    for name in names:
        expect(not re.search(r"/internal/|\.pb\.h$|\.proto$|/(proto|tools|tests)/", name), f"{name} is installed")
    for name in names:
        if name.startswith("lib/") and not name.endswith(".a"):
            text = (args.prefix / name).read_text()
            expect(str(args.work) not in text, f"{name} names the folder it was installed to first")


def find_package(args):
    build = configure_and_build(args, "consumer")
    for program in ("consumer", "consumer_by_room"):
        expect_output(ANSWER, build / program, args.model)


def pkg_config(args):
    env = dict(os.environ, PKG_CONFIG_PATH=str(args.prefix / "lib/pkgconfig"))
    flags = output_of("pkg-config", "--cflags", "--libs", "savedmodel", env=env).split()
    program = args.work / "by_pkg_config"
    call(args.compiler, "-std=c++20", SOURCE / "consumer/main.cc", SOURCE / "answer.cc", "-o", program, *flags)
    expect_output(ANSWER, program, args.model)


def symbols(args):
    archive = args.prefix / "lib/libsavedmodel.a"
    exported = re.findall(r"^(\S+) (\w) ", output_of("nm", "-gP", "--defined-only", archive), re.M)
    expect(len(exported) > 10, "the archive exports next to nothing")
    ours = re.compile(r"_Z(GV)?(Z|T[VTISC]|T[hv][\dn_]+|)N[VKRO]*10savedmodel(?!5proto)")
    for name, kind in exported:
        expect(ours.match(name), f"the archive exports {name}")
        expect(kind != "u", f"{name} would be shared by the whole process")
    missing = output_of("nm", "-uC", archive)
    expect("llvm::" not in missing, "the archive needs an LLVM:\n" + missing)


def other_protobuf(args):
    """A second libprotobuf as another product would bring it: the same code under another soname."""
    library = output_of(args.compiler, "-print-file-name=libprotobuf.so").strip()
    data = pathlib.Path(library).resolve().read_bytes()
    soname = re.search(rb"libprotobuf\.so\.\d+", data)
    expect(soname, f"{library} has no soname")
    copy = args.work / soname.group().replace(b"protobuf", b"neighbor").decode()
    copy.write_bytes(data.replace(soname.group(), copy.name.encode()))
    return copy


def neighbours(args):
    build = configure_and_build(args, "neighbours", f"-DLLVM_ROOT={args.llvm}",
                                f"-DOTHER_PROTOBUF={other_protobuf(args)}")
    version = args.llvm.name.removeprefix("llvm-")
    neighbour = f"nodes=2 answer=42 llvm={version} 1.500000e+00 apple,pear\n"
    for kind in ("neighbour", "neighbour_shared"):
        for order in ("first", "last", "whole"):
            expect_output(neighbour + ANSWER + neighbour, build / f"{kind}_{order}", args.model)


def with_tensorflow(args):
    build = configure_and_build(args, "with_tensorflow")
    # Runs its argument with the Python that has TensorFlow.
    runner = [sys.executable, SOURCE.parent / "interop/run.py"]
    for order in ("guest-first", "tensorflow-first"):
        command = [*runner, SOURCE / "with_tensorflow/together.py", order, build / "libguest.so", args.model]
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        if done.returncode == SKIPPED and os.environ.get("SAVEDMODEL_REQUIRE_TF") != "1":
            sys.exit(SKIPPED)
        print(order, done.stdout, sep="\n")
        expect(done.returncode == 0, f"exit code {done.returncode}")
        expect(done.stdout == ANSWER + "105.5999984741211\n" + ANSWER, "wrong answers")


STEPS = {"prefix": prefix, "contents": contents, "find-package": find_package, "pkg-config": pkg_config,
         "symbols": symbols, "neighbours": neighbours, "with-tensorflow": with_tensorflow}


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "work", "model", "llvm"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    for name in ("compiler", "cmake", "launcher"):
        parser.add_argument(f"--{name}")
    parser.add_argument("step", choices=STEPS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    args.prefix = args.work / "prefix"
    STEPS[args.step](args)


if __name__ == "__main__":
    main()

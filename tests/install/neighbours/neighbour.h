// A library that shares a process with savedmodel and carries TensorFlow's message names and an LLVM of its
// own.
#pragma once

#include <string>

// "nodes=2 answer=42 llvm=<version> 1.5 apple,pear" when its messages and its LLVM are its own.
__attribute__((visibility("default"))) std::string AskNeighbour();

// savedmodel and its neighbour in one process: both must still give their own answers.
#include <savedmodel/base/dtype.h>

#include <iostream>

#include "neighbour.h"

int main() {
  std::cout << AskNeighbour() << "\n";
  std::cout << savedmodel::DTypeName(savedmodel::DType::kFloat32) << "\n";
  std::cout << AskNeighbour() << "\n";
}

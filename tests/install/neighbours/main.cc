// savedmodel and its neighbour in one process: both must still give their own answers.
#include <iostream>

#include "../answer.h"
#include "neighbour.h"

int main(int argc, char** argv) {
  std::cout << AskNeighbour() << "\n";
  std::cout << AskSavedModel(argc > 1 ? argv[1] : "") << "\n";
  std::cout << AskNeighbour() << "\n";
}

// A program outside the project, built against what was installed: consumer MODEL.
#include <iostream>

#include "../answer.h"

int main(int argc, char** argv) { std::cout << AskSavedModel(argc > 1 ? argv[1] : "") << "\n"; }

// A program outside the project, built against what was installed.
#include <savedmodel/base/dtype.h>
#include <savedmodel/base/tensor.h>

#include <iostream>

int main() {
  auto tensor = savedmodel::Tensor::FromValues<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  if (!tensor.ok()) {
    std::cerr << tensor.status() << "\n";
    return 1;
  }
  auto values = tensor->View<float>();
  if (!values.ok()) return 1;
  std::cout << savedmodel::DTypeName(tensor->dtype()) << " " << values->back() << "\n";
}

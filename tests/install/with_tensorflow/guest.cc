// savedmodel as a plug-in of a process that runs TensorFlow.
#include <savedmodel/base/dtype.h>

#include <string>

extern "C" __attribute__((visibility("default"))) const char* AskGuest(const char*) {
  static std::string answer;
  answer = savedmodel::DTypeName(savedmodel::DType::kBfloat16);
  return answer.c_str();
}

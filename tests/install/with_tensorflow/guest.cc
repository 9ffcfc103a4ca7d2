// savedmodel as a plug-in of a process that runs TensorFlow.
#include "../answer.h"

extern "C" __attribute__((visibility("default"))) const char* AskGuest(const char* model) {
  static std::string answer;
  answer = AskSavedModel(model);
  return answer.c_str();
}

#include "savedmodel/tools/verbs.h"
namespace savedmodel::tools {
StatusOr<int> RunTree(const Options&, Console&) { return absl::UnimplementedError("tree"); }
StatusOr<int> RunVerify(const Options&, Console&) { return absl::UnimplementedError("verify"); }
}  // namespace savedmodel::tools

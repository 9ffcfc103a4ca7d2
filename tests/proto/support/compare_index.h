// Whether a wire index and libprotobuf see the same model. Shared with the fuzz targets.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::testing {

// The first difference between `index` and `model`, both of the same bytes; empty when there is none.
std::string CompareIndex(const WireIndex& index, const proto::SavedModel& model);

// Indexes `bytes`, parses them, compares, and compares which of the two succeed:
//   a parse that succeeds implies an index, but for other kinds of files and limits;
//   an index whose parts all parse implies a parse, but for map entries that a later entry replaced.
// The first contradiction; empty when there is none.
std::string CheckAgreement(std::string_view bytes);

}  // namespace savedmodel::testing

// A SavedModel made as a message, seen through the wire index as a file's would be.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "savedmodel/base/buffer.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::testing {

inline constexpr std::string_view kWireModelFile = "m/saved_model.pb";

inline WireIndex IndexOf(const proto::SavedModel& model) {
  StatusOr<WireIndex> index = WireIndex::Build(Buffer::FromString(model.SerializeAsString()), kWireModelFile);
  EXPECT_TRUE(index.ok()) << index.status();
  return *std::move(index);
}

}  // namespace savedmodel::testing

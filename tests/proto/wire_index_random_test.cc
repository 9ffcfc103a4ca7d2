// The wire index and libprotobuf see the same model, however the model is encoded and however the bytes are
// damaged.
#include <gtest/gtest.h>

#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/proto/support/compare_index.h"
#include "savedmodel/tests/proto/support/random_message.h"
#include "savedmodel/tests/proto/support/scramble.h"

namespace savedmodel::testing {
namespace {

constexpr uint32_t kModels = 150;

std::string RandomModel(uint32_t seed, int budget) {
  proto::SavedModel model;
  RandomMessages(seed).Fill(&model, budget);
  model.set_saved_model_schema_version(1);
  return *internal::SerializeParsed(model);
}

std::string RandomEncoding(uint32_t seed, int budget) {
  return Scrambler(seed).Scramble(RandomModel(seed, budget), proto::SavedModel::descriptor());
}

// What random models exercise, so that a generator that has gone dull is noticed.
struct Coverage {
  size_t joined = 0, nodes = 0, functions = 0, constants = 0, signatures = 0, concrete_functions = 0;
};

TEST(WireIndexRandom, SeesWhatAParseSees) {
  for (uint32_t seed = 0; seed < kModels; ++seed)
    ASSERT_EQ(CheckAgreement(RandomModel(seed, 400)), "") << "seed " << seed;
}

TEST(WireIndexRandom, SeesWhatAParseSeesInUnusualEncodings) {
  Coverage coverage;
  for (uint32_t seed = 0; seed < kModels; ++seed) {
    const std::string bytes = RandomEncoding(seed, 400);
    proto::SavedModel model;
    ASSERT_TRUE(model.ParseFromString(bytes)) << "seed " << seed;
    const auto index = WireIndex::Build(Buffer::FromString(bytes), "model");
    ASSERT_TRUE(index.ok()) << "seed " << seed << ": " << index.status();
    ASSERT_EQ(CompareIndex(*index, model), "") << "seed " << seed;
    for (const MetaGraphIndex& graph : index->meta_graphs()) {
      coverage.joined += !graph.offsets_are_file;
      coverage.nodes += graph.object_nodes.size();
      coverage.functions += graph.library_functions.size();
      coverage.constants += graph.constants.size();
      coverage.signatures += graph.signature_defs.size();
      coverage.concrete_functions += graph.concrete_functions.size();
    }
  }
  EXPECT_GT(coverage.joined, kModels / 4);
  EXPECT_GT(coverage.nodes, kModels);
  EXPECT_GT(coverage.functions, kModels / 2);
  EXPECT_GT(coverage.constants, kModels / 4);
  EXPECT_GT(coverage.signatures, kModels);
  EXPECT_GT(coverage.concrete_functions, kModels / 2);
}

TEST(WireIndexRandom, AgreesWithAParseWhereverBytesEnd) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const std::string bytes = RandomEncoding(seed, 60);
    for (size_t size = 0; size <= bytes.size(); ++size)
      ASSERT_EQ(CheckAgreement(std::string_view(bytes).substr(0, size)), "")
          << "seed " << seed << ", size " << size;
  }
}

TEST(WireIndexRandom, AgreesWithAParseWhateverByteIsWrong) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    std::string bytes = RandomEncoding(seed, 40);
    for (size_t i = 0; i < bytes.size(); ++i) {
      const char right = bytes[i];
      for (int flip : {0x01, 0x07, 0x08, 0x80, 0xff}) {
        bytes[i] = static_cast<char>(right ^ flip);
        ASSERT_EQ(CheckAgreement(bytes), "") << "seed " << seed << ", byte " << i << ", flip " << flip;
      }
      bytes[i] = right;
    }
  }
}

}  // namespace
}  // namespace savedmodel::testing

// Models that TensorFlow wrote, with any one byte changed or cut anywhere: a load ends in objects or in an error of the
// file's, never in a value that is not the stored one.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(SAVEDMODEL_SOURCE_DIR) / "tests/fixtures/data";

bool IsAnAnswerToABrokenFile(StatusCode code) {
  static const std::set<StatusCode> allowed = {StatusCode::kOk,
                                               StatusCode::kDataLoss,
                                               StatusCode::kNotFound,
                                               StatusCode::kUnimplemented,
                                               StatusCode::kOutOfRange,
                                               StatusCode::kFailedPrecondition,
                                               StatusCode::kInvalidArgument,
                                               StatusCode::kResourceExhausted};
  return allowed.contains(code);
}

// A model in memory of which one file is changed again and again.
class Mutant {
 public:
  Mutant(const std::string& fixture, const std::string& file)
      : files_(BuildModel(Json{{"fixture", fixture}})),
        path_(std::string(kModelDirectory) + "/" + file),
        sound_(ReadWholeFile(kData / fixture / file)) {}

  const std::string& sound() const { return sound_; }
  StatusOr<LoadedModel> LoadAs(std::string bytes) {
    files_->Add(path_, Buffer::FromString(std::move(bytes)));
    return Load(kModelDirectory, {}, {.file_system = files_});
  }

 private:
  std::shared_ptr<MemoryFileSystem> files_;
  std::string path_;
  std::string sound_;
};

using FixtureAndFile = std::pair<const char*, const char*>;
class MutationLong : public ::testing::TestWithParam<FixtureAndFile> {};

TEST_P(MutationLong, AnyByteChanged) {
  Mutant mutant(GetParam().first, GetParam().second);
  int refused = 0;
  for (size_t at = 0; at < mutant.sound().size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = mutant.sound();
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const Status status = mutant.LoadAs(std::move(bytes)).status();
      ASSERT_TRUE(IsAnAnswerToABrokenFile(status.code())) << at << " ^ " << change << ": " << status;
      refused += !status.ok();
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_P(MutationLong, CutAnywhere) {
  Mutant mutant(GetParam().first, GetParam().second);
  int refused = 0;
  for (size_t size = 0; size < mutant.sound().size(); ++size) {
    const Status status = mutant.LoadAs(mutant.sound().substr(0, size)).status();
    ASSERT_TRUE(IsAnAnswerToABrokenFile(status.code())) << size << ": " << status;
    refused += !status.ok();
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, MutationLong,
    ::testing::Values(FixtureAndFile("nested_modules", "saved_model.pb"),
                      FixtureAndFile("adder", "saved_model.pb"),
                      FixtureAndFile("static_tables", "saved_model.pb"),
                      FixtureAndFile("text_format_model", "saved_model.pbtxt"),
                      FixtureAndFile("nested_modules", "variables/variables.index"),
                      FixtureAndFile("optimizer_slots_model", "variables/variables.index"),
                      FixtureAndFile("nested_modules", "variables/variables.data-00000-of-00001")));

// A changed byte of a value never goes unnoticed.
TEST(MutationLongValues, AnyByteOfAShardThatIsReadIsCompared) {
  Mutant mutant("nested_modules", "variables/variables.data-00000-of-00001");
  for (size_t at = 0; at < mutant.sound().size(); ++at) {
    std::string bytes = mutant.sound();
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_EQ(mutant.LoadAs(std::move(bytes)).status().code(), StatusCode::kDataLoss) << at;
  }
}

}  // namespace
}  // namespace savedmodel::testing

// A FileSystem for tests: passes calls on to another one, counts them, notes which bytes were read, and fails
// on demand.
//
//   auto fs = std::make_shared<FaultFileSystem>(PosixFileSystem());
//   fs->FailNth(FaultFileSystem::Call::kReadAt, 3, Error(StatusCode::kUnavailable, "disk"));  // the third from now
//   ... load ...
//   EXPECT_LT(fs->bytes_read("variables.data-00000-of-00001"), 100);  // a partial read
//
// Thread-safety: all methods may run concurrently.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/file_system.h"

namespace savedmodel::testing {

class FaultFileSystem : public FileSystem {
 public:
  // kOpenDirectory counts opens by the file system and by its directories alike.
  enum class Call { kOpenDirectory, kOpenFile, kStat, kList, kReadAt, kMap };
  static constexpr int kCalls = 6;

  // Bytes that were read or mapped.
  struct Range {
    std::string file;
    uint64_t offset = 0;
    uint64_t size = 0;
    Call call = Call::kReadAt;
    bool operator==(const Range&) const = default;
  };

  explicit FaultFileSystem(std::shared_ptr<const FileSystem> inner);

  // The `n`-th call of that kind from now on (1 is the next) fails with `status`; those after it work again.
  void FailNth(Call call, int n, Status status);
  // Every call of that kind whose file ends in `suffix` fails with `status`.
  void FailNamed(Call call, std::string suffix, Status status);
  void ClearFailures();
  // Runs before each call, outside any lock: to cancel, to change files, to stop and look.
  void OnCall(std::function<void(Call, const std::string& file)> hook);
  // Map gives copies, so that a test sees what a store without mappings does.
  void MapByCopy(bool copy);
  // Files are read as from a system that hands out one to seven bytes a call and interrupts every third; Map copies.
  void ReadInPieces(bool pieces);

  int calls(Call call) const;
  std::vector<Range> ranges() const;
  // Bytes asked for by ReadAt and Map of files whose name ends in `suffix`, together.
  uint64_t bytes_read(std::string_view suffix = "") const;
  void ResetCounts();

  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view path) const override;

  struct State;  // shared with the directories and files that were opened

 private:
  std::shared_ptr<const FileSystem> inner_;
  std::shared_ptr<State> state_;
};

}  // namespace savedmodel::testing

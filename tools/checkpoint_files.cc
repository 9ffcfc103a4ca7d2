#include "savedmodel/tools/checkpoint_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

#include "savedmodel/checkpoint/bundle/bundle_names.h"

namespace savedmodel::tools {
namespace {

constexpr uint64_t kMaxMissingNamed = 3;

// The shard whose path this is.
std::optional<int> ShardOf(const BundleReader& reader, const std::string& path, size_t prefix_size) {
  const size_t digits = path.find_first_of("0123456789", prefix_size);
  if (digits == std::string::npos) return std::nullopt;
  int shard = 0;
  const auto error = std::from_chars(path.data() + digits, path.data() + path.size(), shard).ec;
  if (error != std::errc() || shard >= reader.num_shards() || reader.ShardName(shard) != path)
    return std::nullopt;
  return shard;
}

// Shards that are worth looking for: those that the directory lists, or all where it cannot be listed.
std::vector<int> Candidates(const BundleReader& reader) {
  const SplitPathResult index = SplitPath(reader.index_name());
  const auto directory = PosixFileSystem()->OpenDirectory(index.directory);
  const auto entries = directory.ok() ? (*directory)->List() : directory.status();
  std::vector<int> shards;
  if (!entries.ok()) {
    shards.resize(static_cast<size_t>(reader.num_shards()));
    std::iota(shards.begin(), shards.end(), 0);
    return shards;
  }
  const std::string prefix =
      reader.index_name().substr(0, reader.index_name().size() - IndexFileName("").size());
  const std::string folder = prefix.substr(0, prefix.size() - SplitPath(prefix).base.size());
  for (const DirectoryEntry& entry : *entries) {
    if (const auto shard = ShardOf(reader, folder + entry.name, prefix.size())) shards.push_back(*shard);
  }
  return shards;
}

}  // namespace

FileLine LookAt(const Directory& directory, const std::string& name) {
  FileLine line{name, std::nullopt};
  const StatusOr<std::shared_ptr<const RandomAccessFile>> file = directory.OpenFile(name);
  if (file.ok()) line.bytes = (*file)->size();
  return line;
}

CheckpointFiles FilesOf(const BundleReader& reader, const Directory& directory) {
  const size_t root = JoinPath(directory.name(), "x").size() - 1;
  const auto relative = [&](const std::string& path) { return path.substr(std::min(path.size(), root)); };
  std::map<int, FileLine> shards;
  for (const int shard : Candidates(reader)) {
    FileLine line = LookAt(directory, relative(reader.ShardName(shard)));
    if (line.bytes) shards.emplace(shard, std::move(line));
  }
  CheckpointFiles out;
  const uint64_t missing = static_cast<uint64_t>(reader.num_shards()) - shards.size();
  const uint64_t named = std::min(missing, kMaxMissingNamed);
  out.more_missing = missing - named;
  uint64_t found = 0;
  for (int shard = 0; found < named; ++shard) {
    found += shards.try_emplace(shard, FileLine{relative(reader.ShardName(shard)), {}}).second ? 1 : 0;
  }
  out.files.push_back(LookAt(directory, relative(reader.index_name())));
  for (auto& [shard, line] : shards) out.files.push_back(std::move(line));
  return out;
}

}  // namespace savedmodel::tools

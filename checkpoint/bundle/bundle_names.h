// How the files of a bundle are called: `<prefix>.index` and `<prefix>.data-SSSSS-of-NNNNN`. FORMAT.md#files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace savedmodel {

std::string IndexFileName(std::string_view prefix);
// Numbers have at least five digits: shard 0 of 1 is "<prefix>.data-00000-of-00001".
std::string ShardFileName(std::string_view prefix, int32_t shard, int32_t num_shards);
// The prefix in the name or path of an index file or a shard, a view into it; empty when it is neither's.
std::string_view PrefixOfFileName(std::string_view name);

}  // namespace savedmodel

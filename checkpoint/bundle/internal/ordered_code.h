// Numbers and strings as bytes that sort as they do: the pieces of a slice key. FORMAT.md#slice-keys.
//
// Readers take a piece off the front of `*bytes`; on false nothing can be said about `*bytes`. They accept
// more than the writers make: a caller that needs the one true spelling writes what it read and compares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace savedmodel::internal {

void AppendOrderedString(std::string_view text, std::string* bytes);
void AppendOrderedUnsigned(uint64_t value, std::string* bytes);
void AppendOrderedSigned(int64_t value, std::string* bytes);

bool ReadOrderedString(std::string_view* bytes, std::string* text);
bool ReadOrderedUnsigned(std::string_view* bytes, uint64_t* value);
bool ReadOrderedSigned(std::string_view* bytes, int64_t* value);

}  // namespace savedmodel::internal

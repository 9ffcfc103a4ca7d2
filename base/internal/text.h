// Text for people: bytes of any kind made printable, and names close to a missing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace savedmodel::internal {

// The length of the longest valid UTF-8 prefix; `text.size()` when all is valid. Surrogates and overlong
// forms are not.
size_t ValidUtf8Prefix(std::string_view text);
inline bool IsValidUtf8(std::string_view text) { return ValidUtf8Prefix(text) == text.size(); }

// `text` with every byte that is not part of valid UTF-8 as \xNN and a backslash as \\; other characters
// stay.
std::string EscapeNonUtf8(std::string_view text);
// The same, and control characters as \xNN too: safe on a terminal and in one line of a log.
std::string Printable(std::string_view text);
// As Printable, but a backslash stays as it is: for sentences that hold printable names, where doing it again
// changes nothing.
std::string OneLine(std::string_view text);
// "0x" and eight hex digits.
std::string Hex32(uint32_t value);

// Names of `candidates` that look like `wanted`, best first, at most `limit`. Looks at a bounded number of
// candidates and characters, so that a hostile file cannot make a message slow.
std::vector<std::string> NearMisses(std::string_view wanted, const std::vector<std::string_view>& candidates,
                                    size_t limit = 3);
// "did you mean \"a\" or \"b\"?", or nothing when nothing is close.
std::string DidYouMean(std::string_view wanted, const std::vector<std::string_view>& candidates);

}  // namespace savedmodel::internal

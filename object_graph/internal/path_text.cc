#include "savedmodel/object_graph/internal/path_text.h"

#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

constexpr std::string_view kRoot = "root";

Status Malformed(std::string_view text, std::string what) {
  return Error(StatusCode::kInvalidArgument, "malformed path: " + std::move(what))
      .Path(text)
      .Expected("root, or root followed by .name for each step");
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  StatusOr<std::vector<PathToken>> Run() {
    std::vector<PathToken> tokens;
    while (true) {
      PathToken token;
      SAVEDMODEL_RETURN_IF_ERROR(ReadToken(&token));
      tokens.push_back(std::move(token));
      if (pos_ == text_.size()) return tokens;
      ++pos_;  // the dot
    }
  }

 private:
  Status ReadToken(PathToken* token) {
    token->quoted = pos_ < text_.size() && text_[pos_] == '"';
    if (token->quoted) ++pos_;
    SAVEDMODEL_RETURN_IF_ERROR(ReadCharacters(token));
    if (token->quoted) {
      if (pos_ == text_.size()) return Malformed(text_, "a quote is not closed");
      ++pos_;
      if (pos_ < text_.size() && text_[pos_] != '.') return Malformed(text_, "text after a closing quote");
    } else if (token->name.empty()) {
      return Malformed(text_, "an empty name (an empty name is written \"\")");
    }
    return OkStatus();
  }

  Status ReadCharacters(PathToken* token) {
    const char stop = token->quoted ? '"' : '.';
    while (pos_ < text_.size() && text_[pos_] != stop) {
      if (!token->quoted && text_[pos_] == '"') return Malformed(text_, "a quote inside an unquoted name");
      if (text_[pos_] != '\\') {
        token->name += text_[pos_++];
        continue;
      }
      SAVEDMODEL_RETURN_IF_ERROR(ReadEscape(&token->name));
    }
    return OkStatus();
  }

  Status ReadEscape(std::string* name) {
    const char kind = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
    if (kind == '\\' || kind == '"') {
      *name += kind;
      pos_ += 2;
      return OkStatus();
    }
    const int high = kind == 'x' && pos_ + 3 < text_.size() ? HexDigit(text_[pos_ + 2]) : -1;
    const int low = high >= 0 ? HexDigit(text_[pos_ + 3]) : -1;
    if (low < 0) return Malformed(text_, "a backslash that starts none of \\\\, \\\" and \\xNN");
    *name += static_cast<char>(high * 16 + low);
    pos_ += 4;
    return OkStatus();
  }

  std::string_view text_;
  size_t pos_ = 0;
};

}  // namespace

StatusOr<std::vector<PathToken>> TokenizePath(std::string_view text) {
  if (text.empty()) return Malformed(text, "empty text");
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<PathToken> tokens, Tokenizer(text).Run());
  if (tokens.front().quoted) return Malformed(text, "the first name is quoted, and root is not a name");
  if (tokens.front().name != kRoot)
    return Malformed(text, "the first name is \"" + Printable(tokens.front().name) + "\", not root");
  tokens.erase(tokens.begin());
  return tokens;
}

}  // namespace savedmodel::internal

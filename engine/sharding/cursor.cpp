// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/cursor.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline sharding {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

}  // namespace

void Cursor::skip_blanks() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (text_.compare(at_, 2, "//") == 0) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Cursor::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool Cursor::next_is(std::string_view token) {
  skip_blanks();
  return text_.substr(at_, token.size()) == token;
}

bool Cursor::accept(std::string_view token) {
  if (!next_is(token)) return false;
  at_ += token.size();
  return true;
}

Result<void> Cursor::expect(std::string_view token) {
  if (!accept(token)) return error(fmt::format("'{}'", token));
  return {};
}

Result<int64_t> Cursor::integer(std::string_view what) {
  skip_blanks();
  size_t end = at_;
  while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
  if (end == at_) return error(what);
  const std::string_view digits = text_.substr(at_, end - at_);
  const auto value = parse_int(digits);
  if (!value) return refuse(fmt::format("{} is too large: {}", what, digits.substr(0, 24)), column());
  at_ = end;
  return *value;
}

Result<std::string> Cursor::word(std::string_view what) {
  skip_blanks();
  size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == at_) return error(what);
  std::string out(text_.substr(at_, end - at_));
  at_ = end;
  return out;
}

Result<std::string> Cursor::quoted(std::string_view what) {
  skip_blanks();
  const char quote = at_ < text_.size() ? text_[at_] : ' ';
  if (quote != '\'' && quote != '"') return error(what);
  const size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) return refuse(fmt::format("no closing {}", quote), column());
  std::string out(text_.substr(at_ + 1, end - at_ - 1));
  if (out.empty()) return refuse(fmt::format("expected {}, got an empty name", what), column());
  at_ = end + 1;
  return out;
}

Result<std::string> Cursor::name(std::string_view what) {
  return next_is("'") || next_is("\"") ? quoted(what) : word(what);
}

Result<void> Cursor::skip_braces() {
  const size_t from = column();
  TRY_VOID(expect("{"));
  int64_t depth = 1;
  bool in_text = false;
  for (; at_ < text_.size() && depth > 0; ++at_) {
    const char c = text_[at_];
    if (in_text && c == '\\' && at_ + 1 < text_.size()) {
      ++at_;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  }
  if (depth > 0) return refuse("no closing '}'", from);
  return {};
}

Error Cursor::error(std::string_view expected) {
  if (at_end()) return refuse(fmt::format("expected {}, got the end of the text", expected), column());
  return refuse(fmt::format("expected {}, got '{}'", expected, text_.substr(at_, 1)), column());
}

Error Cursor::refuse(std::string what, size_t column) const {
  return invalid(std::move(what), fmt::format("{} column {}", subject_, column));
}

}  // namespace shardscope::inline sharding

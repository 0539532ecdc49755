// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_lexer.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostBrackets = 256;

enum Kind : unsigned char { kOther, kWord, kBlank, kSlash, kOpen, kClose, kQuote };

constexpr std::array<unsigned char, 256> kKinds = [] {
  std::array<unsigned char, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    unsigned char& kind = table[static_cast<size_t>(c)];
    if (letter || c == '_' || c == '.' || c == '$') kind = kWord;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') kind = kBlank;
    if (c == '(' || c == '[' || c == '{' || c == '<') kind = kOpen;
    if (c == ')' || c == ']' || c == '}' || c == '>') kind = kClose;
    if (c == '"') kind = kQuote;
    if (c == '/') kind = kSlash;
  }
  return table;
}();

// What braces are about: they, strings and comments.
constexpr std::array<bool, 256> kOfBraces = [] {
  std::array<bool, 256> table{};
  for (const char c : {'{', '}', '"', '/'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

Kind kind_of(char c) {
  return static_cast<Kind>(kKinds[static_cast<unsigned char>(c)]);
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
}

constexpr const char* kOpenString = "string without closing '\"'";

}  // namespace

bool MlirLexer::in_word(char c) {
  return kind_of(c) == kWord;
}

MlirLexer MlirLexer::within(std::string_view part) const {
  const size_t start = place_of(part);
  MlirLexer inner(text_.substr(0, start + part.size()), file_name_);
  inner.at_ = start;
  return inner;
}

size_t mlir_behind_blanks(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (kind_of(text[at]) == kBlank) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else {
      break;
    }
  }
  return at;
}

bool MlirLexer::accept_word(std::string_view word) {
  if (!starts_with(word)) return false;
  const size_t end = at_ + word.size();
  if (end < text_.size() && kind_of(text_[end]) == kWord) return false;
  at_ = end;
  return true;
}

std::string_view MlirLexer::word() {
  skip_blanks();
  const size_t start = at_;
  while (at_ < text_.size() && kind_of(text_[at_]) == kWord) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view MlirLexer::suffix() {
  const size_t start = at_;
  const auto goes_on = [&] {
    if (kind_of(text_[at_]) == kWord) return true;
    return text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != '>';
  };
  while (at_ < text_.size() && goes_on()) ++at_;
  return text_.substr(start, at_ - start);
}

Result<std::string_view> MlirLexer::expect_quoted(std::string_view what) {
  if (peek() != '"') return expected(what);
  const size_t start = at_;
  at_ = behind_string(text_, at_);
  if (at_ == std::string_view::npos) return error_at(start, kOpenString);
  return text_.substr(start + 1, at_ - start - 2);
}

// From an opening bracket to behind the one that closes it.
Result<void> MlirLexer::skip_bracket() {
  std::array<char, kMostBrackets> open;  // the closing brackets still to come
  size_t depth = 0;
  const size_t start = at_;
  for (;;) {
    while (at_ < text_.size() && kind_of(text_[at_]) < kSlash) ++at_;
    if (at_ == text_.size()) break;
    const char c = text_[at_];
    switch (kind_of(c)) {
      case kQuote:
        if (const size_t end = behind_string(text_, at_); end != std::string_view::npos) {
          at_ = end;
          continue;
        }
        return error_at(at_, kOpenString);
      case kOpen:
        if (depth == kMostBrackets) return error_at(at_, "brackets nested deeper than 256");
        open[depth++] = closing(c);
        break;
      case kClose:
        if (c == '>' && text_[at_ - 1] == '-') break;
        if (open[depth - 1] != c)
          return error_at(
              at_, "got '" + std::string(1, c) + "', expected '" + std::string(1, open[depth - 1]) + "'");
        if (--depth == 0) {
          ++at_;
          return {};
        }
        break;
      default:
        if (text_.substr(at_, 2) == "//") {
          at_ = std::min(text_.find('\n', at_), text_.size());
          continue;
        }
    }
    ++at_;
  }
  return error_at(start, "text ends before '" + std::string(1, open[depth - 1]) + "'");
}

Result<void> MlirLexer::skip_braces() {
  constexpr size_t kAtOnce = 8;
  const size_t start = at_;
  size_t depth = 0;
  const auto stops = [this](size_t at) {
    return static_cast<int>(kOfBraces[static_cast<unsigned char>(text_[at])]);
  };
  for (;;) {
    while (at_ + kAtOnce <= text_.size() &&
           (stops(at_) | stops(at_ + 1) | stops(at_ + 2) | stops(at_ + 3) | stops(at_ + 4) | stops(at_ + 5) |
            stops(at_ + 6) | stops(at_ + 7)) == 0)
      at_ += kAtOnce;
    while (at_ < text_.size() && stops(at_) == 0) ++at_;
    if (at_ >= text_.size()) return error_at(start, "text ends before '}'");
    const char c = text_[at_];
    if (c == '"') {
      const size_t end = behind_string(text_, at_);
      if (end == std::string_view::npos) return error_at(at_, kOpenString);
      at_ = end;
      continue;
    }
    if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
      continue;
    }
    ++at_;
    depth += c == '{' ? 1 : 0;
    if (c == '}' && --depth == 0) return {};
  }
}

bool MlirLexer::accept_plain_angle() {
  if (at_ >= text_.size() || text_[at_] != '<') return false;
  size_t at = at_ + 1;
  while (at < text_.size() && kind_of(text_[at]) < kSlash) ++at;
  if (at >= text_.size() || text_[at] != '>' || text_[at - 1] == '-') return false;
  at_ = at + 1;
  return true;
}

Result<std::string_view> MlirLexer::balanced(std::string_view stop) {
  skip_blanks();
  const size_t start = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const Kind kind = kind_of(c);
    if (stop.find(c) != std::string_view::npos) break;
    if (kind == kClose && !(c == '>' && at_ > start && text_[at_ - 1] == '-')) break;
    if (kind == kQuote) {
      const size_t end = behind_string(text_, at_);
      if (end == std::string_view::npos) return error_at(at_, kOpenString);
      at_ = end;
    } else if (kind == kOpen) {
      TRY_VOID(skip_bracket());
    } else {
      ++at_;
    }
  }
  return trim(text_.substr(start, at_ - start));
}

Result<std::string_view> MlirLexer::bracket() {
  if (kind_of(peek()) != kOpen) return expected("a bracket");
  const size_t start = at_;
  TRY_VOID(skip_bracket());
  return text_.substr(start, at_ - start);
}

int mlir_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string mlir_unescaped(std::string_view quoted) {
  std::string out;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      out += quoted[i];
      continue;
    }
    const char c = quoted[++i];
    const int high = mlir_hex_digit(c), low = i + 1 < quoted.size() ? mlir_hex_digit(quoted[i + 1]) : -1;
    if (high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      ++i;
    } else {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return out;
}

}  // namespace shardscope::inline program

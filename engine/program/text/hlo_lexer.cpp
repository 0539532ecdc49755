// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_lexer.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr std::array<bool, 256> kWordCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    table[static_cast<size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                    (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  }
  return table;
}();

// What brackets are about: they, strings and comments.
constexpr std::array<bool, 256> kBracketing = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '(', '[', '{', ')', ']', '}', '/'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool starts_line(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] != '\n' && is_blank(text[at - 1])) --at;
  return at == 0 || text[at - 1] == '\n';
}

// Whether the text behind a line's end can only go on what stood before it: "[2,4]\n<=[8]".
bool continues_behind(std::string_view text, size_t line_end) {
  const size_t next = text.find_first_not_of(" \t\r\n", line_end);
  return next != std::string_view::npos && (text[next] == '<' || text[next] == '{');
}

}  // namespace

bool HloLexer::in_word(char c) {
  return kWordCharacters[static_cast<unsigned char>(c)];
}

void HloLexer::skip_more_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (text_.compare(at_, 2, "//") == 0) {
      skip_comment_line();
    } else if (text_[at_] == '#' && starts_line(text_, at_)) {
      ++at_;
    } else {
      return;
    }
  }
}

void HloLexer::skip_line() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

void HloLexer::skip_comment_line() {
  at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
}

std::string_view HloLexer::word() {
  skip_blanks();
  const size_t start = at_;
  const auto ends = [&] {  // "->" begins behind a word
    return !in_word(text_[at_]) || (text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] == '>');
  };
  while (at_ < text_.size() && !ends()) ++at_;
  return text_.substr(start, at_ - start);
}

// Goes on to the first character outside of brackets and quotes that closes a bracket, is in `stop`, or ends
// a line.
Result<void> HloLexer::skip_brackets(bool whole_lines, std::string_view stop) {
  std::string open;  // the closing brackets still to come
  const size_t start = at_;
  while (at_ < text_.size()) {
    if (!open.empty())
      while (at_ < text_.size() && !kBracketing[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ == text_.size()) break;
    const char c = text_[at_];
    if (c == '"') {
      const size_t string_start = at_;
      const size_t end = behind_string(text_, at_);
      if (end == std::string_view::npos) return error_at(string_start, "string without closing '\"'");
      at_ = end;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) return {};
      if (open.back() != c)
        return error_at(at_,
                        "got '" + std::string(1, c) + "', expected '" + std::string(1, open.back()) + "'");
      open.pop_back();
    } else if (c == '/' && text_.compare(at_, 2, "/*") == 0) {
      at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      continue;
    } else if (c == '/' && text_.compare(at_, 2, "//") == 0) {
      skip_comment_line();
      continue;
    } else if (open.empty() && (stop.find(c) != std::string_view::npos ||
                                (c == '\n' && !whole_lines && !continues_behind(text_, at_)))) {
      return {};
    }
    ++at_;
  }
  if (!open.empty()) return error_at(start, "text ends before '" + std::string(1, open.back()) + "'");
  return {};
}

Result<std::string_view> HloLexer::balanced(std::string_view stop) {
  skip_blanks();
  const size_t start = at_;
  TRY_VOID(skip_brackets(false, stop));
  return trim(text_.substr(start, at_ - start));
}

Result<std::string_view> HloLexer::inside(char close) {
  const size_t start = at_;
  TRY_VOID(skip_brackets(true, ""));
  const std::string_view found = text_.substr(start, at_ - start);
  TRY_VOID(expect(std::string_view(&close, 1)));
  return trim(found);
}

std::string_view HloLexer::rest_of_line() const {
  return trim(text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_));
}

std::string_view HloLexer::up_to_blank() {
  skip_blanks();
  const size_t start = at_;
  for (int depth = 0; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n' || c == '"' || (depth == 0 && (is_blank(c) || c == ','))) break;
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth < 0) break;
  }
  return text_.substr(start, at_ - start);
}

int64_t HloLexer::lines_to_closing_brace() {
  if (at_ < brace_) return 0;
  brace_ = std::min(text_.find("\n}", at_), text_.size());
  const std::string_view body = text_.substr(at_, brace_ - at_);
  const int64_t lines = std::count(body.begin(), body.end(), '\n') + 1;
  // An instruction takes 280 bytes: lines that may all be blank are not worth more than twice the text.
  constexpr int64_t kFew = 1 << 16, kBytesOfALine = 128;
  return std::min(lines, std::max(kFew, static_cast<int64_t>(body.size()) / kBytesOfALine));
}

bool ends_inside(std::string_view text, size_t open, size_t position) {
  const size_t line_end = std::min(text.find('\n', position), text.size());
  if (!trim(text.substr(line_end)).empty()) return false;
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  }
  return quoted || depth > 0;
}

std::string c_escaped(std::string_view text) {
  std::string out;
  for (const char c : quote(text)) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\'') {
      out += "\\'";
    } else if (code < 0x20 || code >= 0x7f) {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((code >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
  return out + "\"";
}

std::string unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const auto octal = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (octal(i) && octal(i + 1) && octal(i + 2)) {
      out += static_cast<char>((c - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += 2;
      continue;
    }
    out += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
  }
  return out;
}

}  // namespace shardscope::inline program

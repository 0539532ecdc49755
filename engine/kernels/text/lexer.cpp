// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/lexer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"

namespace shardscope::kernels {
namespace {

constexpr std::array<std::string_view, 28> kSigns = {"...", "//", "==", "!=", "<=", ">=", "+=", "(", ")", "[",
                                                     "]",   ",",  ":",  ".",  "=",  "+",  "-",  "*", "%", "<",
                                                     ">",   "/",  "!",  "{",  "}",  ";",  "&",  "|"};

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : lines_(split(text, '\n')) {
    for (std::string& line : lines_)
      if (!line.empty() && line.back() == '\r') line.pop_back();
  }

  TokenLines read() {
    for (; at_ < lines_.size(); ++at_) read_line(lines_[at_]);
    if (open_ > 0) finish_line();
    while (!comments_.empty() && comments_.back().empty()) comments_.pop_back();
    out_.ending = std::move(comments_);
    return std::move(out_);
  }

 private:
  TextPlace place(size_t column) const {
    return {static_cast<int32_t>(at_) + 1, static_cast<int32_t>(column) + 1};
  }
  void problem(size_t column, std::string what, std::string fix) {
    out_.problems.push_back({place(column), 1, std::move(what), std::move(fix)});
  }

  void read_line(std::string_view line) {
    size_t column = line.find_first_not_of(' ');
    if (column != std::string_view::npos && line[column] == '\t')
      problem(column, "found a tab at the start of a line", "indent by blanks");
    column = line.find_first_not_of(" \t");
    if (column == std::string_view::npos || line[column] == '#') {
      if (open_ == 0) comments_.emplace_back(trim(line));
      return;
    }
    if (open_ == 0) {
      now_ = {};
      now_.indent = static_cast<int32_t>(column);
      now_.comments = std::exchange(comments_, {});
    }
    while (column < line.size()) column = read_token(line, column);
    if (open_ == 0) finish_line();
  }

  void finish_line() {
    Token end;
    if (at_ < lines_.size()) {
      end.place = place(lines_[at_].size());
    } else {  // a bracket is open still: behind the last that there is
      const Token& last = now_.tokens.back();
      end.place = {last.place.line, last.place.column + static_cast<int32_t>(last.word.size())};
    }
    now_.tokens.push_back(std::move(end));
    out_.lines.push_back(std::move(now_));
    now_ = {};
    open_ = 0;
  }

  // Gives where the next one starts.
  size_t read_token(std::string_view line, size_t column) {
    const char first = line[column];
    if (first == ' ' || first == '\t') return column + 1;
    if (first == '#') {
      now_.remark = std::string(trim(line.substr(column)));
      return line.size();
    }
    Token token;
    token.place = place(column);
    size_t last = column + 1;
    if (starts_name(first)) {
      token.kind = Token::Kind::name;
      while (last < line.size() && (starts_name(line[last]) || is_digit(line[last]))) ++last;
    } else if (is_digit(first)) {
      token.kind = Token::Kind::number;
      while (last < line.size() && is_digit(line[last])) ++last;
      const auto number = parse_int(line.substr(column, last - column));
      if (!number) problem(column, "the number is too large", "take one below 2^63");
      token.number = number.value_or(0);
    } else if (first == '"' || first == '\'') {
      token.kind = Token::Kind::text;
      last = line.find(first, column + 1);
      if (last == std::string_view::npos) {
        problem(column, "the text has no closing quote", "close it on its line");
        last = line.size();
      }
      token.word = std::string(line.substr(column + 1, last - column - 1));
      now_.tokens.push_back(std::move(token));
      return std::min(last + 1, line.size());
    } else {
      return read_sign(line, column, std::move(token));
    }
    token.word = std::string(line.substr(column, last - column));
    now_.tokens.push_back(std::move(token));
    return last;
  }

  size_t read_sign(std::string_view line, size_t column, Token token) {
    token.kind = Token::Kind::sign;
    for (const std::string_view sign : kSigns) {
      if (line.substr(column, sign.size()) != sign) continue;
      token.word = std::string(sign);
      if (sign == "(" || sign == "[") ++open_;
      if (sign == ")" || sign == "]") open_ = std::max(0, open_ - 1);
      now_.tokens.push_back(std::move(token));
      return column + sign.size();
    }
    size_t last = column + 1;  // the whole of a letter in UTF-8
    while (last < line.size() && (static_cast<unsigned char>(line[last]) & 0xC0U) == 0x80U) ++last;
    problem(column, fmt::format("found '{}', which means nothing here", line.substr(column, last - column)),
            "remove it");
    return last;
  }

  std::vector<std::string> lines_;
  size_t at_ = 0;
  int open_ = 0;  // brackets
  std::vector<std::string> comments_;
  TokenLine now_;
  TokenLines out_;
};

}  // namespace

TokenLines token_lines(std::string_view text) {
  return Lexer(text).read();
}

}  // namespace shardscope::kernels

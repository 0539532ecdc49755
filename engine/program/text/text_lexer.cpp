// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/text_lexer.h"

#include <algorithm>
#include <charconv>

namespace shardscope::inline program {

Error TextCursor::error_at(size_t position, std::string message) const {
  const std::string_view before = text_.substr(0, std::min(position, text_.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return invalid(std::move(message), std::string(file_name_) + ":" + std::to_string(line) + ":" +
                                         std::to_string(before.size() - line_start + 1));
}

std::optional<int64_t> TextCursor::number_here() {
  int64_t value = 0;
  const char* const start = text_.data() + at_;
  const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
  if (error != std::errc()) return std::nullopt;
  at_ += static_cast<size_t>(end - start);
  return value;
}

Error TextCursor::expected_here(size_t end, std::string_view what) const {
  if (end == at_ && end < text_.size()) {
    do ++end;
    while (end < text_.size() &&
           (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80);  // the rest of a UTF-8 letter
  }
  const std::string got =
      at_ < text_.size() ? "'" + std::string(text_.substr(at_, end - at_)) + "'" : std::string("end of text");
  return error_at(at_, "got " + got + ", expected " + std::string(what));
}

size_t behind_string(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace shardscope::inline program

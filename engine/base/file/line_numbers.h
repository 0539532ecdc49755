// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope {

// On which line, from 1, a place of a text is; fast when asked in the order of the text. Does not own it.
class LineNumbers {
 public:
  explicit LineNumbers(std::string_view text) : text_(text) {}

  int32_t line_at(size_t place) {
    place = std::min(place, text_.size());
    if (place < at_ || place - at_ > kBlock) start_near(place);
    line_ += count(at_, place);
    at_ = place;
    return line_;
  }

 private:
  static constexpr size_t kBlock = size_t{1} << 14;

  int32_t count(size_t begin, size_t end) const {
    // From end to end: lines are long, and few lie between two operations.
    const std::string_view part = text_.substr(begin, end - begin);
    int32_t lines = 0;
    for (size_t at = part.find('\n'); at != std::string_view::npos; at = part.find('\n', at + 1)) ++lines;
    return lines;
  }

  void start_near(size_t place) {
    if (lines_.empty()) {
      lines_.push_back(1);
      for (size_t at = 0; at + kBlock < text_.size(); at += kBlock)
        lines_.push_back(lines_.back() + count(at, at + kBlock));
    }
    const size_t block = std::min(place / kBlock, lines_.size() - 1);
    at_ = block * kBlock;
    line_ = lines_[block];
  }

  std::string_view text_;
  std::vector<int32_t> lines_;  // of each block's first character
  size_t at_ = 0;
  int32_t line_ = 1;
};

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace shardscope::inline measure {

// Texts that come again and again, each there once and known by a number.
class TextNumbers {
 public:
  TextNumbers() = default;
  TextNumbers(TextNumbers&&) = default;
  TextNumbers& operator=(TextNumbers&&) = default;

  uint32_t number(std::string_view text) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto out = static_cast<uint32_t>(texts_.size());
    bytes_ += text.size() + kOfAText;
    numbers_.emplace(texts_.emplace_back(text), out);
    return out;
  }
  const std::string& text(uint64_t number) const { return texts_[number]; }
  size_t bytes() const { return bytes_; }  // that they take, about

 private:
  static constexpr size_t kOfAText = 96;  // of the tables that a text stands in
  std::deque<std::string> texts_;         // which do not move
  std::unordered_map<std::string_view, uint32_t> numbers_;
  size_t bytes_ = 0;
};

}  // namespace shardscope::inline measure

// SPDX-License-Identifier: Apache-2.0
// Distinct values under small numbers, for what many hold and few differ in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace shardscope {

// Numbers count from 0 in the order in which the values came. T has <.
template <class T>
class Numbered {
 public:
  Numbered() = default;
  Numbered(Numbered&&) noexcept = default;
  Numbered& operator=(Numbered&&) noexcept = default;
  Numbered(const Numbered&) = delete;  // values_ points into numbers_
  Numbered& operator=(const Numbered&) = delete;

  uint32_t number(T value) {
    const auto [at, added] = numbers_.try_emplace(std::move(value), static_cast<uint32_t>(values_.size()));
    if (added) values_.push_back(&at->first);
    return at->second;
  }
  const T& operator[](uint32_t number) const { return *values_[number]; }
  size_t size() const { return values_.size(); }

 private:
  std::map<T, uint32_t> numbers_;
  std::vector<const T*> values_;
};

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace shardscope::inline story {

// A list of mostly no more than N small values: those lie in it, more of them elsewhere. What a story follows
// are millions of such lists.
template <typename T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) { append(values.begin(), values.end()); }
  template <std::forward_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    append(first, last);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return more_.empty() ? here_.data() : more_.data(); }
  const T* end() const { return begin() + size_; }
  T* begin() { return more_.empty() ? here_.data() : more_.data(); }
  T* end() { return begin() + size_; }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& front() const { return begin()[0]; }
  const T& back() const { return begin()[size_ - 1]; }
  T& back() { return begin()[size_ - 1]; }

  void push_back(const T& value) {
    if (more_.empty() && size_ < N) {
      here_[size_++] = value;
      return;
    }
    const T kept = value;  // it may be one of ours
    if (more_.empty()) more_.assign(here_.begin(), here_.end());
    more_.push_back(kept);
    ++size_;
  }
  template <std::forward_iterator Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  void push_front(const T& value) {
    push_back(value);
    std::rotate(begin(), end() - 1, end());
  }
  void pop_back() {
    --size_;
    if (!more_.empty()) more_.pop_back();
  }
  void clear() {
    size_ = 0;
    more_.clear();
  }
  void assign(size_t count, const T& value) {
    clear();
    for (size_t i = 0; i < count; ++i) push_back(value);
  }

  bool operator==(const SmallVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  auto operator<=>(const SmallVector& other) const {
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
  }

 private:
  size_t size_ = 0;
  std::array<T, N> here_{};
  std::vector<T> more_;  // all of them when they are more than N, else none
};

}  // namespace shardscope::inline story

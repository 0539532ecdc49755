// SPDX-License-Identifier: Apache-2.0
// A field that most values of a type leave empty, in eight bytes.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardscope {

// A counted value on the heap, or none. Copies share it and nobody writes what is shared, so threads may copy
// and read their own copies at once.
template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  template <class... Args>
  explicit SharedValue(std::in_place_t, Args&&... args) : box_(new Box{1, T(std::forward<Args>(args)...)}) {}
  SharedValue(const SharedValue& other) noexcept : box_(other.box_) {
    if (box_ != nullptr) box_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  SharedValue(SharedValue&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  SharedValue& operator=(SharedValue other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~SharedValue() {
    if (box_ == nullptr) return;
    if (box_->uses.load(std::memory_order_acquire) == 1 ||
        box_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete box_;
  }

  const T* get() const { return box_ == nullptr ? nullptr : &box_->value; }
  // One's own to write: copied first where others hold it. There is a value.
  T& own() {
    if (box_->uses.load(std::memory_order_acquire) != 1) *this = SharedValue(std::in_place, box_->value);
    return box_->value;
  }

 private:
  struct Box {
    std::atomic<uint32_t> uses;
    T value;
  };
  Box* box_ = nullptr;
};

// A T that is T() as a rule. It reads as a T: converts to one, `->` reaches its members, and containers
// answer for themselves. It is written by assignment or through edit(). == is that of the values.
template <class T>
class Rare {
 public:
  Rare() = default;
  template <class U = T>
  requires(!std::same_as<std::remove_cvref_t<U>, Rare> && std::convertible_to<U, T>)
      Rare(U&& value) {  // NOLINT(google-explicit-constructor): it stands for its value
    *this = std::forward<U>(value);
  }
  template <class U = T>
  requires(!std::same_as<std::remove_cvref_t<U>, Rare> && std::convertible_to<U, T>) Rare& operator=(
      U&& value) {
    T made(std::forward<U>(value));
    value_ = made == none() ? SharedValue<T>() : SharedValue<T>(std::in_place, std::move(made));
    return *this;
  }

  const T& operator*() const { return value_.get() == nullptr ? none() : *value_.get(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor)
  operator std::string_view() const             // NOLINT(google-explicit-constructor)
      requires std::same_as<T, std::string> {
    return **this;
  }
  // To write: the default where nothing was said.
  T& edit() {
    if (value_.get() == nullptr) value_ = SharedValue<T>(std::in_place);
    return value_.own();
  }
  // To write what is there; where nothing was said nothing happens.
  template <class How>
  void change(How&& how) {
    if (value_.get() != nullptr) how(value_.own());
  }

  bool empty() const { return value_.get() == nullptr || value_.get()->empty(); }
  size_t size() const { return value_.get() == nullptr ? 0 : value_.get()->size(); }
  auto begin() const requires requires(const T& value) { value.begin(); }
  { return (**this).begin(); }
  auto end() const requires requires(const T& value) { value.end(); }
  { return (**this).end(); }
  const auto& front() const { return (**this).front(); }
  const auto& back() const { return (**this).back(); }
  decltype(auto) operator[](size_t place) const { return (**this)[place]; }

  friend bool operator==(const Rare& a, const Rare& b) {
    return a.value_.get() == b.value_.get() || *a == *b;
  }
  template <class U>
  requires(!std::same_as<std::remove_cvref_t<U>, Rare>) friend bool operator==(const Rare& a, const U& b) {
    return *a == b;
  }
  friend std::string operator+(std::string_view a, const Rare& b) requires std::same_as<T, std::string> {
    return std::string(a) += *b;
  }
  friend std::string operator+(const Rare& a, std::string_view b) requires std::same_as<T, std::string> {
    return std::string(*a) += b;
  }

 private:
  static const T& none() {
    static const T value{};
    return value;
  }
  SharedValue<T> value_;
};

// One that is nullopt as a rule: an optional in use.
template <class T>
class Rare<std::optional<T>> {
 public:
  Rare() = default;
  Rare(std::nullopt_t) {}                                     // NOLINT(google-explicit-constructor)
  Rare(T value) : value_(std::in_place, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Rare(std::optional<T> value) {                              // NOLINT(google-explicit-constructor)
    if (value) value_ = SharedValue<T>(std::in_place, *std::move(value));
  }

  bool has_value() const { return value_.get() != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return *value_.get(); }
  const T* operator->() const { return value_.get(); }
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return has_value() ? std::optional<T>(**this) : std::nullopt;
  }
  // To write what is there.
  T& edit() { return value_.own(); }
  void reset() { value_ = {}; }

  friend bool operator==(const Rare& a, const Rare& b) {
    if (a.value_.get() == b.value_.get()) return true;
    return a.has_value() && b.has_value() && *a == *b;
  }

 private:
  SharedValue<T> value_;
};

}  // namespace shardscope

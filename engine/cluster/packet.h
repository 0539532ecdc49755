// SPDX-License-Identifier: Apache-2.0
// What ranks of one program tell each other, as bytes. Both are the same version on the same kind of machine:
// what does not fit is our own mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/result.h"

namespace shardscope::inline cluster {

class PacketWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(std::ssize(values));
    for (const T& value : values) put(value);
  }
  void put_text(std::string_view text) {
    put(std::ssize(text));
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), bytes, bytes + text.size());
  }
  void put_error(const std::optional<Error>& error) {
    put(error.has_value());
    if (!error) return;
    put(error->kind);
    for (const std::string* text : {&error->what, &error->where, &error->fix}) put_text(*text);
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  std::vector<std::byte> bytes_;
};

class PacketReader {
 public:
  explicit PacketReader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  explicit PacketReader(std::string_view text)
      : bytes_(reinterpret_cast<const std::byte*>(text.data()),
               reinterpret_cast<const std::byte*>(text.data()) + text.size()) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, taken(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    std::vector<T> values(static_cast<size_t>(get<std::ptrdiff_t>()));
    for (T& value : values) value = get<T>();
    return values;
  }
  std::string get_text() {
    const auto size = static_cast<size_t>(get<std::ptrdiff_t>());
    return {reinterpret_cast<const char*>(taken(size)), size};
  }
  std::optional<Error> get_error() {
    if (!get<bool>()) return std::nullopt;
    Error error;
    error.kind = get<ErrorKind>();
    for (std::string* text : {&error.what, &error.where, &error.fix}) *text = get_text();
    return error;
  }

 private:
  const std::byte* taken(size_t count) {
    CHECK(at_ + count <= bytes_.size(), at_, count);
    at_ += count;
    return bytes_.data() + at_ - count;
  }

  std::vector<std::byte> bytes_;
  size_t at_ = 0;
};

}  // namespace shardscope::inline cluster

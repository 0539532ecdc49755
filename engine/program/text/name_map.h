// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope::inline program {

// Values by names that stand in a text, which it does not own. Open addressing: a name costs no allocation of
// its own, and short ones are compared as numbers.
template <class Value>
class NameMap {
 public:
  void reserve(size_t names) {
    entries_.reserve(names);
    if (2 * names > slots_.size()) rehash(2 * names);
  }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  // Null: there is none.
  const Value* find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    const int32_t number = slots_[place_of(name, hash_of(name))].number;
    return number < 0 ? nullptr : &entries_[static_cast<size_t>(number)].second;
  }
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  // What there is of that name, else `value` from now on, and whether that is new. Good until the next name
  // is added.
  std::pair<Value*, bool> add(std::string_view name, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) rehash(4 * (entries_.size() + 1));
    const uint32_t hash = hash_of(name);
    Slot& slot = slots_[place_of(name, hash)];
    const bool is_new = slot.number < 0;
    if (is_new) {
      slot = {hash, static_cast<int32_t>(entries_.size())};
      entries_.emplace_back(name, std::move(value));
    }
    return {&entries_[static_cast<size_t>(slot.number)].second, is_new};
  }
  Value& operator[](std::string_view name) { return *add(name, Value()).first; }

 private:
  struct Slot {
    uint32_t hash = 0;
    int32_t number = -1;  // -1: free
  };

  static uint32_t hash_of(std::string_view name) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    uint64_t hash = name.size() * kOdd;
    while (name.size() > 8) {
      uint64_t word = 0;
      std::memcpy(&word, name.data(), 8);
      hash = (hash ^ word) * kOdd;
      hash ^= hash >> 29;
      name.remove_prefix(8);
    }
    uint64_t word = 0;
    std::memcpy(&word, name.data(), name.size());
    hash = (hash ^ word) * kOdd;
    return static_cast<uint32_t>((hash ^ hash >> 32) * kOdd >> 32);  // the last letters count too
  }

  // Where the name is, or would be put. There is always a free slot.
  size_t place_of(std::string_view name, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.number < 0) return at;
      if (slot.hash == hash && entries_[static_cast<size_t>(slot.number)].first == name) return at;
    }
  }

  void rehash(size_t least) {
    size_t size = 16;
    while (size < least) size *= 2;
    slots_.assign(size, Slot());
    for (size_t n = 0; n < entries_.size(); ++n) {
      const uint32_t hash = hash_of(entries_[n].first);
      slots_[place_of(entries_[n].first, hash)] = {hash, static_cast<int32_t>(n)};
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::pair<std::string_view, Value>> entries_;
};

}  // namespace shardscope::inline program

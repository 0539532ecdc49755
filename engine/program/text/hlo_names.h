// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope::inline program {

// Names of a computation's instructions, numbered in the order in which they came. Does not own the texts.
// Open addressing: a name costs no allocation of its own.
class HloNames {
 public:
  void reserve(size_t names) {
    names_.reserve(names);
    if (2 * names > slots_.size()) rehash(2 * names);
  }

  // False when the name is there already.
  bool add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size()) rehash(4 * (names_.size() + 1));
    const auto hash = hash_of(name);
    Slot& slot = slots_[place_of(name, hash)];
    if (slot.number >= 0) return false;
    slot = {hash, static_cast<int32_t>(names_.size())};
    names_.push_back(name);
    return true;
  }

  std::optional<int64_t> find(std::string_view name) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place_of(name, hash_of(name))];
    return slot.number < 0 ? std::nullopt : std::optional<int64_t>(slot.number);
  }

  size_t size() const { return names_.size(); }

 private:
  struct Slot {
    uint32_t hash = 0;
    int32_t number = -1;  // -1: free
  };

  static uint32_t hash_of(std::string_view name) {
    return static_cast<uint32_t>(std::hash<std::string_view>()(name));
  }

  // Where the name is, or would be put. There is always a free slot.
  size_t place_of(std::string_view name, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.number < 0) return at;
      if (slot.hash == hash && names_[static_cast<size_t>(slot.number)] == name) return at;
    }
  }

  void rehash(size_t least) {
    size_t size = 16;
    while (size < least) size *= 2;
    slots_.assign(size, Slot());
    for (size_t n = 0; n < names_.size(); ++n) {
      const auto hash = hash_of(names_[n]);
      slots_[place_of(names_[n], hash)] = {hash, static_cast<int32_t>(n)};
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::string_view> names_;
};

}  // namespace shardscope::inline program

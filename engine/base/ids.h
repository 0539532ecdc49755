// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace shardscope {

// A strong index: Id<struct DeviceTag> and Id<struct InstructionTag> do not mix. -1 means "none".
template <class Tag>
struct Id {
  int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(int64_t v) : value(static_cast<int32_t>(v)) {}
  constexpr bool valid() const { return value >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace shardscope

template <class Tag>
struct std::hash<shardscope::Id<Tag>> {
  size_t operator()(shardscope::Id<Tag> id) const { return std::hash<int32_t>()(id.value); }
};

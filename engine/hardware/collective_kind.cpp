// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/collective_kind.h"

#include <algorithm>
#include <array>

namespace shardscope::inline hardware {

namespace {

constexpr std::array kNames = {"all-gather",           "reduce-scatter", "all-reduce",        "all-to-all",
                               "collective-broadcast", "reduce",         "collective-permute"};

}  // namespace

const char* name(CollectiveKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

std::optional<CollectiveKind> collective_kind(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - kNames.begin());
}

std::vector<std::string> collective_kind_names() {
  return {kNames.begin(), kNames.end()};
}

}  // namespace shardscope::inline hardware

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/profile/profile_chip.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/base/text.h"

namespace shardscope::inline session {
namespace {

// What drivers call a chip holds one of these, the longer words first: "NVIDIA GB200" holds "b200".
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kChipNames{{
    {"gb200", "gb200"},
    {"b200", "b200"},
    {"h200", "h200"},
    {"h100", "h100"},
    {"a100", "a100"},
    {"mi300x", "mi300x"},
    {"mi210", "mi210"},
    {"tpu v5 lite", "tpu-v5e"},
    {"tpu v5e", "tpu-v5e"},
    {"tpu v5", "tpu-v5p"},
    {"tpu v6", "tpu-v6e"},
    {"tpu v7", "tpu-v7x"},
    {"tpu7", "tpu-v7x"},
    {"tpu v4", "tpu-v4"},
    {"tpu v3", "tpu-v3"},
}};

}  // namespace

ProfileChip profile_chip(const Profile& profile) {
  const std::string called = small_letters(profile.chip);
  for (const auto& [part, hardware] : kChipNames)
    if (called.find(part) != std::string::npos) return {std::string(hardware), false};
  const std::string first = profile.trace.device_names.empty() ? "" : profile.trace.device_names.front();
  if (first.find("CPU") != std::string::npos) return {"cpu-host", false};
  const auto is = [&](std::string_view maker) { return called.find(maker) != std::string::npos; };
  if (first.find("TPU") != std::string::npos) return {"tpu-v5e", true, profile.chip};
  return {is("amd") || is("radeon") || is("instinct") ? "mi300x" : "h100", true, profile.chip};
}

}  // namespace shardscope::inline session

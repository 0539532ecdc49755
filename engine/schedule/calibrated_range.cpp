// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/calibrated_range.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/units.h"
#include "engine/collectives/measured/measured_pace.h"

namespace shardscope {
namespace {

constexpr const char* kProduct = "product";
constexpr const char* kElementwise = "elementwise";

struct Sized {
  std::string kind;
  double size = 0;
};

Sized size_of(const Work& work) {
  if (work.kind != WorkKind::collective) {
    if (work.flops > 0) return {kProduct, work.flops};
    return {kElementwise, static_cast<double>(work.bytes)};
  }
  if (work.schedule == nullptr || work.schedule->steps() == 0) return {};
  const CollectiveKind kind = work.schedule->kind();
  return {name(kind), device_bytes(kind, work.bytes, work.schedule->ranks())};
}

std::string size_text(const std::string& kind, double size) {
  return kind == kProduct ? format_rate(size, "FLOP") : format_bytes(size);
}

std::string sentence(const Hardware& hardware, const Sized& work, bool smaller, double end) {
  return fmt::format("{} of {}: {:.3g} times {} than the {} that {} was calibrated with ({})", work.kind,
                     size_text(work.kind, work.size), smaller ? end / work.size : work.size / end,
                     smaller ? "smaller" : "larger", smaller ? "smallest" : "largest", hardware.name,
                     size_text(work.kind, end));
}

}  // namespace

std::vector<std::string> outside_calibration(const Hardware& hardware, const WorkPlan& plan) {
  if (!hardware.calibration) return {};
  std::map<std::string, std::pair<double, double>> sizes;  // by kind: the smallest and the largest
  for (const Work& work : plan.works) {
    const Sized it = size_of(work);
    if (it.size <= 0) continue;
    auto& [low, high] = sizes.try_emplace(it.kind, it.size, it.size).first->second;
    low = std::min(low, it.size);
    high = std::max(high, it.size);
  }
  std::vector<std::string> out;
  for (const auto& [kind, range] : hardware.calibration->range) {
    const auto found = sizes.find(kind);
    if (found == sizes.end()) continue;
    const auto& [low, high] = found->second;
    if (low < range[0]) out.push_back(sentence(hardware, {kind, low}, true, range[0]));
    if (high > range[1]) out.push_back(sentence(hardware, {kind, high}, false, range[1]));
  }
  return out;
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/calibrated_range.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/units.h"
#include "engine/collectives/measured_pace.h"

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

std::vector<std::string> mesh_assumptions(const Mesh& mesh, const Hardware& hardware) {
  std::vector<std::string> out;
  int64_t axes = 0;
  for (const MeshAxis& axis : mesh.axes()) axes += axis.size > 1 ? 1 : 0;
  if (hardware.torus_axes && axes > *hardware.torus_axes) {
    out.push_back(fmt::format(
        "the mesh has {} axes, the torus of {} has {}: every mesh axis is timed as a torus axis of its own",
        axes, hardware.name, *hardware.torus_axes));
  }
  if (!hardware.torus_wrap_multiple_of || hardware.topology != Topology::torus) return out;
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.size <= 2) continue;  // one link each way, wrapped or not
    const bool on_chip = axis_wraps(hardware, axis.size);
    if (axis.wrap && on_chip) continue;
    const std::string axis_text = fmt::format("axis {} of {} is timed as", axis.name, axis.size);
    const std::string rings =
        fmt::format("axes of a multiple of {} close to rings", *hardware.torus_wrap_multiple_of);
    if (axis.wrap) {
      out.push_back(
          fmt::format("{} a ring because its wrap is on: on {} only {}", axis_text, hardware.name, rings));
    } else if (on_chip) {
      out.push_back(fmt::format("{} a line because its wrap is off: on {} {}, this one too", axis_text,
                                hardware.name, rings));
    } else {
      out.push_back(fmt::format("{} a line: on {} only {}", axis_text, hardware.name, rings));
    }
  }
  return out;
}

}  // namespace shardscope

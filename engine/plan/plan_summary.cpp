// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/measured_pace.h"
#include "engine/hardware/placement.h"

namespace shardscope::inline planner {
namespace {

void add_collectives(const PlayedPlan& played, std::vector<CollectiveSummary>& out) {
  constexpr size_t kNone = SIZE_MAX;
  const std::vector<Work>& works = played.plan.works;
  std::vector<size_t> summary_of(works.size(), kNone);
  for (const WorkStretch& stretch : played.stretches) {
    for (size_t w = stretch.begin; w < stretch.end; ++w) {
      const Work& work = works[w];
      if (work.kind != WorkKind::collective) continue;
      const auto opcode = opcode_text(played.program.entry_computation().at(work.instruction).opcode);
      auto it = std::ranges::find_if(out, [&](const CollectiveSummary& s) {
        return s.opcode == opcode && s.axis == work.axis && s.algorithm == work.algorithm;
      });
      if (it == out.end())
        it = out.insert(out.end(), {std::string(opcode), work.axis, 0, 0, work.algorithm, 0, work.why});
      summary_of[w] = static_cast<size_t>(it - out.begin());
      it->count += stretch.times;
      it->steps += work.steps() * stretch.times;
    }
  }
  const auto devices = static_cast<double>(played.devices);
  for (size_t s = 0; s < out.size(); ++s)
    out[s].bytes_sent_per_device = sum_over(played.stretches, [&](size_t w) {
      return summary_of[w] == s ? static_cast<double>(played.bytes_sent[w]) / devices : 0.0;
    });
}

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
  if (!work.sends()) return {};
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

// For each kind of work of the plan of which some is smaller or larger than what the chip was calibrated with
// (Hardware::calibration) a sentence that says by how much at most. Products by their flops, collectives by
// the bytes of the array on one device, the rest by what it reads and writes.
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

// Where the axes of a mesh of several nodes lie, and where it is timed as the chip's torus is not.
std::vector<std::string> mesh_assumptions(const Mesh& mesh, const Hardware& hardware) {
  std::vector<std::string> out;
  if (const AxisPlaces places = axis_places(mesh, hardware); places.nodes > 0) {
    out.push_back(fmt::format("{} chips are {} nodes of {}: {}", mesh.device_count(), places.nodes,
                              places.node, words_of(places)));
    if (places.last != places.node) out.back() += fmt::format("; the last node has only {}", places.last);
  }
  if (hardware.torus_chips && mesh.device_count() > *hardware.torus_chips)
    out.push_back(fmt::format("the mesh has {} chips: no machine of {} chips has more than {} on one torus",
                              group_digits(mesh.device_count()), hardware.name,
                              group_digits(*hardware.torus_chips)));
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

}  // namespace

void add_summary(const PlayedPlan& played, Timeline& timeline) {
  const std::vector<Work>& works = played.plan.works;
  add_collectives(played, timeline.collectives);
  const double flops = sum_over(played.stretches, [&](size_t w) { return works[w].flops; });
  const double padded = sum_over(played.stretches, [&](size_t w) { return works[w].padded_flops; });
  if (padded > 0) timeline.mxu_utilisation = flops / padded;
  for (DeviceTotals& device : timeline.totals) {  // each does all of it
    device.flops = flops;
    device.padded_flops = padded;
  }
  std::vector<std::string> all = mesh_assumptions(played.program.mesh, played.hardware);
  const auto add = [&](const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(played.plan.assumptions);
  add(timeline.assumptions);
  add(outside_calibration(played.hardware, played.plan));
  timeline.assumptions = std::move(all);
}

}  // namespace shardscope::inline planner

// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/section_play.h"

#include <algorithm>
#include <utility>

#include "engine/plan/to_index.h"

namespace shardscope::inline scheduler {

int32_t SectionPlayer::sections(const std::vector<int>& axes) {
  for (size_t i = 0; i < all_.size(); ++i)
    if (all_[i].sections->axes() == axes) return static_cast<int32_t>(i);
  Of of;
  of.sections = std::make_unique<Sections>(machine_.mesh, axes);
  for (const LinkOverride& link : machine_.overrides.links) {
    const auto a = static_cast<int32_t>(link.a), b = static_cast<int32_t>(link.b);
    const int32_t section = of.sections->section_of(a);
    if (of.sections->section_of(b) == section)
      of.slow[section].push_back({of.sections->place_of(a), of.sections->place_of(b), link.speed});
  }
  all_.push_back(std::move(of));
  return static_cast<int32_t>(all_.size()) - 1;
}

int32_t SectionPlayer::kind(int32_t sections, Work work) {
  for (size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].first == sections && kinds_[i].second.task() == work.task()) return static_cast<int32_t>(i);
  kinds_.emplace_back(sections, std::move(work));
  return static_cast<int32_t>(kinds_.size()) - 1;
}

// A message is held up behind a slower link where links are not all alike: of the whole mesh, so here too.
Result<const Fabric*> SectionPlayer::fabric_of(Of& of, int32_t section) {
  const auto slow = of.slow.find(section);
  auto& fabric = of.fabrics[slow == of.slow.end() ? -1 : section];
  if (fabric != nullptr) return fabric.get();
  HardwareOverrides own;
  if (slow != of.slow.end()) own.links = slow->second;
  if (machine_.fabric.link_classes() > 1) {
    for (const MeshAxis& axis : of.sections->mesh().axes())
      own.axes.push_back({axis.name, axis_factor(machine_.overrides, axis.name)});
  }
  TRY(Fabric made, Fabric::make(of.sections->mesh(), machine_.hardware, own));
  fabric = std::make_unique<Fabric>(std::move(made));
  return fabric.get();
}

Result<const SectionPlay*> SectionPlayer::play(const Request& request, Moment& base) {
  base = request.operands[0];
  for (const Moment& operand : request.operands) base.time = std::min(base.time, operand.time);
  --base.time;  // what is sent is so after it
  base.event = 0;
  const bool slow = all_[to_index(request.sections)].slow.contains(request.section);
  std::vector<int64_t> pattern{request.sections, slow ? request.section : -1, request.uniform};
  pattern.insert(pattern.end(), request.kinds.begin(), request.kinds.end());
  pattern.insert(pattern.end(), request.after.begin(), request.after.end());
  for (const Moment& operand : request.operands) {
    const Moment o = operand.since(base);
    pattern.insert(pattern.end(), {o.time, o.compute, o.memory, o.latency, o.bandwidth});
  }
  const auto [known, is_new] = plays_.try_emplace(std::move(pattern));
  if (is_new) {
    TRY(known->second, simulate(request, base));
  }
  return known->second ? &*known->second : nullptr;
}

}  // namespace shardscope::inline scheduler

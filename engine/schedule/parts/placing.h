// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/plan/work.h"
#include "engine/schedule/parts/section_play.h"

namespace shardscope::inline scheduler {

// The sections of a mesh that a collective's groups, or the pairs of a permute, span, and what it is in each:
// a number of SectionPlayer::kind.
struct Placing {
  struct Variant {
    std::shared_ptr<const CollectiveSchedule> schedule;  // of a permute; null: the collective's own
    std::shared_ptr<const CollectiveGroups> groups;      // by place
  };
  int32_t sections = 0;
  std::vector<Variant> variants;
  std::vector<int32_t> variant_of;  // by section
};

// Finds them; what is done by the same pairs or groups is looked at once.
class Placings {
 public:
  Placings(const Mesh& mesh, const Fabric& fabric, SectionPlayer& player)
      : mesh_(mesh), fabric_(fabric), player_(player) {}
  // Null: groups that are not the same in all sections, devices in none.
  const Placing* of(const Work& work);
  // By variant.
  std::vector<int32_t> kinds(const Placing& placing, const Work& work);

 private:
  std::optional<Placing> of_groups(const CollectiveGroups& groups);
  std::optional<Placing> of_permute(const CollectiveSchedule& schedule);
  Placing::Variant permute(int32_t sections, const std::vector<int32_t>& targets);

  const Mesh& mesh_;
  const Fabric& fabric_;
  SectionPlayer& player_;
  std::map<const void*, std::optional<Placing>> known_;  // by groups or, of permutes, schedule
  std::map<std::pair<int32_t, std::vector<int32_t>>, Placing::Variant> permutes_;  // by target of each place
};

}  // namespace shardscope::inline scheduler

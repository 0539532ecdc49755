// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/equal_once_partitioned.h"

#include <optional>

#include "engine/partition/entry/partition.h"
#include "engine/program/stages/matching.h"
#include "engine/session/hlo_run.h"

namespace shardscope::inline session {
namespace {

constexpr int64_t kMostPartitioned = 20'000;  // instructions

// What a device does, without what only says where it comes from.
Result<std::optional<Program>> bare_partitioned(const Program& module, const std::stop_token& stop) {
  if (is_partitioned(module) || module.instruction_count() > kMostPartitioned)
    return std::optional<Program>();
  PartitionOptions how;
  how.stop = stop;
  auto made = partition(module, how);
  if (!made.ok() && made.error().kind == ErrorKind::cancelled) return made.error();
  if (!made.ok()) return std::optional<Program>();
  Program bare = *made->program;
  for (Computation& c : bare.computations) {
    for (Instruction& i : c.instructions) {
      i.sharding_text = {};
      i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
        std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "frontend_attributes"; });
      });
    }
  }
  return std::optional(std::move(bare));
}

}  // namespace

Result<bool> equal_once_partitioned(const Program& before, const Program& after,
                                    const std::stop_token& stop) {
  TRY(const std::optional<Program> a, bare_partitioned(before, stop));
  if (!a) return false;
  TRY(const std::optional<Program> b, bare_partitioned(after, stop));
  if (!b || a->mesh.device_count() != b->mesh.device_count()) return false;
  TRY(const ModuleMatching found, match_modules(*a, *b, stop));
  return found.equal() && a->computations.size() == b->computations.size();
}

}  // namespace shardscope::inline session

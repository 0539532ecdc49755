// SPDX-License-Identifier: Apache-2.0
#include "engine/strategies/strategy.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

// In display order.
constexpr std::vector<Strategy> (*kFamilies[])() = {
    collective_strategies,
    wang_strategies,
    meshslice_strategies,
    summa_strategies,
    cannon_strategies,
    cannon_rectangular_strategies,
    fox_strategies,
    replicated_strategies,
    psum_strategies,
    pjit_strategies,
    auto_strategies,
    pallas_strategies,
    megatron_strategies,
    fsdp_strategies,
    ring_matmul_strategies,
    chain_strategies,
    megatron_mlp_strategies,
    transformer_strategies,
    expert_parallel_strategies,
    gather_strategies,
    blockwise_strategies,
};

std::vector<Strategy> all_families() {
  std::vector<Strategy> all;
  for (const auto family : kFamilies) {
    for (Strategy& strategy : family()) all.push_back(std::move(strategy));
  }
  return all;
}

std::string list(const std::vector<std::string_view>& names) {
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

}  // namespace

const char* name(StrategyKind kind) {
  switch (kind) {
    case StrategyKind::matmul:
      return "matmul";
    case StrategyKind::part:
      return "part";
    case StrategyKind::example:
      return "example";
    case StrategyKind::broken:
      return "broken";
  }
  return "?";
}

std::span<const Strategy> strategies() {
  static const std::vector<Strategy> all = all_families();
  return all;
}

Result<const Strategy*> find_strategy(std::string_view id_or_alias) {
  std::vector<std::string> known;
  for (const Strategy& strategy : strategies()) {
    if (strategy.id == id_or_alias || std::ranges::count(strategy.aliases, id_or_alias) > 0) return &strategy;
    known.emplace_back(strategy.id);
    known.insert(known.end(), strategy.aliases.begin(), strategy.aliases.end());
  }
  const auto near = nearest(id_or_alias, known);
  return invalid("unknown strategy '" + std::string(id_or_alias) + "'", "",
                 near ? "did you mean " + *near + "?" : "list them with: shardscope strategies");
}

Result<std::map<std::string, std::string>> assign_roles(std::string_view strategy,
                                                        const std::vector<std::string_view>& roles,
                                                        const Mesh& mesh, const StrategyOptions& options) {
  const std::string who(strategy);
  const size_t rank = static_cast<size_t>(mesh.rank());
  if (rank < roles.size()) {
    return invalid(who + ": needs " + std::to_string(roles.size()) +
                   (roles.size() == 1 ? " mesh axis (" : " mesh axes (") + list(roles) + "), got " +
                   (rank == 0 ? "none" : mesh.text()));
  }
  std::map<std::string, std::string> assigned;
  for (size_t i = 0; i < roles.size(); ++i) assigned[std::string(roles[i])] = mesh.axes()[i].name;
  for (const auto& [role, axis] : options.axes) {
    if (!assigned.contains(role))
      return invalid(who + ": has no role '" + role + "', its roles are " + list(roles));
    if (!mesh.axis_index(axis)) {
      return invalid(who + ": role " + role + " needs an axis of the mesh " + mesh.text() + ", got '" + axis +
                     "'");
    }
    assigned[role] = axis;
  }
  std::map<std::string, std::string> role_of;
  for (const auto& [role, axis] : assigned) {
    const auto [other, is_new] = role_of.emplace(axis, role);
    if (!is_new) {
      return invalid(who + ": axis " + axis + " cannot be both " + other->second + " and " + role, "",
                     "give each role an axis of its own");
    }
  }
  return assigned;
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "engine/strategies/strategy.h"

#include <algorithm>
#include <memory>
#include <set>

#include "engine/base/text.h"
#include "engine/strategies/families.h"
#include "engine/strategies/looped.h"

namespace shardscope::inline strategy {
namespace {

// In display order.
constexpr Strategies* kFamilies[] = {collective_strategies,
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
                                     bare_collective_strategies,
                                     blockwise_strategies};

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

namespace {

// On which strategies are planned to see what they are like.
constexpr int64_t kShapes[][3] = {{2, 2, 2}, {2, 4, 2}, {4, 2, 2}};

SpmdBuilder builder_on(const Strategy& strategy, const int64_t (&shape)[3]) {
  std::vector<MeshAxis> axes;
  std::map<std::string, std::string> roles;
  for (size_t i = 0; i < strategy.roles.size(); ++i) {
    axes.push_back({std::string(strategy.roles[i]), shape[i]});
    roles.emplace(strategy.roles[i], strategy.roles[i]);
  }
  return SpmdBuilder(std::string(strategy.id), *Mesh::make(std::move(axes)), {64, 64, 64}, std::move(roles));
}

std::map<std::string_view, std::vector<std::string>> all_formulas() {
  std::map<std::string_view, std::vector<std::string>> out;
  for (const Strategy& strategy : strategies()) {
    std::vector<std::string>& formulas = out[strategy.id];
    for (const auto& shape : kShapes) {
      SpmdBuilder builder = builder_on(strategy, shape);
      if (strategy.kind != StrategyKind::example || !formulas.empty()) break;
      if (const Result<Program> program = strategy.write(builder, {}); program.ok())
        formulas = program->definitions;
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& formulas_of(std::string_view strategy) {
  static const auto all = all_formulas();
  static const std::vector<std::string> none;
  const auto found = all.find(strategy);
  return found == all.end() ? none : found->second;
}

// A refusal of a mesh of one of these shapes says nothing of the others.
std::vector<std::string> needs_of(const Strategy& strategy) {
  std::vector<std::string> needs;
  std::map<std::string, int> shapes_that_need;
  int shapes = 0;
  for (const auto& shape : kShapes) {
    SpmdBuilder builder = builder_on(strategy, shape);
    if (!strategy.write(builder, {}).ok()) continue;
    ++shapes;
    std::set<std::string> seen;
    for (const std::string& need : builder.needs()) {
      if (!seen.insert(need).second) continue;
      if (shapes_that_need[need]++ == 0) needs.push_back(need);
    }
  }
  for (std::string& need : needs) {
    if (shapes_that_need[need] < shapes) need += " on some meshes";
  }
  return needs;
}

namespace {

// A builder with the strategy's roles filled.
Result<std::unique_ptr<SpmdBuilder>> builder_of(const Strategy& strategy, const Mesh& mesh,
                                                const MatmulProblem& problem, const StrategyOptions& given,
                                                const std::stop_token& stop) {
  std::vector<std::string_view> filled = strategy.roles;
  filled.resize(std::clamp(static_cast<size_t>(mesh.rank()), strategy.fewest_axes, strategy.roles.size()));
  TRY(auto axes, assign_roles(strategy.id, filled, mesh, given));
  return std::make_unique<SpmdBuilder>(std::string(strategy.id), mesh, problem, std::move(axes), stop);
}

}  // namespace

Result<Program> Strategy::plan(const Mesh& mesh, const MatmulProblem& problem, const StrategyOptions& given,
                               const std::stop_token& stop) const {
  TRY(const auto builder, builder_of(*this, mesh, problem, given, stop));
  return write(*builder, given);
}

Result<std::vector<Program>> Strategy::alternatives(const Mesh& mesh, const MatmulProblem& problem,
                                                    const StrategyOptions& given, size_t most,
                                                    const std::stop_token& stop) const {
  size_t count = 1;
  if (plans != nullptr) {
    TRY(const auto builder, builder_of(*this, mesh, problem, given, stop));
    count = std::clamp<size_t>(plans(*builder, given), 1, most);
  }
  std::vector<Program> out;
  std::optional<Error> first;
  StrategyOptions asked = given;
  for (asked.alternative = 0; asked.alternative < count; ++asked.alternative) {
    Result<Program> made = plan(mesh, problem, asked, stop);
    if (made.ok()) {
      out.push_back(*std::move(made));
    } else if (!first) {
      first = made.error();
    }
  }
  if (out.empty()) return *first;
  return out;
}

Result<Program> plan_looped(const Strategy& strategy, const Mesh& mesh, const MatmulProblem& problem,
                            const StrategyOptions& given, int64_t fewest_rounds,
                            const std::stop_token& stop) {
  TRY(const auto builder, builder_of(strategy, mesh, problem, given, stop));
  builder->keep_loops(fewest_rounds);
  return strategy.write(*builder, given);
}

Result<ProgramSketch> sketch(const Strategy& strategy, const Mesh& mesh, const MatmulProblem& problem,
                             const StrategyOptions& given, int64_t fewest_rounds,
                             const std::stop_token& stop) {
  TRY(const auto builder, builder_of(strategy, mesh, problem, given, stop));
  builder->keep_loops(fewest_rounds);
  builder->sketch();
  TRY(Program program, strategy.write(*builder, given));
  return ProgramSketch{std::move(program), builder->times()};
}

Strategy Family::row(StrategyKind kind, Names names, std::string_view title, WriteStrategy write) const {
  Strategy made{*names.begin(), {names.begin() + 1, names.end()},  kind, title, paper, roles, {"axes"},
                write,          fewest_axes.value_or(roles.size())};
  made.options.insert(made.options.end(), options.begin(), options.end());
  return made;
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

}  // namespace shardscope::inline strategy

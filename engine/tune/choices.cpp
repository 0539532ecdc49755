// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/choices.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/sharding/named_sharding.h"
#include "engine/tune/bound.h"

namespace shardscope {
namespace {

bool reads(const Strategy& strategy, std::string_view option) {
  return std::find(strategy.options.begin(), strategy.options.end(), option) != strategy.options.end();
}

// Slice counts for strategies that are cut in slices, panel widths for those that walk in blocks; for the
// others their only way.
std::vector<StrategyOptions> variants(const Strategy& strategy) {
  std::vector<StrategyOptions> out;
  if (reads(strategy, "slices")) {
    for (const int64_t slices : {1, 2, 4, 8, 16, 32}) out.emplace_back().slices = slices;
  } else if (reads(strategy, "block")) {
    for (const int64_t block : {128, 512, 2048}) out.emplace_back().block = block;
  }
  if (out.empty()) out.emplace_back();
  return out;
}

int64_t slices_of(const Program& program) {
  for (const auto& [key, value] : program.choices) {
    if (key == "slices") return parse_int(value).value_or(1);
  }
  return 1;
}

// One X, one W and a whole Y, all on every device's part of the mesh: what a chain of layers can be made of.
bool is_one_product(const Program& program) {
  const auto everywhere = [](const ArrayInfo& info) { return info.home.empty(); };
  return program.inputs.size() == 2 &&
         std::all_of(program.inputs.begin(), program.inputs.end(), everywhere) &&
         program.inputs[0].role == ArrayRole::lhs && program.inputs[1].role == ArrayRole::rhs &&
         program.output && program.output->role == ArrayRole::product && program.output->unreduced.empty() &&
         everywhere(*program.output) && program.further_outputs.empty() && program.definitions.empty();
}

std::optional<LayerOption> planned(const Strategy& strategy, const StrategyOptions& options, const Mesh& mesh,
                                   const MatmulProblem& problem, const Hardware& hardware) {
  const Result<Program> program = strategy.plan(mesh, problem, options);
  if (!program.ok() || !is_one_product(*program)) return std::nullopt;
  LayerOption out;
  out.strategy = &strategy;
  out.options = options;
  out.slices = slices_of(*program);
  const ArrayInfo& x = program->inputs[0];
  const ArrayInfo& w = program->inputs[1];
  out.in = {x.spec, x.transposed};
  out.out = {program->output->spec, program->output->transposed};
  int64_t elements = 1;
  const Result<NamedSharding> weights = NamedSharding::make(mesh, w.spec);
  if (!weights.ok()) return std::nullopt;
  const auto shard = weights->shard_shape(w.dims);
  if (!shard.ok()) return std::nullopt;
  for (const int64_t extent : *shard) elements *= extent;
  out.weight_bytes = byte_size(problem.dtype, elements);
  out.bound_s = lower_bound_s(*program, hardware);
  return out;
}

}  // namespace

std::vector<Mesh> mesh_shapes(int64_t chips, const Hardware& hardware) {
  std::vector<Mesh> out;
  for (int64_t rows = 1; rows <= chips; ++rows) {
    if (chips % rows != 0) continue;
    const Result<Mesh> mesh = Mesh::make({{"row", rows, true}, {"col", chips / rows, true}});
    if (mesh.ok()) out.push_back(with_chip_wraps(*mesh, hardware));
  }
  const Result<Mesh> ring = Mesh::make({{"row", chips, true}});
  if (ring.ok()) out.push_back(with_chip_wraps(*ring, hardware));
  return out;
}

LayerOptions layer_options(const Mesh& mesh, const MatmulProblem& problem, const Hardware& hardware,
                           std::stop_token stop) {
  LayerOptions out;
  out.problem = problem;
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind != StrategyKind::matmul) continue;
    for (const StrategyOptions& options : variants(strategy)) {
      if (stop.stop_requested()) return out;
      std::optional<LayerOption> option = planned(strategy, options, mesh, problem, hardware);
      if (option) {
        out.options.push_back(*std::move(option));
      } else {
        ++out.refused;
      }
    }
  }
  std::stable_sort(out.options.begin(), out.options.end(),
                   [](const LayerOption& a, const LayerOption& b) { return a.bound_s < b.bound_s; });
  return out;
}

std::string dataflow_of(const Strategy& strategy) {
  for (const auto& [ending, flow] :
       {std::pair{".os", "OS"}, std::pair{".ls", "LS"}, std::pair{".rs", "RS"}}) {
    if (strategy.id.ends_with(ending)) return flow;
  }
  return "";
}

}  // namespace shardscope

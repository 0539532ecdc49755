// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/choices.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/sharding/named_sharding.h"
#include "engine/strategies/looped.h"

namespace shardscope::inline tuner {
namespace {

bool reads(const Strategy& strategy, std::string_view option) {
  return std::find(strategy.options.begin(), strategy.options.end(), option) != strategy.options.end();
}

// Steps of a program beyond which a finer cut of the same work is not tried: each costs a latency.
constexpr int64_t kMostSteps = 8192;

// The extent that a strategy cuts into panels: the one that its dataflow walks along.
int64_t cut_extent(const Strategy& strategy, const MatmulProblem& problem) {
  const std::string flow = dataflow_of(strategy);
  if (flow == "OS") return problem.k;
  if (flow == "LS") return problem.n;
  if (flow == "RS") return problem.m;
  return std::max({problem.m, problem.k, problem.n});
}

int64_t slices_of(const Program& program) {
  for (const auto& [key, value] : program.choices) {
    if (key == "slices") return parse_int(value).value_or(1);
  }
  return 1;
}

// One X, one W and a whole Y of the problem's type, all on every device's part of the mesh: what a chain of
// layers can be made of.
bool is_one_product(const Program& program, const MatmulProblem& problem) {
  const auto everywhere = [](const ArrayInfo& info) { return info.home.empty(); };
  return program.entry_computation().root_instruction().shape.type == result_type(problem.dtype) &&
         program.inputs.size() == 2 &&
         std::all_of(program.inputs.begin(), program.inputs.end(), everywhere) &&
         program.inputs[0].role == ArrayRole::lhs && program.inputs[1].role == ArrayRole::rhs &&
         program.output && program.output->role == ArrayRole::product && program.output->unreduced.empty() &&
         everywhere(*program.output) && program.further_outputs.empty() && program.definitions.empty();
}

std::optional<ArrayOnMesh> placed(const Mesh& mesh, const ArrayInfo& info, ElementType type) {
  const Result<NamedSharding> sharding = NamedSharding::make(mesh, info.spec);
  if (!sharding.ok()) return std::nullopt;
  const auto shard = sharding->shard_shape(info.dims);
  if (!shard.ok()) return std::nullopt;
  int64_t elements = 1;
  for (const int64_t extent : *shard) elements *= extent;
  return ArrayOnMesh{{info.spec, info.transposed}, byte_size(type, elements)};
}

// All strategies of kind matmul in display order with what is tried of each. What takes more steps than a
// program is planned for is left out: `left_out` counts it.
struct Variants {
  std::vector<Variant> all;
  int64_t left_out = 0;
};

// Slice counts for strategies that are cut in slices, panel widths for those that walk in blocks; for the
// others their only way.
Variants variants_of(const MatmulProblem& problem) {
  Variants out;
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind != StrategyKind::matmul) continue;
    if (reads(strategy, "slices")) {
      for (const int64_t slices : {1, 2, 4, 8, 16, 32})
        out.all.emplace_back(Variant{&strategy, {}}).options.slices = slices;
    } else if (reads(strategy, "block")) {
      for (const int64_t block : {128, 512, 2048}) {
        if (cut_extent(strategy, problem) / block > kMostSteps) {
          ++out.left_out;
        } else {
          out.all.emplace_back(Variant{&strategy, {}}).options.block = block;
        }
      }
    } else {
      out.all.push_back({&strategy, {}});
    }
  }
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

std::optional<LayerOption> plan_option(const Variant& variant, const Mesh& mesh, const MatmulProblem& problem,
                                       const Hardware& hardware, const std::stop_token& stop) {
  const Result<ProgramSketch> planned =
      sketch(*variant.strategy, mesh, problem, variant.options, kFewestTuned, stop);
  if (!planned.ok() || stop.stop_requested() || !is_one_product(planned->program, problem))
    return std::nullopt;
  const Program* program = &planned->program;
  LayerOption out;
  out.strategy = variant.strategy;
  out.options = variant.options;
  out.slices = slices_of(*program);
  const auto lhs = placed(mesh, program->inputs[0], problem.dtype);
  const auto rhs = placed(mesh, program->inputs[1], problem.dtype);
  const auto result = placed(mesh, *program->output, problem.dtype);
  if (!lhs || !rhs || !result) return std::nullopt;
  out.lhs = *lhs;
  out.rhs = *rhs;
  out.out = *result;
  out.least = least_cost(*planned, hardware, stop);
  return out;
}

std::vector<LayerOptions> options_on(const Mesh& mesh, std::span<const MatmulProblem> products,
                                     const Hardware& hardware, const Workers& workers,
                                     const std::stop_token& stop) {
  struct PlannedVariant {
    size_t product = 0;
    Variant variant;
    std::optional<LayerOption> planned{};
  };
  std::vector<LayerOptions> out;
  std::vector<PlannedVariant> planned;
  for (const MatmulProblem& problem : products) {
    Variants variants = variants_of(problem);
    out.push_back({problem, {}, variants.left_out});
    for (Variant& variant : variants.all) planned.push_back({out.size() - 1, std::move(variant)});
  }
  workers.parallel_for(static_cast<int64_t>(planned.size()), [&](int64_t i) {
    PlannedVariant& one = planned[static_cast<size_t>(i)];
    if (!stop.stop_requested())
      one.planned = plan_option(one.variant, mesh, products[one.product], hardware, stop);
  });
  for (PlannedVariant& one : planned) {
    LayerOptions& product = out[one.product];
    if (one.planned) {
      product.options.push_back(*std::move(one.planned));
    } else {
      ++product.refused;
    }
  }
  for (LayerOptions& product : out)
    std::ranges::stable_sort(product.options, {},
                             [](const LayerOption& option) { return option.least.products_s; });
  return out;
}

std::string dataflow_of(const Strategy& strategy) {
  for (const auto& [ending, flow] :
       {std::pair{".os", "OS"}, std::pair{".ls", "LS"}, std::pair{".rs", "RS"}}) {
    if (strategy.id.ends_with(ending)) return flow;
  }
  return "";
}

}  // namespace shardscope::inline tuner

// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/cost_formula.h"

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

std::string source_of(const Hardware& hardware, const std::string& key) {
  const auto found = hardware.sources.find(key);
  return found == hardware.sources.end() ? "" : key + ": " + found->second;
}

std::vector<Fact> transfer_facts(const ViewInput& input, const Event& event) {
  const Hardware& hw = input.run.hardware;
  const auto fabric = Fabric::make(input.run.mesh, hw, input.run.experiment.overrides);
  if (!fabric.ok() || !fabric->link_error().ok()) return {};
  const Cost cost = fabric->link_time(event.bytes).passes;
  if (cost.total() != event.end - event.start) return {};
  const LinkCosts link = fabric->link_costs();
  const std::string bytes = format_bytes(static_cast<double>(event.bytes));
  std::vector<Fact> facts{
      {"takes", format_picoseconds(event.end - event.start),
       fmt::format("α + bytes / β = {} + {} / {}", format_seconds(link.latency_s), bytes,
                   format_rate(link.bytes_per_s, "B/s"))},
      {"latency α", format_picoseconds(cost.latency), "", source_of(hw, "link.latency_s")},
      {"bandwidth", format_picoseconds(cost.bandwidth),
       fmt::format("{} / {}", bytes, format_rate(link.bytes_per_s, "B/s")),
       source_of(hw, "link.bytes_per_s")}};
  if (cost.overhead > 0)
    facts.push_back(
        {"overhead", format_picoseconds(cost.overhead), "", source_of(hw, "link.launch_overhead_s")});
  return facts;
}

const Computation& computation_of(const Program& program, int32_t instruction) {
  size_t last = 0;
  for (size_t i = 0; i < program.computations.size(); ++i) {
    if (program.global_index(ComputationId(static_cast<int32_t>(i)), InstructionId(0)) <= instruction)
      last = i;
  }
  return program.computations[last];
}

std::vector<Fact> product_facts(const ViewInput& input, const Event& event, const Instruction& product) {
  const Hardware& hw = input.run.hardware;
  const Computation& computation = computation_of(input.run.program, event.instruction);
  if (product.operands.empty()) return {};
  const DotSize dims = dot_size(computation, product);
  const ProductSize size{dims.batch, dims.m, dims.k, dims.n};
  const auto type = computation.at(product.operands.front()).shape.type;
  const auto peak = peak_for(hw, type);
  const auto traffic = memory_rate(hw);
  if (!peak.ok() || !traffic.ok()) return {};
  const auto cost = product_cost(hw, *peak, size, event.bytes);
  if (!cost.ok() || cost->total() != event.end - event.start) return {};
  const double flops = padded_flops(hw, size), rate = compute_rate(hw, *peak);
  const auto bytes = static_cast<double>(event.bytes);
  return {
      {"takes", format_picoseconds(event.end - event.start),
       fmt::format("max(flops / peak, bytes / HBM) + launch = max({}, {}) + {}", format_seconds(flops / rate),
                   format_seconds(bytes / *traffic), format_picoseconds(cost->overhead))},
      {"product", fmt::format("{}×{}×{}", dims.m, dims.k, dims.n),
       fmt::format("{} padded to {}×{} tiles / {}", format_rate(flops, "FLOP"), hw.compute.mxu_rows,
                   hw.compute.mxu_cols, format_rate(rate, "FLOP/s")),
       source_of(hw, "compute.peak_flops_per_s")},
      {"memory", format_bytes(bytes),
       fmt::format("{} / {}", format_bytes(bytes), format_rate(*traffic, "B/s")),
       source_of(hw, "memory.hbm_bytes_per_s")}};
}

}  // namespace

std::vector<Fact> duration_facts(const ViewInput& input, const Event& event) {
  if (is_transfer(event)) return transfer_facts(input, event);
  const Instruction* instruction = find_instruction(input.run.program, event.instruction);
  if (instruction == nullptr || event.flops <= 0) return {};
  return product_facts(input, event, *instruction);
}

}  // namespace shardscope

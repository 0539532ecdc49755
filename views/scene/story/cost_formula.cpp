// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/cost_formula.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"
#include "engine/story/beat_facts.h"
#include "engine/story/sums/operation_name.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr size_t kMostStepsNamed = 6;

std::string source_of(const Hardware& hardware, const std::string& key) {
  const auto found = hardware.sources.find(key);
  return found == hardware.sources.end() ? "" : key + ": " + found->second;
}

// β of the links that a message is on; those that are not as the chip says are told by what they do.
double rate_of(const Fabric& fabric, int32_t link_class, const Event& event, const Cost& cost) {
  const LinkCosts link = fabric.link_costs();
  if (link_class == 0) return link.bytes_per_s;
  if (fabric.node() > 0) return link.network_bytes_per_s;
  return static_cast<double>(event.bytes) / to_seconds(std::max<Picoseconds>(1, cost.bandwidth));
}

std::optional<Formula> transfer_formula(const ViewInput& input, const Event& event) {
  const Hardware& hw = input.run.hardware;
  const auto fabric = Fabric::make(input.run.mesh, hw, input.run.experiment.overrides);
  if (!fabric.ok() || !fabric->link_error().ok()) return std::nullopt;
  const int32_t of_class = fabric->link_class({event.device, event.lane, link_end(input.run, event)});
  const Cost cost = fabric->link_time(event.bytes, of_class).passes;
  const std::string key = fabric->node() > 0 && of_class == 1 ? "network." : "link.";
  const std::string bytes = format_bytes(static_cast<double>(event.bytes));
  const std::string rate = format_rate(rate_of(*fabric, of_class, event, cost), "B/s");
  Formula out;
  out.value = cost.total();
  out.facts = {{"takes", format_picoseconds(out.value),
                fmt::format("α + bytes / β = {} + {} / {}", format_picoseconds(cost.latency), bytes, rate)},
               {"latency α", format_picoseconds(cost.latency), "", source_of(hw, key + "latency_s")},
               {"bandwidth", format_picoseconds(cost.bandwidth), fmt::format("{} / {}", bytes, rate),
                source_of(hw, key + "bytes_per_s")}};
  return out;
}

const Computation& computation_of(const Program& program, int32_t instruction) {
  size_t last = 0;
  for (size_t i = 0; i < program.computations.size(); ++i) {
    if (program.global_index(ComputationId(static_cast<int32_t>(i)), InstructionId(0)) <= instruction)
      last = i;
  }
  return program.computations[last];
}

// A chip that is slower than its like takes its part more.
double speed_of(const ViewInput& input, int32_t device) {
  const auto fabric = Fabric::make(input.run.mesh, input.run.hardware, input.run.experiment.overrides);
  return fabric.ok() ? fabric->speed(device) : 1;
}

Picoseconds slowed(Picoseconds time, double speed) {
  return speed == 1 ? time : static_cast<Picoseconds>(std::ceil(static_cast<double>(time) / speed));
}

void tell_speed(double speed, Formula& out) {
  if (speed == 1) return;
  out.facts.front().formula += fmt::format(", / {}", format_percent(speed));
  out.facts.push_back({"speed", format_percent(speed), "of the chip's, as this run was asked for"});
}

std::optional<Formula> product_formula(const ViewInput& input, const Event& event,
                                       const Instruction& product) {
  const Hardware& hw = input.run.hardware;
  const Computation& computation = computation_of(input.run.program, event.instruction);
  if (product.operands.empty()) return std::nullopt;
  const DotSize dims = dot_size(computation, product);
  const ProductSize size{dims.batch, dims.m, dims.k, dims.n};
  const auto peak = peak_for(hw, computation.at(product.operands.front()).shape.type);
  const auto traffic = memory_rate(hw);
  if (!peak.ok() || !traffic.ok()) return std::nullopt;
  const auto cost = product_cost(hw, *peak, size, event.bytes);
  if (!cost.ok()) return std::nullopt;
  const double flops = padded_flops(hw, size), rate = compute_rate(hw, *peak);
  const auto bytes = static_cast<double>(event.bytes);
  const double speed = speed_of(input, event.device);
  Formula out;
  out.value = slowed(cost->compute, speed) + slowed(cost->memory, speed) + cost->overhead;
  out.facts = {
      {"takes", format_picoseconds(out.value),
       fmt::format("max(flops / peak, bytes / HBM) + launch = max({}, {}) + {}", format_seconds(flops / rate),
                   format_seconds(bytes / *traffic), format_picoseconds(cost->overhead))},
      {"product", fmt::format("{}×{}×{}", dims.m, dims.k, dims.n),
       fmt::format("{} padded to {}×{} tiles / {}", format_rate(flops, "FLOP"), hw.compute.mxu_rows,
                   hw.compute.mxu_cols, format_rate(rate, "FLOP/s")),
       source_of(hw, "compute.peak_flops_per_s")},
      {"memory", format_bytes(bytes),
       fmt::format("{} / {}", format_bytes(bytes), format_rate(*traffic, "B/s")),
       source_of(hw, "memory.hbm_bytes_per_s")}};
  tell_speed(speed, out);
  return out;
}

// Elementwise, reduce, copy, transpose, gather, scatter, sort: what it reads and writes goes through memory.
std::optional<Formula> memory_formula(const ViewInput& input, const Event& event) {
  const Hardware& hw = input.run.hardware;
  const auto rate = memory_rate(hw);
  const auto time = memory_time(hw, event.bytes);
  if (!rate.ok() || !time.ok()) return std::nullopt;
  const double speed = speed_of(input, event.device);
  const std::string bytes = format_bytes(static_cast<double>(event.bytes));
  Formula out;
  out.value = slowed(*time, speed);
  out.facts = {{"takes", format_picoseconds(out.value),
                fmt::format("bytes / HBM = {} / {}", bytes, format_rate(*rate, "B/s"))},
               {"reads and writes", bytes, "", source_of(hw, "memory.hbm_bytes_per_s")}};
  tell_speed(speed, out);
  return out;
}

std::optional<Formula> formula_of_kind(const ViewInput& input, const Event& event) {
  if (is_transfer(event)) return transfer_formula(input, event);
  const Instruction* instruction = find_instruction(input.run.program, event.instruction);
  if (instruction == nullptr) return std::nullopt;
  return event.flops > 0 ? product_formula(input, event, *instruction) : memory_formula(input, event);
}

std::optional<Event> cause_of(const ViewInput& input, const Event& event) {
  return event.cause >= 0 ? find_event(input, event.cause) : std::nullopt;
}

// What comes between the end of a cause and the start of what it lets start.
std::string on_top(const ViewInput& input, Picoseconds gap) {
  const Hardware& hw = input.run.hardware;
  const Picoseconds launch = to_picoseconds(hw.link.launch_overhead_s);
  if (launch > 0 && gap == launch) return "the launch of a collective";
  const auto fabric = Fabric::make(input.run.mesh, hw, input.run.experiment.overrides);
  if (!fabric.ok() || !fabric->link_error().ok()) return "";
  for (int32_t of_class = 0; of_class < fabric->link_classes(); ++of_class)
    if (gap == fabric->link_time(0, of_class).passes.latency) return "the latency α of the link";
  return "";
}

}  // namespace

std::optional<Formula> duration_formula(const ViewInput& input, const Event& event) {
  std::optional<Formula> out = formula_of_kind(input, event);
  if (out && out->value != event.end - event.start) out.reset();
  return out;
}

std::vector<Fact> duration_facts(const ViewInput& input, const Event& event) {
  if (auto formula = duration_formula(input, event)) return std::move(formula->facts);
  const char* why = is_transfer(event) ? "it is a kernel's, or waits for its last byte behind a slower link"
                                       : "a kernel's own schedule, or a what-if, makes its time";
  return {{"", fmt::format("No formula: {}.", why)}};
}

std::optional<Formula> start_formula(const ViewInput& input, const Event& event) {
  Formula out;
  out.value = event.start;
  Fact fact{"starts", format_picoseconds(event.start)};
  const auto cause = cause_of(input, event);
  if (!cause) {
    if (event.start != 0) return std::nullopt;
    fact.formula = "at once: it waits for nothing";
  } else if (const std::string name = event_name(input, event.cause); cause->end == event.start) {
    fact.formula = "when " + name + " ends";
  } else if (event.relayed && cause->instruction == event.instruction &&
             !on_top(input, event.start - cause->start).empty()) {
    fact.formula = fmt::format("{} after {} starts: {}", format_picoseconds(event.start - cause->start), name,
                               on_top(input, event.start - cause->start));
  } else if (const std::string top = on_top(input, event.start - cause->end); !top.empty()) {
    fact.formula =
        fmt::format("{} after {} ends: {}", format_picoseconds(event.start - cause->end), name, top);
  } else {
    return std::nullopt;
  }
  out.facts.push_back(std::move(fact));
  return out;
}

std::optional<Formula> collective_formula(const ViewInput& input, int32_t number) {
  if (input.story == nullptr || number < 0) return std::nullopt;
  const int32_t beat = input.story->beat_of(number);
  if (beat < 0) return std::nullopt;
  const auto& beats = input.story->beats();
  const std::vector<int32_t> steps = execution_of(*input.story, beat);
  if (steps.empty()) return std::nullopt;
  Formula out;
  std::vector<Picoseconds> times;
  std::vector<std::string> words;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Beat& step = beats[static_cast<size_t>(steps[i])];
    if (i > 0 && step.start != beats[static_cast<size_t>(steps[i - 1])].end) return std::nullopt;
    times.push_back(step.end - step.start);
    words.push_back(format_picoseconds(times.back()));
    out.value += times.back();
  }
  const bool alike = std::ranges::count(times, times.front()) == std::ssize(times);
  if (!alike && times.size() > kMostStepsNamed) return std::nullopt;
  out.facts.push_back(
      {"all steps", format_picoseconds(out.value),
       alike ? fmt::format("{} step{} × {}", times.size(), times.size() == 1 ? "" : "s", words[0])
             : join(words, " + ")});
  const Instruction* of = find_instruction(input.run.program, beats[static_cast<size_t>(beat)].instruction);
  if (of != nullptr && (of->opcode == Opcode::reduce_scatter || of->opcode == Opcode::all_reduce))
    out.facts.push_back(
        {"", "What arrives is added while the next part travels: the adds take no time of their own."});
  return out;
}

}  // namespace shardscope

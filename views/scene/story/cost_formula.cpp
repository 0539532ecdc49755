// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/cost_formula.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/measured_pace.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"
#include "engine/run/local_cost.h"
#include "engine/story/beat_facts.h"
#include "engine/story/sums/operation_name.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostStepsNamed = 6;

std::string source_of(const Hardware& hardware, const std::string& key) {
  const auto found = hardware.sources.find(key);
  return found == hardware.sources.end() ? "" : key + ": " + found->second;
}

// How a transfer's collective was timed, where the chip's measurements say so.
std::optional<MeasuredPace> measured_pace(const ViewInput& input, const Fabric& fabric, int32_t instruction) {
  const Run& run = input.run;
  if (run.hardware.link.ops.empty() || !fabric.link_error().ok()) return std::nullopt;
  const auto of = std::ranges::find(run.timeline.schedules, instruction, &TimedCollective::instruction);
  if (of == run.timeline.schedules.end()) return std::nullopt;
  return MeasuredPaces(run.hardware, fabric, run.program).of(*of->schedule, of->groups->members, of->bytes);
}

// β of the links that a message is on; those that are not as the chip says are told by what they do.
double rate_of(const Fabric& fabric, int32_t link_class, const Event& event, const Cost& cost) {
  const LinkCosts link = fabric.link_costs();
  if (link_class == 0) return link.bytes_per_s;
  if (fabric.node() > 0) return link.network_bytes_per_s;
  return static_cast<double>(event.bytes) / to_seconds(std::max<Picoseconds>(1, cost.bandwidth));
}

// What the chip's row says, and how the rate of messages came of it.
Fact measured_fact(const MeasuredPace& measured) {
  const LinkOp& op = *measured.op;
  std::vector<std::string> parts;
  if (op.bytes_per_s) parts.push_back("measured at " + format_rate(*op.bytes_per_s, "B/s"));
  if (op.in_switch) parts.emplace_back("the switch adds");
  if (op.ramp)
    parts.push_back(
        fmt::format("a ramp of {:.3g} s · bytes^{:.3g}, shared by all messages", op.ramp->c, op.ramp->gamma));
  if (op.parts)
    parts.push_back(fmt::format("parts of up to {}, a channel of {} each", format_bytes(op.parts->bytes),
                                format_rate(op.parts->bytes_per_s, "B/s")));
  return {"as measured", key_of(op), join(parts, "; ")};
}

std::optional<Formula> transfer_formula(const ViewInput& input, const Event& event) {
  const Hardware& hw = input.run.hardware;
  const auto fabric = Fabric::make(input.run.mesh, hw, input.run.experiment.overrides);
  if (!fabric.ok() || !fabric->link_error().ok()) return std::nullopt;
  const int32_t of_class = fabric->link_class({event.device, event.lane, link_end(input.run, event)});
  const auto measured = measured_pace(input, *fabric, event.instruction);
  const Cost cost = fabric->link_time(event.bytes, of_class, measured ? &measured->link : nullptr).passes;
  const std::string key = fabric->node() > 0 && of_class == 1 ? "network." : "link.";
  const std::string bytes = format_bytes(static_cast<double>(event.bytes));
  const bool as_measured = measured && of_class == 0;
  const std::string rate =
      format_rate(as_measured ? measured->link.bytes_per_s : rate_of(*fabric, of_class, event, cost), "B/s");
  const auto source = [&](const std::optional<double>& of_row, const char* in_row, const char* of_link) {
    return of_row ? source_of(hw, key_of(*measured->op) + in_row) : source_of(hw, key + of_link);
  };
  const std::optional<double> none;
  Formula out;
  out.value = cost.total();
  out.facts = {{"takes", format_picoseconds(out.value),
                fmt::format("α + bytes / β = {} + {} / {}", format_picoseconds(cost.latency), bytes, rate)},
               {"latency α", format_picoseconds(cost.latency), "",
                source(measured ? measured->op->step_s : none, ".step_s", "latency_s")},
               {"bandwidth", format_picoseconds(cost.bandwidth), fmt::format("{} / {}", bytes, rate),
                source(measured ? measured->op->bytes_per_s : none, ".bytes_per_s", "bytes_per_s")}};
  if (measured) out.facts.push_back(measured_fact(*measured));
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

// What a product that begins an overlapped round takes more than `value`; 0: it begins none.
Picoseconds sync_of(const Hardware& hw, const Event& event, Picoseconds value) {
  const Picoseconds sync = to_picoseconds(hw.overlap.sync_s);
  return event.end - event.start == value + sync ? sync : 0;
}

// What a product took longer because the chip's clock falls under power.
void tell_clock(const Hardware& hw, const Event& event, Formula& out) {
  const Picoseconds more = event.end - event.start - out.value;
  if (hw.programs.sustained == 1 || more <= 0) return;
  out.value += more;
  out.facts.front().value = format_picoseconds(out.value);
  out.facts.front().formula += " + clock";
  out.facts.push_back({"clock", format_picoseconds(more), "products fill the program, and the clock falls",
                       source_of(hw, "program.sustained")});
}

std::string padding_text(const Hardware& hw) {
  const auto& [rows, cols] = std::pair(hw.compute.mxu_rows, hw.compute.mxu_cols);
  if (!hw.compute.tile || !hw.compute.units) return fmt::format("padded to {}×{} tiles", rows, cols);
  const auto& [m, n, k] = *hw.compute.tile;
  return fmt::format("in whole waves of {} tiles of {}×{}×{}", *hw.compute.units, m, n, k);
}

// Of a product that a library does in tiles.
std::vector<Fact> tile_facts(const Hardware& hw, const ProductTiles& row, const TileChoice& choice,
                             double bytes) {
  const auto& [m, n, k] = choice.tile;
  const std::string parts = choice.parts > 1 ? fmt::format(", k in {} parts", choice.parts) : "";
  const double rate = *hw.memory.hbm_bytes_per_s * row.hbm_efficiency;
  const std::string key = "product." + std::string(name(row.types.front()));
  return {{"product", fmt::format("tiles of {}×{}×{}{}", m, n, k, parts),
           fmt::format("{} of {} units", counted(choice.waves, "wave"), row.units), source_of(hw, key)},
          {"memory", format_bytes(bytes),
           fmt::format("{} / {}", format_bytes(bytes), format_rate(rate, "B/s")), source_of(hw, key)}};
}

std::optional<Formula> product_formula(const ViewInput& input, const Event& event,
                                       const Instruction& product) {
  const Hardware& hw = input.run.hardware;
  const Computation& computation = computation_of(input.run.program, event.instruction);
  if (product.operands.empty()) return std::nullopt;
  const DotSize dims = dot_size(computation, product);
  const auto peak = peak_for(hw, multiplied_as(input.run.program, computation, product));
  const auto traffic = memory_rate(hw);
  if (!peak.ok() || !traffic.ok()) return std::nullopt;
  const ProductSize size = in_passes({dims.batch, dims.m, dims.k, dims.n}, peak->passes);
  int64_t once = product.shape.bytes();
  for (const InstructionId side : product.operands) once += computation.at(side).shape.bytes();
  const bool adds = event.bytes > once;
  const auto cost = product_cost(hw, *peak, size, event.bytes, adds);
  if (!cost.ok()) return std::nullopt;
  const double flops = padded_flops(hw, size), rate = compute_rate(hw, *peak);
  const auto bytes = static_cast<double>(event.bytes);
  const double speed = speed_of(input, event.device);
  Formula out;
  out.value = slowed(cost->compute, speed) + slowed(cost->memory, speed) + cost->overhead;
  const Picoseconds sync = sync_of(hw, event, out.value);
  out.value += sync;
  out.facts = {
      {"takes", format_picoseconds(out.value),
       fmt::format("max(flops / peak, bytes / HBM) + launch{} = max({}, {}) + {}{}",
                   sync > 0 ? " + sync" : "", format_seconds(flops / rate), format_seconds(bytes / *traffic),
                   format_picoseconds(cost->overhead), sync > 0 ? " + " + format_picoseconds(sync) : "")},
      {"product", fmt::format("{}×{}×{}", dims.m, dims.k, dims.n),
       fmt::format("{} {} / {}", format_rate(flops, "FLOP"), padding_text(hw), format_rate(rate, "FLOP/s")),
       source_of(hw, "compute.peak_flops_per_s")},
      {"memory", format_bytes(bytes),
       fmt::format("{} / {}", format_bytes(bytes), format_rate(*traffic, "B/s")),
       source_of(hw, "memory.hbm_bytes_per_s")}};
  if (const ProductTiles* row = product_tiles(hw, peak->type)) {
    const TileChoice choice = fastest_tiles(hw, *row, *peak, size, event.bytes, adds);
    out.facts.resize(1);
    out.facts[0].formula =
        fmt::format("max(tiles, bytes / HBM) + launch{} = max({}, {}) + {}{}", sync > 0 ? " + sync" : "",
                    format_seconds(choice.compute_s), format_seconds(choice.memory_s),
                    format_picoseconds(cost->overhead), sync > 0 ? " + " + format_picoseconds(sync) : "");
    for (Fact& fact : tile_facts(hw, *row, choice, bytes)) out.facts.push_back(std::move(fact));
  }
  if (sync > 0)
    out.facts.push_back({"sync", format_picoseconds(sync),
                         "a collective runs beside it: its round's devices meet",
                         source_of(hw, "overlap.sync_s")});
  tell_speed(speed, out);
  tell_clock(hw, event, out);
  return out;
}

// Elementwise, reduce, copy, transpose, gather, scatter, sort: what it reads and writes goes through memory.
std::optional<Formula> memory_formula(const ViewInput& input, const Event& event,
                                      const Instruction& instruction) {
  const Hardware& hw = input.run.hardware;
  if (event.start == event.end) {
    Formula nothing;
    nothing.facts = {{"takes", format_picoseconds(0), "the kernel of the product before does it"}};
    return nothing;
  }
  const auto rate = memory_rate(hw);
  const bool vectors =
      operation(instruction.opcode).cost == CostClass::memory && hw.compute.vector_flops_per_s.has_value();
  const double operations =
      vectors ? elementwise_operations(computation_of(input.run.program, event.instruction), instruction) : 0;
  const auto cost = elementwise_cost(hw, event.bytes, operations);
  if (!rate.ok() || !cost.ok()) return std::nullopt;
  const double speed = speed_of(input, event.device);
  const std::string bytes = format_bytes(static_cast<double>(event.bytes));
  Formula out;
  out.value = slowed(cost->compute, speed) + slowed(cost->memory, speed);
  const bool launched = cost->overhead > 0 && event.end - event.start == out.value + cost->overhead;
  std::string formula = fmt::format("bytes / HBM = {} / {}", bytes, format_rate(*rate, "B/s"));
  if (cost->compute > 0)
    formula = fmt::format("operations / vector units = {:.4g} / {}", operations,
                          format_rate(*hw.compute.vector_flops_per_s, "FLOP/s"));
  if (launched) formula += ", + launch " + format_picoseconds(cost->overhead);
  if (launched) out.value += cost->overhead;
  out.facts = {{"takes", format_picoseconds(out.value), formula},
               {"reads and writes", bytes, "", source_of(hw, "memory.hbm_bytes_per_s")}};
  if (launched)
    out.facts.push_back(
        {"launch", format_picoseconds(cost->overhead), "", source_of(hw, "compute.elementwise_launch_s")});
  else if (cost->overhead > 0)
    out.facts.push_back({"", "It is launched with what alone reads it."});
  tell_speed(speed, out);
  return out;
}

// A fusion or a custom-call: the longest of its products, its elements and its bytes.
std::optional<Formula> local_formula(const ViewInput& input, const Event& event,
                                     const Instruction& instruction) {
  const Hardware& hw = input.run.hardware;
  const auto local = local_cost(input.run.program, computation_of(input.run.program, event.instruction),
                                instruction, hw, input.run.experiment.module);
  if (!local.ok()) return std::nullopt;
  const double speed = speed_of(input, event.device);
  Formula out;
  out.value = slowed(local->cost.compute, speed) + slowed(local->cost.memory, speed) + local->cost.overhead;
  const Picoseconds sync = sync_of(hw, event, out.value);
  out.value += sync;
  const std::string launch =
      local->cost.overhead > 0 ? " + launch " + format_picoseconds(local->cost.overhead) : "";
  const bool timed = local->said && local->cost.memory == 0 && local->memory < local->cost.compute &&
                     local->products < local->cost.compute;
  out.facts = {{"takes", format_picoseconds(out.value),
                timed ? "as --custom-call says"
                      : fmt::format("max(products, elements, bytes / HBM) = max({}, {}, {}){}",
                                    format_picoseconds(local->products), format_picoseconds(local->vectors),
                                    format_picoseconds(local->memory), launch)}};
  if (local->flops > 0)
    out.facts.push_back({"products", format_rate(local->flops, "FLOP"),
                         fmt::format("{} with padding", format_rate(local->padded_flops, "FLOP")),
                         source_of(hw, "compute.peak_flops_per_s")});
  if (local->operations > 0)
    out.facts.push_back({"elements", fmt::format("{:.4g} operations", local->operations)});
  const std::string bytes = format_bytes(static_cast<double>(local->bytes));
  out.facts.push_back({"memory", bytes, fmt::format("{} / {}", bytes, format_rate(local->bytes_per_s, "B/s")),
                       source_of(hw, local->rate_key)});
  if (sync > 0)
    out.facts.push_back({"sync", format_picoseconds(sync),
                         "a collective runs beside it: its round's devices meet",
                         source_of(hw, "overlap.sync_s")});
  tell_speed(speed, out);
  if (local->flops > 0) tell_clock(hw, event, out);
  return out;
}

std::optional<Formula> formula_of_kind(const ViewInput& input, const Event& event) {
  if (is_transfer(event)) return transfer_formula(input, event);
  const Instruction* instruction = find_instruction(input.run.program, event.instruction);
  if (instruction == nullptr) return std::nullopt;
  const CostClass cost = operation(instruction->opcode).cost;
  if (cost == CostClass::called || cost == CostClass::custom)
    return local_formula(input, event, *instruction);
  return event.flops > 0 ? product_formula(input, event, *instruction)
                         : memory_formula(input, event, *instruction);
}

std::optional<Event> cause_of(const ViewInput& input, const Event& event) {
  return event.cause >= 0 ? find_event(input, event.cause) : std::nullopt;
}

// What comes between the end of a cause and the start of `event`, which it lets start.
std::string on_top(const ViewInput& input, const Event& event, Picoseconds gap) {
  const Hardware& hw = input.run.hardware;
  const auto fabric = Fabric::make(input.run.mesh, hw, input.run.experiment.overrides);
  if (!fabric.ok()) return "";
  const auto measured = measured_pace(input, *fabric, event.instruction);
  const Picoseconds launch = to_picoseconds(measured ? measured->launch_s : hw.link.launch_overhead_s);
  const Picoseconds sync = to_picoseconds(hw.overlap.sync_s);
  if (launch > 0 && gap == launch) return "the launch of a collective";
  if (sync > 0 && gap == launch + sync)
    return launch > 0 ? "the launch of a collective and the synchronisation of its round"
                      : "the synchronisation of its round";
  if (!fabric->link_error().ok()) return "";
  const LinkPace* pace = measured ? &measured->link : nullptr;
  for (int32_t of_class = 0; of_class < fabric->link_classes(); ++of_class)
    if (gap == fabric->link_time(0, of_class, pace).passes.latency) return "the latency α of the link";
  return "";
}

// When a transfer has left its port, which sends on while the message's latency passes; none: it holds a link
// to its end.
std::optional<Picoseconds> left_port(const ViewInput& input, const Event& event) {
  const Run& run = input.run;
  if (!is_transfer(event)) return std::nullopt;
  const auto fabric = Fabric::make(run.mesh, run.hardware, run.experiment.overrides);
  if (!fabric.ok() || !fabric->has_port() || !fabric->link_error().ok()) return std::nullopt;
  const auto measured = measured_pace(input, *fabric, event.instruction);
  const int32_t of_class = fabric->link_class({event.device, event.lane, link_end(run, event)});
  return event.start +
         fabric->link_time(event.bytes, of_class, measured ? &measured->link : nullptr).held.total();
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
  } else if (cause->end > event.start && left_port(input, *cause) == event.start) {
    fact.formula = "when " + name + " has left the port";
  } else if (event.relayed && cause->instruction == event.instruction &&
             !on_top(input, event, event.start - cause->start).empty()) {
    fact.formula = fmt::format("{} after {} starts: {}", format_picoseconds(event.start - cause->start), name,
                               on_top(input, event, event.start - cause->start));
  } else if (const std::string top = on_top(input, event, event.start - cause->end); !top.empty()) {
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
  out.facts.push_back({"all steps", format_picoseconds(out.value),
                       alike ? counted(times.size(), "step") + " × " + words[0] : join(words, " + ")});
  const Instruction* of = find_instruction(input.run.program, beats[static_cast<size_t>(beat)].instruction);
  if (of != nullptr && has(of->opcode, Trait::sums))
    out.facts.push_back(
        {"", "What arrives is added while the next part travels: the adds take no time of their own."});
  return out;
}

}  // namespace shardscope::inline views

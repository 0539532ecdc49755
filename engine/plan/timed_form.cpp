// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/timed_form.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "engine/base/text.h"
#include "engine/program/analysis/written_out.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/run/instruction_cost.h"

namespace shardscope::inline planner {
namespace {

struct Chip {
  const Hardware& hardware;
  const ModuleTiming& timing;
};

// Of one instruction after the other, what is called once each; collectives by their bytes on a link.
double seconds_of(const Program& program, const Computation& computation, const Chip& chip) {
  double seconds = 0;
  const std::vector<bool> by_product = done_by_products(program, computation, chip.hardware, chip.timing);
  for (size_t k = 0; k < by_product.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const CostClass kind = operation(i.opcode).cost;
    const auto cost =
        instruction_cost({program, computation, i, chip.hardware, chip.timing, false, by_product[k]});
    if (cost.ok()) seconds += to_seconds(cost->cost.total());
    if (kind == CostClass::link && chip.hardware.link.bytes_per_s)
      seconds += static_cast<double>(i.shape.bytes()) / *chip.hardware.link.bytes_per_s;
    if (kind != CostClass::called || i.opcode == Opcode::fusion) continue;
    for (const CalledComputation& c : i.called)
      seconds += seconds_of(program, program.computation(c.computation), chip);
  }
  return seconds;
}

using Named = std::function<bool(const Instruction&, const std::string&)>;

// That the instructions with these names are there; without a name, that any is.
template <class T>
Result<void> check_names(const Program& program, const std::vector<T>& said, const char* option,
                         const Named& has_name) {
  for (const T& one : said) {
    std::vector<std::string> names;
    bool found = false;
    for (const Computation& c : program.computations)
      for (const Instruction& i : c.instructions) {
        found = found || has_name(i, one.name);
        const std::string& target = custom_call_target(i);
        if (has_name(i, "")) names.push_back(target.empty() ? i.name : target);
      }
    if (found) continue;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    constexpr size_t kMostNamed = 12;
    if (names.size() > kMostNamed) names.resize(kMostNamed, "");
    return invalid(one.name.empty() ? "nothing in the module asks for it"
                                    : fmt::format("the module has no '{}'", one.name),
                   option, names.empty() ? "leave it out" : "there is " + join(names, ", "));
  }
  return {};
}

Result<void> check_names(const Program& program, const ModuleTiming& timing) {
  const auto of = [](Opcode opcode) {
    return [opcode](const Instruction& i, const std::string& name) {
      return i.opcode == opcode && (name.empty() || i.name == name);
    };
  };
  TRY_VOID(check_names(program, timing.take, "--take", of(Opcode::conditional)));
  TRY_VOID(check_names(program, timing.trip_counts, "--trip-count", of(Opcode::while_)));
  return check_names(program, timing.custom_calls, "--custom-call",
                     [](const Instruction& i, const std::string& name) {
                       return i.opcode == Opcode::custom_call &&
                              (name.empty() || i.name == name || custom_call_target(i) == name);
                     });
}

// The place of the branch that was asked for; none: nobody asked.
Result<std::optional<size_t>> asked_branch(const Program& program, const ModuleTiming& timing,
                                           const Instruction& conditional) {
  const TakenBranch* said = find_branch(timing, conditional.name);
  if (said == nullptr) return std::optional<size_t>();
  const bool by_truth = conditional.called.front().key == "true_computation";
  if (by_truth && (said->branch == "true" || said->branch == "false"))
    return std::optional<size_t>(said->branch == "true" ? 0 : 1);
  const auto number = parse_int(said->branch);
  if (number && *number >= 0 && *number < std::ssize(conditional.called))
    return std::optional<size_t>(static_cast<size_t>(*number));
  std::vector<std::string> names;
  for (size_t b = 0; b < conditional.called.size(); ++b) {
    names.push_back(program.computation(conditional.called[b].computation).name);
    if (names.back() == said->branch) return std::optional(b);
  }
  return invalid(fmt::format("'{}' has no branch '{}'", conditional.name, said->branch), "--take",
                 fmt::format("give {}0 to {}, or one of {}", by_truth ? "true, false, " : "",
                             conditional.called.size() - 1, join(names, ", ")));
}

// Only loops that are named, or whose rounds data decides, are as somebody said.
std::optional<int64_t> asked_rounds(const ModuleTiming& timing, const Instruction& loop, bool computed) {
  const TripCount* said = find_trip_count(timing, loop.name);
  if (said == nullptr || (said->name.empty() && computed)) return std::nullopt;
  return said->rounds;
}

// The type that a sum between devices was before a compiler widened it, because its target does not add that:
// its operand is converted to the wide type and its result back.
std::optional<ElementType> widened_from(const Computation& computation, size_t sum) {
  const Instruction& i = computation.instructions[sum];
  if (!has(i.opcode, Trait::sums) || i.shape.is_tuple) return {};
  const Instruction& wide = computation.at(i.operands[0]);
  if (wide.opcode != Opcode::convert) return {};
  const ElementType narrow = computation.at(wide.operands[0]).shape.type;
  if (byte_size(narrow, 1) >= byte_size(i.shape.type, 1)) return {};
  bool back = false;
  for (size_t k = sum + 1; k < computation.instructions.size(); ++k) {
    const Instruction& reader = computation.instructions[k];
    if (std::ranges::find(reader.operands, InstructionId(static_cast<int64_t>(sum))) == reader.operands.end())
      continue;
    if (reader.opcode != Opcode::convert || reader.shape.type != narrow) return {};
    back = true;
  }
  return back ? std::optional(narrow) : std::nullopt;
}

// Which sums are timed in a wider type than the module's author wrote.
void say_widened(const Program& program, std::vector<std::string>& assumptions) {
  std::string first;
  int64_t more = -1;
  for (const Computation& c : program.computations) {
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const auto narrow = widened_from(c, k);
      if (narrow && more++ < 0)
        first = fmt::format("'{}' sends {} for {}", c.instructions[k].name,
                            name(c.instructions[k].shape.type), name(*narrow));
    }
  }
  if (more < 0) return;
  const std::string others = more == 0 ? "" : fmt::format(", and so do {} more", more);
  assumptions.push_back(first + others +
                        ": the compiler that wrote the module widened the sum, and it is timed so");
}

}  // namespace

Result<TimedForm> timed_form(const Program& program, const Hardware& hardware, const ModuleTiming& timing) {
  TRY_VOID(check_names(program, timing));
  TimedForm out;
  say_widened(program, out.assumptions);
  if (!has_parts(program)) {
    out.program = program;
    return out;
  }
  const Chip chip{hardware, timing};
  DataDecisions decisions{
      [&](const Computation& branch) { return seconds_of(program, branch, chip); },
      [&](const Program& of, const Instruction& conditional) {
        return asked_branch(of, timing, conditional);
      },
      [&](const Instruction& loop, bool computed) { return asked_rounds(timing, loop, computed); }, true,
      timing.compile_as.value_or(compiler_of(hardware)) != CompileAs::none};
  TRY(out.program, written_out(program, &decisions));
  std::ranges::move(decisions.assumptions, std::back_inserter(out.assumptions));
  return out;
}

}  // namespace shardscope::inline planner

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_explain.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/partition/entry/partitioned_cost.h"
#include "engine/partition/entry/peak_memory.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_lines.h"
#include "engine/run/spans.h"
#include "engine/run/terms.h"
#include "engine/session/hlo_run.h"

namespace shardscope {
namespace {

struct Stay {
  int64_t rounds = 0;
  Picoseconds time = 0;
  int64_t bytes = 0;  // sent by all devices
};

// The known one that it is a round or a part of, or itself.
const std::string& known_name(const Instruction& i, const std::set<std::string>& known) {
  return known.contains(i.name) || !known.contains(source_name(i)) ? i.name : source_name(i);
}

std::map<std::string, Stay> stays_of(const Run& run, const std::set<std::string>& known) {
  std::map<std::pair<int32_t, int32_t>, TimeRange> spans;  // by instruction and device
  std::map<int32_t, int64_t> bytes;
  for (const Event& e : run.timeline.events) {
    if (e.kind != EventKind::transfer) continue;
    if (!e.relayed) bytes[e.instruction] += e.bytes;
    const auto [place, is_new] = spans.try_emplace({e.instruction, e.device}, TimeRange{e.start, e.end});
    if (is_new) continue;
    place->second.start = std::min(place->second.start, e.start);
    place->second.end = std::max(place->second.end, e.end);
  }
  std::map<int32_t, Picoseconds> longest;
  for (const auto& [who, span] : spans)
    longest[who.first] = std::max(longest[who.first], span.length());
  std::map<std::string, Stay> out;
  for (const auto& [instruction, time] : longest) {
    const Instruction& i = run.program.by_global_index(instruction);
    Stay& stay = out[known_name(i, known)];
    if (i.provenance->part == 0) ++stay.rounds;
    stay.time += time;
    stay.bytes += bytes[instruction];
  }
  return out;
}

// Bytes that a device sends in one execution of each collective, the mean; asynchronous ones in plain form.
std::map<std::string, double> bytes_of(const Program& program, const std::set<std::string>& known) {
  const std::optional<Program> rewritten = plain_program(program);
  const Program& plain = rewritten ? *rewritten : program;
  std::map<std::string, double> out;
  CollectiveBytes sent(plain);
  for (const Computation& c : plain.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) out[known_name(i, known)] += sent.of(c, i);
  return out;
}

// The names of what every instruction with two operands or more reads, by its own.
using OperandNames = std::unordered_map<std::string_view, std::array<std::string_view, 2>>;
OperandNames operand_names(const Program& module) {
  OperandNames out;
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions)
      if (i.operands.size() >= 2) out[i.name] = {c.at(i.operands[0]).name, c.at(i.operands[1]).name};
  return out;
}

// "lhs a" where the origin says which side of a product goes.
std::string operand_name(const OperandNames& names, const CollectiveOrigin& origin) {
  const bool rhs = origin.operand == "rhs";
  if (!rhs && origin.operand != "lhs") return "";
  const auto found = names.find(origin.instruction);
  return found == names.end() ? "" : origin.operand + " " + std::string(found->second[rhs ? 1 : 0]);
}

// Of the critical path, by the collective's own name.
std::map<std::string, Picoseconds> critical_of(const Run& run, const std::set<std::string>& known) {
  std::map<std::string, Picoseconds> out;
  for (const auto& [instruction, time] : critical_by_instruction(run.timeline))
    out[known_name(run.program.by_global_index(instruction), known)] += time;
  return out;
}

std::vector<ModuleCollective> collectives_of(const ExplainedModule& explained) {
  std::vector<ModuleCollective> out;
  const Program& program = *explained.program();
  std::map<std::string, const CollectiveOrigin*> origins;
  if (explained.partitioned)
    for (const CollectiveOrigin& o : explained.partitioned->collectives) origins[o.name] = &o;
  std::set<std::string> known;
  const OperandNames operands = operand_names(explained.module);
  for (const Computation& c : program.computations) {
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      if (!is_communication(i)) continue;
      known.insert(i.name);
      ModuleCollective one;
      const auto origin = origins.find(i.name);
      if (origin != origins.end()) {
        one.origin = *origin->second;
      } else {
        one.origin.name = one.origin.instruction = i.name;
        one.origin.source_line = source_line(program, i);
      }
      one.operand = operand_name(operands, one.origin);
      one.opcode = std::string(opcode_text(i));
      one.shape = i.shape.text();
      const std::string text = print_instruction(program, c, InstructionId(static_cast<int64_t>(k)));
      const char* key = i.permutation ? "source_target_pairs" : "replica_groups";
      if (const auto span = attribute_on(text, key))
        one.groups = text.substr(span->begin, span->end - span->begin);
      out.push_back(std::move(one));
    }
  }
  const std::map<std::string, double> bytes = bytes_of(program, known);
  for (ModuleCollective& one : out)
    if (const auto sent = bytes.find(one.origin.name); sent != bytes.end())
      one.origin.bytes_sent = sent->second;
  if (!explained.timed) return out;
  const auto stays = stays_of(*explained.timed, known);
  const auto critical = critical_of(*explained.timed, known);
  const Picoseconds total = explained.timed->timeline.total;
  for (ModuleCollective& one : out) {
    const auto on_path = critical.find(one.origin.name);
    one.critical_share = on_path == critical.end() || total == 0
                             ? 0.0
                             : static_cast<double>(on_path->second) / static_cast<double>(total);
    const auto stay = stays.find(one.origin.name);
    if (stay == stays.end() || stay->second.rounds == 0) continue;
    one.rounds = stay->second.rounds;
    one.time = stay->second.time;
    // What the timeline sends, as the command line says it.
    one.origin.bytes_sent = static_cast<double>(stay->second.bytes) /
                            static_cast<double>(explained.timed->mesh.device_count() * one.rounds);
  }
  return out;
}

const Instruction* instruction_named(const Program& program, const std::string& name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return &i;
  return nullptr;
}

// What instructions stand for in a module: themselves; a call or a fusion for all that it calls too, an
// annotation for what it annotates, a parameter of what is called for the call's operand.
class StandsFor {
 public:
  explicit StandsFor(const Program& module) : module_(module) {}

  std::set<std::string> operator()(const std::string& source) {
    out_.clear();
    add(source);
    return out_;
  }

 private:
  static bool inlined(const Instruction& i) { return has(i.opcode, Trait::inlined) && !i.called.empty(); }
  void add(const std::string& source) {
    if (!out_.insert(source).second) return;
    for (size_t k = 0; k < module_.computations.size(); ++k) {
      const Computation& c = module_.computations[k];
      for (const Instruction& i : c.instructions)
        if (i.name == source) follow(ComputationId(static_cast<int64_t>(k)), c, i);
    }
  }
  void follow(ComputationId here, const Computation& c, const Instruction& i) {
    if (inlined(i)) {
      for (const Instruction& inner : module_.computation(i.called.front().computation).instructions)
        if (inner.opcode != Opcode::parameter) add(inner.name);
    }
    if (i.opcode == Opcode::custom_call && i.sharding && i.operands.size() == 1)
      add(c.at(i.operands[0]).name);
    if (i.opcode != Opcode::parameter) return;
    for (const Computation& caller : module_.computations)
      for (const Instruction& call : caller.instructions)
        if (inlined(call) && call.called.front().computation == here)
          add(caller.at(call.operands[static_cast<size_t>(i.parameter_number)]).name);
  }

  const Program& module_;
  std::set<std::string> out_;
};

// By instruction of the module: those of the program that stand for it.
std::unordered_map<std::string, std::vector<std::string>> made_by_source(const ExplainedModule& module,
                                                                         const Program& program) {
  std::unordered_map<std::string, std::vector<std::string>> out;
  if (module.partitioned) {
    for (const MadeFor& m : module.partitioned->made_for) {
      std::vector<std::string>& made = out[m.source];
      if (made.empty() || made.back() != m.name) made.push_back(m.name);
    }
    return out;
  }
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) out[i.name] = {i.name};
  return out;
}

// What stands for a collective in a run is found where that is.
void place_rounds(const Program& timed, std::unordered_map<std::string, size_t>& places) {
  for (const Instruction& i : timed.entry_computation().instructions)
    if (const auto source = places.find(source_name(i)); source != places.end())
      places.try_emplace(i.name, source->second);
}

}  // namespace

const Program* ExplainedModule::program() const {
  if (partitioned) return &partitioned->program;
  return failure ? nullptr : &module;
}

double ExplainedModule::bytes_sent() const {
  double sum = 0;
  for (const ModuleCollective& c : collectives) sum += c.origin.bytes_sent * static_cast<double>(c.rounds);
  return sum;
}

std::vector<std::string> ExplainedModule::made_for(const std::string& source) const {
  std::vector<std::string> out;
  for (const std::string& each : StandsFor(module)(source))
    for (const std::string& name : directly_made_for(each))
      if (std::ranges::count(out, name) == 0) out.push_back(name);
  return out;
}

const std::vector<std::string>& ExplainedModule::directly_made_for(const std::string& source) const {
  static const std::vector<std::string> kNothing;
  const auto made = made_by_source.find(source);
  return made == made_by_source.end() ? kNothing : made->second;
}

std::optional<size_t> ExplainedModule::collective_named(const std::string& in_run) const {
  const auto place = collective_places.find(in_run);
  return place == collective_places.end() ? std::nullopt : std::optional(place->second);
}

std::vector<std::string> ExplainedModule::sources_of(const std::string& made) const {
  if (!partitioned) return failure ? std::vector<std::string>{} : std::vector<std::string>{made};
  std::vector<std::string> out;
  for (const MadeFor& m : partitioned->made_for)
    if (m.name == made && std::ranges::count(out, m.source) == 0) out.push_back(m.source);
  return out;
}

const Instruction* ExplainedModule::find(const std::string& source) const {
  return instruction_named(module, source);
}

std::optional<HloSharding> ExplainedModule::sharding_of(const std::string& source) const {
  const Instruction* own = find(source);
  if (own != nullptr && own->sharding) return own->sharding;
  if (!propagated) return std::nullopt;
  for (const Computation& c : propagated->module.computations) {
    for (const Instruction& i : c.instructions) {
      const auto written = propagated->renamed.find(i.name);
      if ((written == propagated->renamed.end() ? i.name : written->second) == source && i.sharding)
        return i.sharding;
    }
  }
  return std::nullopt;
}

std::vector<std::string> ExplainedModule::reasons(const std::string& source) const {
  if (!propagated) return {};
  std::vector<std::string> out = reasons_of(*propagated, source);
  for (const auto& [name, written] : propagated->renamed) {
    if (written != source) continue;
    for (std::string& reason : reasons_of(*propagated, name)) out.push_back(std::move(reason));
  }
  return out;
}

Result<ExplainedModule> explain_module(std::string_view text, std::string_view file_name,
                                       const ExplainOptions& options, std::stop_token stop) {
  const auto tell = [&](std::string what, double fraction) {
    if (options.progress) options.progress({std::move(what), fraction});
  };
  tell(said("reading"), 0);
  TRY(HloText read, read_hlo_or_mlir(text, file_name));
  if (stop.stop_requested()) return cancelled();
  ExplainedModule out;
  out.module = std::move(read.program);
  out.cut = std::move(read.cut);
  const bool came_partitioned = is_partitioned(out.module);
  ModuleRunOptions how;
  how.partition = options.partition;
  how.partition.stop = stop;
  how.asked = options.asked;
  how.check = CheckMode::off;
  how.progress = options.progress;
  how.partition.progress = [&](double part) { tell(said("partitioning"), 0.3 + 0.5 * part); };
  TRY(how.partition, asked_partition(how));
  if (how.partition.propagate && !came_partitioned) {
    tell(said("propagating shardings"), 0.1);
    auto spread = propagate(out.module, propagation_options(how.partition));
    if (!spread.ok() && spread.error().kind == ErrorKind::cancelled) return spread.error();
    if (spread.ok())
      how.partition.spread = out.propagated = std::make_shared<const PropagatedModule>(*std::move(spread));
  }
  auto ran = execute_module(out.module, how, stop);
  if (ran.ok()) {
    out.timed = ran->run;
    out.partitioned = std::move(ran->partitioned);
  } else {
    if (ran.error().kind == ErrorKind::cancelled) return ran.error();
    out.untimed = ran.error();
    if (!came_partitioned) {
      auto parts = partition(out.module, how.partition);
      if (parts.ok())
        out.partitioned = *std::move(parts);
      else
        out.failure = parts.error();
    }
  }
  if (stop.stop_requested()) return cancelled();
  const Program* program = out.program();
  if (program == nullptr) return out;
  out.made_by_source = made_by_source(out, *program);
  out.peak_bytes = out.partitioned ? out.partitioned->peak_bytes
                                   : peak_memory(*program, program->entry_computation()).bytes;
  out.collectives = collectives_of(out);
  for (size_t k = 0; k < out.collectives.size(); ++k)
    out.collective_places.try_emplace(out.collectives[k].origin.name, k);
  if (out.timed != nullptr) place_rounds(out.timed->program, out.collective_places);
  if (came_partitioned) out.same = same_everywhere(out.module);
  return out;
}

std::string why(const ModuleCollective& c) {
  std::string out = c.origin.name;
  if (c.origin.rule.empty()) {
    out += " was already in the module";
  } else {
    out += fmt::format(" is there because of the rule \"{}\": ", c.origin.rule);
    const std::string of = c.origin.instruction.empty() ? "" : " of " + c.origin.instruction;
    const std::string what = !c.operand.empty()         ? c.operand
                             : c.origin.operand.empty() ? "the value"
                                                        : c.origin.operand;
    const std::string way = c.origin.way();
    out += what + of + (way.empty() ? "" : " goes " + way);
  }
  if (!c.origin.source_line.empty()) out += "; " + c.origin.source_line;
  return out + ".";
}

}  // namespace shardscope

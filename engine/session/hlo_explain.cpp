// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_explain.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_lines.h"
#include "engine/request/fields.h"
#include "engine/run/spans.h"
#include "engine/run/terms.h"
#include "engine/session/hlo_run.h"
#include "engine/session/modules/compiled_memory.h"

namespace shardscope::inline session {
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
  for (const auto& [who, span] : spans) longest[who.first] = std::max(longest[who.first], span.length());
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

// Of each collective, how much it is about and what a device sends; asynchronous ones in plain form.
struct Volumes {
  std::map<std::string, int64_t> data;
  std::map<std::string, CollectiveTraffic> traffic;
};
Volumes volumes_of(const Program& program, const Hardware& hardware, const std::set<std::string>& known) {
  const std::optional<Program> rewritten = plain_program(program, PlainFor::time);
  const Program& plain = rewritten ? *rewritten : program;
  Volumes out;
  CollectiveBytes sent(plain);
  for (const Computation& c : plain.computations) {
    for (const Instruction& i : c.instructions) {
      if (!is_collective(i.opcode)) continue;
      out.data[known_name(i, known)] += collective_data(c, i);
      out.traffic[known_name(i, known)].bytes_sent += sent.of(c, i);
    }
  }
  for (auto& [name, traffic] : traffic_of(program, hardware, CollectiveAlgorithm::automatic))
    out.traffic[name] = std::move(traffic);
  return out;
}

// As the timeline sends them.
std::map<std::string, std::string> algorithms_of(const Run& run, const std::set<std::string>& known) {
  std::map<std::string, std::string> out;
  for (const TimedCollective& c : run.timeline.schedules)
    out[known_name(run.program.by_global_index(c.instruction), known)] = c.algorithm;
  return out;
}

// Of the critical path, by the collective's own name.
std::map<std::string, Picoseconds> critical_of(const Run& run, const std::set<std::string>& known) {
  std::map<std::string, Picoseconds> out;
  for (const auto& [instruction, time] : critical_by_instruction(run.timeline))
    out[known_name(run.program.by_global_index(instruction), known)] += time;
  return out;
}

// In program order, with nothing that depends on a chip.
std::vector<ModuleCollective> found_collectives(const ExplainedModule& explained) {
  std::vector<ModuleCollective> out;
  const Program& program = *explained.program();
  std::map<std::string, const CollectiveOrigin*> origins;
  const auto partitioned = explained.partitioned();
  if (partitioned != nullptr)
    for (const CollectiveOrigin& o : partitioned->collectives) origins[o.name] = &o;
  for (const Computation& c : program.computations) {
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      if (!is_communication(i)) continue;
      ModuleCollective one;
      const auto origin = origins.find(i.name);
      if (origin != origins.end()) {
        one.origin = *origin->second;
      } else {
        one.origin.name = one.origin.instruction = i.name;
        one.origin.source_line = source_line(program, i);
      }
      one.display_name = display_name(i);
      one.opcode = std::string(opcode_text(i));
      one.shape = i.shape.text();
      const std::string text = print_instruction(program, c, InstructionId(static_cast<int64_t>(k)));
      const char* key = i.permutation ? "source_target_pairs" : "replica_groups";
      if (const auto span = attribute_on(text, key))
        one.groups = text.substr(span->begin, span->end - span->begin);
      out.push_back(std::move(one));
    }
  }
  return out;
}

void add_volumes(const Volumes& volumes, std::vector<ModuleCollective>& collectives) {
  for (ModuleCollective& one : collectives) {
    if (const auto data = volumes.data.find(one.origin.name); data != volumes.data.end())
      one.origin.bytes = data->second;
    if (const auto sent = volumes.traffic.find(one.origin.name); sent != volumes.traffic.end()) {
      one.origin.bytes_sent = sent->second.bytes_sent;
      one.origin.algorithm = sent->second.algorithm;
    }
  }
}

void add_times(const Run& timed, const std::set<std::string>& known,
               std::vector<ModuleCollective>& collectives) {
  const auto algorithms = algorithms_of(timed, known);
  const auto stays = stays_of(timed, known);
  const auto critical = critical_of(timed, known);
  const Picoseconds total = timed.timeline.total;
  for (ModuleCollective& one : collectives) {
    const auto on_path = critical.find(one.origin.name);
    one.critical_share = on_path == critical.end() || total == 0
                             ? 0.0
                             : static_cast<double>(on_path->second) / static_cast<double>(total);
    const auto stay = stays.find(one.origin.name);
    if (stay == stays.end() || stay->second.rounds == 0) continue;
    if (const auto by = algorithms.find(one.origin.name); by != algorithms.end())
      one.origin.algorithm = by->second;
    one.rounds = stay->second.rounds;
    one.time = stay->second.time;
    // What the timeline sends, as the command line says it.
    one.origin.bytes_sent =
        static_cast<double>(stay->second.bytes) / static_cast<double>(timed.mesh.device_count() * one.rounds);
  }
}

std::vector<ModuleCollective> collectives_of(const ExplainedModule& explained, const Hardware& hardware) {
  std::vector<ModuleCollective> out = found_collectives(explained);
  std::set<std::string> known;
  for (const ModuleCollective& one : out) known.insert(one.origin.name);
  add_volumes(volumes_of(*explained.program(), hardware, known), out);
  if (explained.timed) add_times(*explained.timed, known, out);
  return out;
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

// What the devices run, before it is written out to be timed.
const ModuleStage& running_stage(const ExplainedModule& module) {
  return module.stages->kind == StageKind::timed ? *module.stages->before : *module.stages;
}

Result<Hardware> chosen_hardware(const std::map<std::string, std::string, std::less<>>& asked) {
  Experiment probe;
  if (const auto typed = asked.find("hardware"); typed != asked.end())
    TRY_VOID(put(*find_field("hardware"), probe, typed->second));
  return find_hardware(probe.hardware);
}

}  // namespace

std::shared_ptr<const PropagatedModule> ExplainedModule::propagated() const {
  return propagated_stage(stages);
}

std::shared_ptr<const Partitioned> ExplainedModule::partitioned() const {
  return partitioned_stage(stages);
}

const Program* ExplainedModule::program() const {
  return failure ? nullptr : &*running_stage(*this).program;
}

double ExplainedModule::bytes_sent() const {
  double sum = 0;
  for (const ModuleCollective& c : collectives) sum += c.origin.bytes_sent * static_cast<double>(c.rounds);
  return sum;
}

CollectiveVolume ExplainedModule::volume(const ModuleCollective& c) const {
  const Program* running = program();
  return volume_of(c.origin, running == nullptr ? 1 : running->mesh.device_count());
}

std::string ExplainedModule::display_name(const std::string& source) const {
  const Instruction* own = find(source);
  return own == nullptr ? source : shardscope::display_name(*own);
}

std::string ExplainedModule::display_name_of_made(const std::string& made) const {
  const Instruction* own = failure ? nullptr : running_stage(*this).program.find(made);
  return own == nullptr ? made : shardscope::display_name(*own);
}

std::vector<std::string> ExplainedModule::made_for(const std::string& source) const {
  std::vector<std::string> out;
  for (const std::string& each : StandsFor(module())(source))
    for (const std::string& name : directly_made_for(each))
      if (std::ranges::count(out, name) == 0) out.push_back(name);
  return out;
}

std::vector<std::string> ExplainedModule::directly_made_for(const std::string& source) const {
  if (failure) return {};
  return made_in(running_stage(*this), first_stage(*stages), source);
}

std::optional<size_t> ExplainedModule::collective_named(const std::string& in_run) const {
  const auto place = collective_places.find(in_run);
  if (place != collective_places.end()) return place->second;
  if (stages->kind != StageKind::timed) return std::nullopt;
  for (const std::string& source : sources_in(*stages->before, *stages, in_run))
    if (const auto of_source = collective_places.find(source); of_source != collective_places.end())
      return of_source->second;
  return std::nullopt;
}

std::vector<std::string> ExplainedModule::sources_of(const std::string& made) const {
  if (failure) return {};
  return sources_in(first_stage(*stages), running_stage(*this), made);
}

const Instruction* ExplainedModule::find(const std::string& source) const {
  return first_stage(*stages).program.find(source);
}

std::optional<HloSharding> ExplainedModule::sharding_of(const std::string& source) const {
  const Instruction* own = find(source);
  if (own != nullptr && own->sharding) return own->sharding;
  const auto spread = propagated();
  if (spread == nullptr) return std::nullopt;
  for (const std::string& name : made_in(*spread, first_stage(*stages), source))
    if (const Instruction& i = *spread->program.find(name); i.sharding) return i.sharding;
  return std::nullopt;
}

std::vector<std::string> ExplainedModule::reasons(const std::string& source) const {
  const auto spread = propagated();
  if (spread == nullptr) return {};
  std::vector<std::string> out;
  for (const std::string& name : made_in(*spread, first_stage(*stages), source))
    for (std::string& reason : reasons_of(*spread, name)) out.push_back(std::move(reason));
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
  out.stages = read_stage(std::move(read.program));
  out.cut = std::move(read.cut);
  const bool came_partitioned = is_partitioned(out.module());
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
    auto spread = propagate(out.stages, propagation_options(how.partition));
    if (!spread.ok() && spread.error().kind == ErrorKind::cancelled) return spread.error();
    if (spread.ok()) out.stages = shared_stage(*std::move(spread));
  }
  auto ran = execute_module(out.stages, how, stop);
  if (ran.ok()) {
    out.timed = ran->run;
    out.stages = ran->stages;
  } else {
    if (ran.error().kind == ErrorKind::cancelled) return ran.error();
    out.untimed = ran.error();
    if (!came_partitioned) {
      auto parts = partition(out.stages, how.partition);
      if (parts.ok())
        out.stages = shared_stage(*std::move(parts));
      else
        out.failure = parts.error();
    }
  }
  if (stop.stop_requested()) return cancelled();
  const Program* program = out.program();
  if (program == nullptr) return out;
  // Without a time the chip of an experiment that says none.
  const Result<Hardware> chosen = chosen_hardware(options.asked);
  TRY(const Hardware hardware, chosen.ok() ? chosen : find_hardware(Experiment().hardware));
  if (out.timed) {
    out.peak_bytes = static_cast<int64_t>(max_per_device(out.timed->timeline).peak_bytes);
  } else {
    TRY(const MemoryUse memory, compiled_memory(*program, hardware, {}, stop));
    out.peak_bytes = memory.bytes();
  }
  out.collectives = collectives_of(out, hardware);
  for (size_t k = 0; k < out.collectives.size(); ++k)
    out.collective_places.try_emplace(out.collectives[k].origin.name, k);
  if (came_partitioned) out.same = same_everywhere(out.module());
  return out;
}

std::string ExplainedModule::reason(const ModuleCollective& c) const {
  return why(c) + " " + say("Each time {}.", volume(c).text());
}

std::string why(const ModuleCollective& c) {
  const CollectiveOrigin& origin = c.origin;
  std::string out = c.display_name;
  if (origin.rule.empty()) {
    out += " was already in the module";
  } else {
    const bool is_side = origin.operand == "lhs" || origin.operand == "rhs";
    const std::string what = origin.operand == "result" ? "the result"
                             : origin.moved.empty()     ? "the value"
                             : is_side                  ? origin.operand + " " + origin.moved
                                                        : origin.moved;
    const std::string of = origin.consumer.empty() ? "" : " of " + origin.consumer;
    const std::string way = origin.way();
    out += fmt::format(" is there because of the rule \"{}\": {}{}", origin.rule, what, of) +
           (way.empty() ? "" : " goes " + way);
  }
  if (!origin.source_line.empty()) out += "; " + origin.source_line;
  return out + ".";
}

}  // namespace shardscope::inline session

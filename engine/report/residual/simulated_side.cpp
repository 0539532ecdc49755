// SPDX-License-Identifier: Apache-2.0
#include "engine/report/residual/simulated_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "engine/base/text.h"
#include "engine/collectives/measured_pace.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"
#include "engine/report/run_operations.h"
#include "engine/run/instruction_cost.h"
#include "engine/run/spans.h"
#include "engine/story/sums/operation_name.h"

namespace shardscope::inline report {
namespace {

constexpr auto at(ResidualTerm term) {
  return static_cast<size_t>(term);
}

// Durations by cause, before overlapping ones are counted once.
using Split = std::array<double, kResidualTerms.size()>;

// Of some instructions of one name, on the device.
struct Gathered {
  std::vector<int32_t> instructions;
  std::vector<TimeRange> spans;
  Split split{};
  Picoseconds critical = 0;
  std::vector<Picoseconds> starts;
  int64_t bytes = 0;  // of one compute event
  bool copies = false, computes = false;
};

const Computation* computation_of(const Program& program, int32_t instruction) {
  for (const Computation& c : program.computations) {
    if (instruction < std::ssize(c.instructions)) return &c;
    instruction -= static_cast<int32_t>(c.instructions.size());
  }
  return nullptr;
}

// What the events of a run take, by cause.
class EventSplit {
 public:
  explicit EventSplit(const Run& run)
      : run_(run),
        fabric_(Fabric::make(run.mesh, run.hardware, run.experiment.overrides)),
        sync_(to_picoseconds(run.hardware.overlap.sync_s)) {
    if (fabric_.ok()) paces_.emplace(run.hardware, *fabric_, run.program);
  }

  void add(const Event& e, Split& to) {
    const Picoseconds length = e.end - e.start;
    if (e.kind == EventKind::transfer) {
      const Picoseconds latency = std::min(length, latency_of(e));
      to[at(ResidualTerm::latency)] += static_cast<double>(latency);
      to[at(ResidualTerm::bandwidth)] += static_cast<double>(length - latency);
      return;
    }
    const Cost& cost = cost_of(e.instruction);
    const Picoseconds work = cost.compute + cost.memory, sync = synchronised(e);
    // What is launched with what it feeds has no launch of its own.
    const Picoseconds launch = length <= work ? 0 : std::min(length - sync, cost.overhead);
    const auto left = static_cast<double>(length - sync - launch);
    const double computes = work > 0 ? static_cast<double>(cost.compute) / static_cast<double>(work)
                                     : static_cast<double>(e.flops > 0);
    to[at(ResidualTerm::sync)] += static_cast<double>(sync);
    to[at(ResidualTerm::launch)] += static_cast<double>(launch);
    to[at(ResidualTerm::compute)] += left * computes;
    to[at(ResidualTerm::memory)] += left * (1 - computes);
  }

  // The launch of a collective passes before its first transfer; 0 of everything else.
  Picoseconds launch_of(int32_t instruction) {
    if (find_schedule(run_.timeline, instruction) == nullptr) return 0;
    const auto& pace = pace_of(instruction);
    return to_picoseconds(pace ? pace->launch_s : run_.hardware.link.launch_overhead_s);
  }

  // That part of an event of the chip, or of the `gap` before a transfer, in which its devices meet.
  Picoseconds synchronised(const Event& e, Picoseconds gap = 0) {
    if (sync_ == 0) return 0;
    if (e.kind == EventKind::transfer) return gap == launch_of(e.instruction) + sync_ ? sync_ : 0;
    return e.end - e.start == cost_of(e.instruction).total() + sync_ ? sync_ : 0;
  }

 private:
  Picoseconds latency_of(const Event& e) {
    if (!fabric_.ok() || !fabric_->link_error().ok()) return 0;
    const int32_t of_class = fabric_->link_class({e.device, e.lane, link_end(run_, e)});
    const auto& pace = pace_of(e.instruction);
    return fabric_->link_time(e.bytes, of_class, pace ? &pace->link : nullptr).passes.latency;
  }

  const std::optional<MeasuredPace>& pace_of(int32_t instruction) {
    const auto [found, is_new] = found_.try_emplace(instruction);
    const TimedCollective* timed = is_new ? find_schedule(run_.timeline, instruction) : nullptr;
    if (timed != nullptr && paces_ && fabric_->link_error().ok())
      found->second = paces_->of(*timed->schedule, timed->groups->members, timed->bytes);
    return found->second;
  }

  const Cost& cost_of(int32_t instruction) {
    const auto [found, is_new] = costs_.try_emplace(instruction);
    const Computation* computation = is_new ? computation_of(run_.program, instruction) : nullptr;
    if (computation != nullptr) {
      const Instruction& i = run_.program.by_global_index(instruction);
      const auto [by_product, first_of_it] = by_product_.try_emplace(computation);
      if (first_of_it)
        by_product->second =
            done_by_products(run_.program, *computation, run_.hardware, run_.experiment.module);
      const auto place = static_cast<size_t>(&i - computation->instructions.data());
      const auto cost = instruction_cost({run_.program, *computation, i, run_.hardware,
                                          run_.experiment.module, false, by_product->second[place]});
      if (cost.ok()) found->second = cost->cost;
    }
    return found->second;
  }

  const Run& run_;
  Result<Fabric> fabric_;
  Picoseconds sync_;
  std::optional<MeasuredPaces> paces_;
  std::map<int32_t, std::optional<MeasuredPace>> found_;
  std::map<int32_t, Cost> costs_;
  std::map<const Computation*, std::vector<bool>> by_product_;
};

// Each event of the path brings the end of the run nearer by what it ends after the one before.
std::map<int32_t, Picoseconds> critical_of(const Run& run) {
  std::map<int32_t, Picoseconds> out;
  Picoseconds before = 0;
  for (const int32_t number : run.timeline.critical_path.events) {
    const Event& e = run.timeline.events[static_cast<size_t>(number)];
    out[e.instruction] += e.end - before;
    before = e.end;
  }
  return out;
}

// Transfers that are the same but for their time belong to executions of their own.
auto face_of(const Event& e) {
  return std::tuple(e.device, e.peer, e.lane, e.chunk, e.chunk_count, e.transfer_step);
}

// What the first of an instruction's rounds is called, by what they were made from and by part.
class FirstTurns {
 public:
  explicit FirstTurns(const Program& program) : program_(program) {
    for (const Computation& c : program.computations)
      for (const Instruction& i : c.instructions)
        if (i.provenance->round == 0) first_.try_emplace({source_name(i), i.provenance->part}, &i);
  }

  const std::string& name(int32_t instruction) const {
    const Instruction& i = program_.by_global_index(instruction);
    if (i.provenance->round == 0) return i.name;
    const auto first = first_.find({source_name(i), i.provenance->part});
    return first == first_.end() ? source_name(i) : first->second->name;
  }

 private:
  const Program& program_;
  std::map<std::pair<std::string_view, int32_t>, const Instruction*> first_;
};

std::map<std::string, Gathered> gathered(const Run& run, int32_t device, EventSplit& split) {
  std::map<std::string, Gathered> out;
  std::map<int32_t, Gathered*> of;
  std::map<int32_t, const Event*> first;  // transfer, by instruction
  const auto critical = critical_of(run);
  const FirstTurns turns(run.program);
  for (const Event& e : run.timeline.events) {
    const auto [found, is_new] = of.try_emplace(e.instruction, nullptr);
    if (is_new) {
      found->second = &out[turns.name(e.instruction)];
      found->second->instructions.push_back(e.instruction);
      if (const auto share = critical.find(e.instruction); share != critical.end())
        found->second->critical += share->second;
    }
    Gathered& to = *found->second;
    const bool transfer = e.kind == EventKind::transfer;
    if (transfer ? !leaves_or_arrives(run, e, device) : e.device != device) continue;
    to.spans.push_back({e.start, e.end});
    split.add(e, to.split);
    if (!transfer) to.bytes = std::max(to.bytes, e.bytes);
    to.copies = to.copies || e.kind == EventKind::copy;
    to.computes = to.computes || e.flops > 0;
    if (transfer && face_of(*first.try_emplace(e.instruction, &e).first->second) != face_of(e)) continue;
    to.starts.push_back(e.start);
  }
  return out;
}

MeasuredKind kind_of(const Instruction& instruction, const Gathered& of) {
  if (is_collective(instruction.opcode)) return MeasuredKind::collective;
  if (of.computes) return MeasuredKind::product;
  return of.copies ? MeasuredKind::copy : MeasuredKind::elementwise;
}

OperationForm form_of(const Run& run, const Gathered& of) {
  const int32_t index = of.instructions.front();
  const Instruction& i = run.program.by_global_index(index);
  const OperationName called = operation_name(run.program, index);
  OperationForm out;
  out.kind = kind_of(i, of);
  out.opcode = plain_instruction(std::string(opcode_text(i.opcode)));
  out.dtype = name(i.shape.type);
  out.bytes = out.kind == MeasuredKind::product ? 0 : of.bytes;
  if (called.size.m > 0) {
    out.batch = called.size.batch, out.m = called.size.m, out.k = called.size.k, out.n = called.size.n;
    const Computation* where = computation_of(run.program, index);
    if (where != nullptr && !i.operands.empty()) out.dtype = name(where->at(i.operands.front()).shape.type);
  }
  if (const TimedCollective* timed = find_schedule(run.timeline, index); timed != nullptr) {
    const CollectiveSchedule& schedule = *timed->schedule;
    out.bytes = std::llround(device_bytes(schedule.kind(), timed->bytes, schedule.ranks()));
    if (schedule.kind() != CollectiveKind::permute) out.group = schedule.ranks();
  }
  return out;
}

// Overlapping events count once: their causes share what they cover together.
void set_times(const Gathered& of, Picoseconds launch, ResidualOperation& row) {
  const Picoseconds under_way = Spans(of.spans).length(), launches = launch * std::ssize(of.starts);
  double all = 0;
  for (const double part : of.split) all += part;
  Picoseconds left = under_way;
  for (size_t t = 0; t < of.split.size() && all > 0; ++t) {
    row.terms[t] = static_cast<Picoseconds>(static_cast<double>(under_way) * of.split[t] / all);
    left -= row.terms[t];
  }
  row.terms[static_cast<size_t>(std::ranges::max_element(row.terms) - row.terms.begin())] += left;
  row.terms[at(ResidualTerm::launch)] += launches;
  row.simulated = under_way + launches;
  if (!of.spans.empty()) row.range = hull_of(of.spans);
}

}  // namespace

std::string plain_instruction(const std::string& instruction) {
  std::string out = instruction;
  for (const std::string_view part : {"-start", "-done"})
    if (const size_t at = out.find(part); at != std::string::npos) out.erase(at, part.size());
  return out;
}

OperationForm form_of(const MeasuredOperation& o) {
  return {o.kind, plain_instruction(o.opcode), o.dtype, o.batch, o.m, o.k, o.n, o.bytes, o.group};
}

bool agree(const OperationForm& a, const OperationForm& b) {
  const auto differ = [](int64_t x, int64_t y) { return x != 0 && y != 0 && x != y; };
  if (a.kind != b.kind && a.kind != MeasuredKind::other && b.kind != MeasuredKind::other) return false;
  if (a.m > 0 && b.m > 0) {
    if (differ(a.batch, b.batch) || a.k != b.k) return false;
    return (a.m == b.m && a.n == b.n) || (a.m == b.n && a.n == b.m);
  }
  if (a.kind != MeasuredKind::collective || b.kind != MeasuredKind::collective) return true;
  if (!a.opcode.empty() && !b.opcode.empty() && a.opcode != b.opcode) return false;
  return !differ(a.bytes, b.bytes) && !differ(a.group, b.group);
}

bool same_form(const OperationForm& a, const OperationForm& b) {
  if (a.kind != b.kind || !agree(a, b)) return false;
  if (!a.dtype.empty() && !b.dtype.empty() && a.dtype != b.dtype) return false;
  if (a.kind == MeasuredKind::product) return a.m > 0 && b.m > 0;
  if (a.bytes == 0 || a.bytes != b.bytes) return false;
  return a.kind == MeasuredKind::copy || (!a.opcode.empty() && a.opcode == b.opcode);
}

Picoseconds synchronised_on_path(const Run& run) {
  EventSplit split(run);
  Picoseconds out = 0, before = 0;
  for (const int32_t number : run.timeline.critical_path.events) {
    const Event& e = run.timeline.events[static_cast<size_t>(number)];
    out += split.synchronised(e, e.start - before);
    before = e.end;
  }
  return out;
}

std::vector<SimulatedOperation> simulated_operations(const RunWithStory& simulated, int32_t device) {
  const Run& run = *simulated.run;
  const auto arrays =
      simulated.story != nullptr ? travelling_arrays(*simulated.story) : std::map<int32_t, std::string>();
  std::vector<SimulatedOperation> out;
  EventSplit split(run);
  for (auto& [called, of] : gathered(run, device, split)) {
    SimulatedOperation o;
    std::ranges::sort(of.instructions);
    std::ranges::sort(of.starts);
    o.row.instruction = called;
    o.row.instructions = of.instructions;
    const auto array = arrays.find(of.instructions.front());
    o.row.op =
        operation_key(run.program, of.instructions.front(), array == arrays.end() ? "" : array->second);
    o.row.critical = of.critical;
    o.row.count = std::ssize(of.starts);
    o.form = form_of(run, of);
    o.row.kind = o.form.kind;
    set_times(of, split.launch_of(of.instructions.front()), o.row);
    o.starts = std::move(of.starts);
    out.push_back(std::move(o));
  }
  std::ranges::stable_sort(out, {}, [](const auto& o) { return o.row.instructions.front(); });
  return out;
}

}  // namespace shardscope::inline report

// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/collectives/measured_pace.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/plan/collective_plan.h"
#include "engine/plan/power.h"
#include "engine/plan/rounds.h"
#include "engine/program/analysis/analysis.h"
#include "engine/run/instruction_cost.h"

namespace shardscope::inline planner {

namespace {

constexpr int32_t kNone = -1, kMany = -2;  // readers

size_t index(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// What times works.
struct Rates {
  const Program& program;
  const Computation& entry;
  const Hardware& hardware;
  const Fabric& fabric;
  const ModuleTiming& timing;
  MeasuredPaces paces;
  std::vector<bool> by_product;  // by instruction
  Rates(const Program& of, const Hardware& chip, const Fabric& links, const ModuleTiming& said)
      : program(of),
        entry(of.entry_computation()),
        hardware(chip),
        fabric(links),
        timing(said),
        paces(chip, links, of),
        by_product(done_by_products(of, entry, chip, said)) {}
  Result<LocalCost> local_cost(const WorkPlan& plan, InstructionId id) const {
    return instruction_cost({program, entry, entry.at(id), hardware, timing,
                             plan.fused_add[index(id)].valid(), by_product[index(id)]});
  }
};

// What planning reads, and what it has made so far.
struct Planning : Rates {
  CollectivePlanner collectives;
  std::vector<int32_t> readers;          // by instruction: its only reader, kNone or kMany
  std::vector<const KernelCall*> calls;  // by instruction
  std::map<const CollectiveGroups*, std::string> axes{};
  WorkPlan plan{};
};

void assume(WorkPlan& plan, const std::string& sentence) {
  if (sentence.empty()) return;
  auto& all = plan.assumptions;
  if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
}

// The dot that does this add; none for others.
InstructionId dot_of(const WorkPlan& plan, InstructionId add, const Instruction& i) {
  if (i.opcode != Opcode::add) return {};
  for (const InstructionId operand : i.operands)
    if (plan.fused_add[index(operand)] == add) return operand;
  return {};
}

Result<void> plan_called_collective(Planning& p, const Instruction& i, Work& work) {
  work.kind = WorkKind::collective;
  work.axis = join(collective_axes(p.program, i), ",");
  work.algorithm = work.call->kernel;
  work.why = "a kernel stands for it";
  work.cost = work.call->cost;
  work.bytes = work.call->hbm_bytes;
  work.groups = numbered(work.call->rings, p.fabric.devices());
  return p.fabric.link_error();
}

Result<void> time_collective(Rates& rates, Work& work) {
  if (work.schedule->steps() == 0) return {};
  TRY_VOID(rates.fabric.link_error());
  const auto measured = rates.paces.of(*work.schedule, work.groups->members, work.bytes);
  work.pace.reset();
  if (measured) work.pace = measured->link;
  work.cost.overhead = to_picoseconds(measured ? measured->launch_s : rates.hardware.link.launch_overhead_s);
  return {};
}

// Compilers make one kernel of elementwise work and what alone reads it.
bool feeds_elementwise(const Computation& computation, InstructionId id,
                       const std::vector<int32_t>& readers) {
  const auto elementwise = [&](InstructionId of) {
    return operation(computation.at(of).opcode).cost == CostClass::memory;
  };
  const int32_t by = readers[index(id)];
  return elementwise(id) && by >= 0 && elementwise(InstructionId(by));
}

std::vector<int32_t> readers_of(const Computation& computation) {
  std::vector<int32_t> out(computation.instructions.size(), kNone);
  for (size_t k = 0; k < out.size(); ++k) {
    for (const InstructionId operand : computation.instructions[k].operands) {
      int32_t& reader = out[index(operand)];
      reader = reader == kNone || reader == static_cast<int32_t>(k) ? static_cast<int32_t>(k) : kMany;
    }
  }
  return out;
}

void time_local(const Cost& cost, Work& work) {
  work.cost = cost;
  if (!work.launches) work.cost.overhead = 0;
}

Result<void> plan_collective(Planning& p, const Instruction& i, Work& work) {
  work.kind = WorkKind::collective;
  TRY(PlannedCollective planned, p.collectives.plan(work.instruction));
  assume(p.plan, planned.ignored);
  work.bytes = planned.timed.bytes;
  work.schedule = planned.timed.schedule;
  work.groups = planned.timed.groups;
  // Of like groups like axes; the devices of a permute are all in one group.
  auto& axis = p.axes[work.groups.get()];
  if (axis.empty() || i.permutation != nullptr) axis = join(collective_axes(p.program, i), ",");
  work.axis = axis;
  work.mesh_axes = std::move(planned.mesh_axes);
  work.rank_axes = std::move(planned.rank_axes);
  work.algorithm = planned.timed.algorithm;
  work.why = std::move(planned.why);
  const auto& alone = p.hardware.overlap.ops;
  work.alone = alone && std::ranges::find(*alone, name(work.schedule->kind())) == alone->end();
  return time_collective(p, work);
}

Result<void> plan_local(Planning& p, Work& work) {
  TRY(const LocalCost cost, p.local_cost(p.plan, work.instruction));
  for (const std::string& sentence : cost.assumptions) assume(p.plan, sentence);
  const bool copies = operation(p.entry.at(work.instruction).opcode).cost == CostClass::copy;
  work.kind = copies ? WorkKind::copy : WorkKind::compute;
  work.launches = !feeds_elementwise(p.entry, work.instruction, p.readers);
  time_local(cost.cost, work);
  if (work.call != nullptr) work.cost = work.call->cost;
  work.bytes = work.call != nullptr ? work.call->hbm_bytes : cost.bytes;
  work.flops = cost.flops;
  work.padded_flops = cost.padded_flops;
  work.draws_power = cost.draws_power;
  return {};
}

Result<Work> make_work(Planning& p, InstructionId id) {
  const Instruction& i = p.entry.at(id);
  Work work;
  work.instruction = id;
  work.global_index = p.program.global_index(p.program.entry, id);
  work.step = i.provenance->step;
  work.call = p.calls[index(id)];
  if (work.call != nullptr && work.call->is_collective()) {
    TRY_VOID(plan_called_collective(p, i, work));
  } else if (is_timed_collective(i)) {
    TRY_VOID(plan_collective(p, i, work));
  } else {
    TRY_VOID(plan_local(p, work));
  }
  return work;
}

// What an instruction waits for, instead of what `needs` holds.
void find_needs(const Instruction& i, const std::vector<SmallNeeds>& behind, Needs& needs) {
  needs.clear();
  for (const auto* before : {&i.operands, &*i.control_predecessors}) {
    for (const InstructionId earlier : *before) {
      const SmallNeeds& more = behind[index(earlier)];
      needs.insert(needs.end(), more.begin(), more.end());
    }
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
}

// What the next work waits for: one that does not run beside compute for all before it, all after it for it.
// `last_alone`: the last such, -1: none.
void put_in_its_place(const Work& work, int32_t number, Needs& needs, int32_t& last_alone) {
  if (work.alone) {
    needs.resize(static_cast<size_t>(number - std::max(last_alone, 0)));
    std::iota(needs.begin(), needs.end(), std::max(last_alone, 0));
    last_alone = number;
  } else if (const auto at = std::ranges::lower_bound(needs, last_alone);
             last_alone >= 0 && (at == needs.end() || *at != last_alone)) {
    needs.insert(at, last_alone);
  }
}

// Works that begin a round wait until its devices have met.
void synchronise(const Hardware& hardware, WorkPlan& plan) {
  for (Work& work : plan.works) {
    if (work.synchronises) work.cost.overhead += to_picoseconds(hardware.overlap.sync_s);
  }
}

// Joins stand behind the works.
void link_readers(const Dependencies& dependencies, WorkPlan& plan) {
  const auto works = static_cast<int32_t>(plan.works.size());
  const auto node = [&](int32_t need) {
    return need < Dependencies::kFirstJoin ? need : works + (need - Dependencies::kFirstJoin);
  };
  const auto each_need = [&](const auto& found) {
    int32_t reader = 0;
    for (size_t w = 0; w < dependencies.works(); ++w, ++reader)
      for (const int32_t need : dependencies.of_work(w)) found(node(need), reader);
    for (const Needs& needs : dependencies.joins()) {
      for (const int32_t need : needs) found(node(need), reader);
      ++reader;
    }
  };
  link_readers(dependencies.works() + dependencies.joins().size(), each_need, plan);
}

}  // namespace

std::vector<InstructionId> find_fused_adds(const Computation& computation, const std::vector<bool>& called) {
  const std::vector<InstructionId> dots = fused_dots(computation);
  std::vector<InstructionId> out(dots.size());
  for (size_t add = 0; add < dots.size(); ++add) {
    const InstructionId dot = dots[add];
    if (dot.valid() && !called[index(dot)]) out[index(dot)] = InstructionId(static_cast<int64_t>(add));
  }
  return out;
}

Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const PlanOptions& options, AlgorithmChooser& fastest,
                           const std::stop_token& stop) {
  const Computation& entry = program.entry_computation();
  const size_t count = entry.instructions.size();
  Planning p{Rates(program, hardware, fabric, options.module),
             CollectivePlanner(program, {hardware, fabric}, options.collective, fastest, stop),
             readers_of(entry), std::vector<const KernelCall*>(count)};
  std::vector<bool> called(count, false);
  for (const KernelCall& call : options.calls) {
    p.calls[index(call.instruction)] = &call;
    called[index(call.instruction)] = true;
  }
  p.plan.work_of.assign(count, -1);
  p.plan.fused_add = find_fused_adds(entry, called);
  std::vector<SmallNeeds> behind(count);  // by instruction: what is behind its value
  Needs needs;
  Dependencies dependencies;
  int32_t last_alone = -1;
  for (size_t k = 0; k < count; ++k) {
    const InstructionId id(static_cast<int64_t>(k));
    const Instruction& i = entry.instructions[k];
    find_needs(i, behind, needs);
    const InstructionId dot = dot_of(p.plan, id, i);
    if (dot.valid()) p.plan.work_of[k] = p.plan.work_of[index(dot)];
    if (dot.valid() || is_free(i)) {
      behind[k] = dependencies.shared(needs);
      continue;
    }
    TRY(Work work, make_work(p, id));
    const auto number = static_cast<int32_t>(p.plan.works.size());
    if (!options.overlap) needs.assign(number > 0 ? 1 : 0, number - 1);
    put_in_its_place(work, number, needs, last_alone);
    dependencies.add_work(needs);
    behind[k] = SmallNeeds(number);
    p.plan.work_of[k] = number;
    p.plan.works.push_back(std::move(work));
  }
  if (options.overlap) find_rounds(dependencies, p.plan);
  assume(p.plan, slow_by_power(hardware, p.plan));
  synchronise(hardware, p.plan);
  link_readers(dependencies, p.plan);
  leave_out(options.untimed, p.plan);
  return std::move(p.plan);
}

Result<void> require_countable(const WorkPlan& plan, const Fabric& fabric,
                               const std::vector<int64_t>& times) {
  double slowest = 1, products = 0;
  for (int32_t d = 0; d < fabric.devices(); ++d) slowest = std::min(slowest, fabric.speed(d));
  for (size_t w = 0; w < plan.works.size(); ++w) {
    const Cost& cost = plan.works[w].cost;
    if (plan.works[w].kind != WorkKind::compute) continue;
    const double once = static_cast<double>(cost.compute) + static_cast<double>(cost.memory) +
                        static_cast<double>(cost.overhead);
    products += once * (times.empty() ? 1 : static_cast<double>(times[w]));
  }
  if (products / slowest < static_cast<double>(kLongestTime)) return {};
  return too_big("its products take more than 105 days of simulated time, longer than is counted", "",
                 "say smaller sizes");
}

Result<void> time_works(const Program& program, const Hardware& hardware, const Fabric& fabric,
                        const ModuleTiming& timing, WorkPlan& plan) {
  Rates rates(program, hardware, fabric, timing);
  for (Work& work : plan.works) {
    CHECK(work.call == nullptr, "a kernel's time is another one's on other hardware");
    if (work.kind == WorkKind::collective) {
      TRY_VOID(time_collective(rates, work));
      continue;
    }
    TRY(const LocalCost cost, rates.local_cost(plan, work.instruction));
    time_local(cost.cost, work);
  }
  slow_by_power(hardware, plan);
  synchronise(hardware, plan);
  return {};
}

bool moves_devices(const Work& work, int32_t devices) {
  if (work.schedule->kind() != CollectiveKind::permute || work.schedule->ranks() != devices) return false;
  const std::vector<int32_t>& ranks = work.groups->rank_of;
  for (int32_t d = 0; d < devices; ++d)
    if (ranks[static_cast<size_t>(d)] != d) return false;
  return work.schedule->steps() == 1;
}

void leave_out(const Untimed& untimed, WorkPlan& plan) {
  for (const InstructionId instruction : untimed.instructions) {
    const int32_t number = plan.work_of[index(instruction)];
    if (number < 0) continue;
    Work& work = plan.works[static_cast<size_t>(number)];
    work.untimed = true;
    work.cost = {};
  }
  plan.untimed_events = untimed.events;
  std::sort(plan.untimed_events.begin(), plan.untimed_events.end());
}

}  // namespace shardscope::inline planner

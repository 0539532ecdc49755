// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/work.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/schedule/collective_plan.h"
#include "engine/schedule/work_costs.h"

namespace shardscope {

namespace {

using Needs = std::vector<int32_t>;  // works, sorted

// What planning reads, and what it has made so far.
struct Planning {
  const Program& program;
  const Computation& computation;
  const Hardware& hardware;
  const Fabric& fabric;
  CollectivePlanner collectives;
  std::vector<const KernelCall*> calls;  // by instruction
  WorkPlan plan{};
};

size_t index(InstructionId id) {
  return static_cast<size_t>(id.value);
}

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
  work.groups = p.collectives.numbered(work.call->rings);
  return p.fabric.link_error();
}

Result<void> time_collective(const Hardware& hardware, const Fabric& fabric, Work& work) {
  if (work.schedule->steps() == 0) return {};
  TRY_VOID(fabric.link_error());
  work.cost.overhead = to_picoseconds(hardware.link.launch_overhead_s);
  return {};
}

Result<void> plan_collective(Planning& p, const Instruction& i, Work& work) {
  work.kind = WorkKind::collective;
  work.axis = join(collective_axes(p.program, i), ",");
  TRY(PlannedCollective planned, p.collectives.plan(work.instruction));
  assume(p.plan, planned.ignored);
  work.bytes = planned.timed.bytes;
  work.schedule = planned.timed.schedule;
  work.groups = planned.timed.groups;
  work.mesh_axes = std::move(planned.mesh_axes);
  work.rank_axes = std::move(planned.rank_axes);
  work.algorithm = planned.timed.algorithm;
  work.why = std::move(planned.why);
  return time_collective(p.hardware, p.fabric, work);
}

Result<void> plan_local(Planning& p, const Instruction& i, Work& work) {
  const bool accumulates = p.plan.fused_add[index(work.instruction)].valid();
  TRY(const InstructionCost cost, instruction_cost({p.computation, i, p.hardware, accumulates}));
  for (const std::string& sentence : cost.assumptions) assume(p.plan, sentence);
  work.kind = cost.on_copy_lane ? WorkKind::copy : WorkKind::compute;
  work.cost = work.call != nullptr ? work.call->cost : cost.cost;
  work.bytes = work.call != nullptr ? work.call->hbm_bytes : cost.bytes;
  work.flops = cost.flops;
  work.padded_flops = cost.padded_flops;
  return {};
}

Result<Work> make_work(Planning& p, InstructionId id) {
  const Instruction& i = p.computation.at(id);
  Work work;
  work.instruction = id;
  work.global_index = p.program.global_index(p.program.entry, id);
  work.step = i.provenance.step;
  work.call = p.calls[index(id)];
  if (work.call != nullptr && work.call->is_collective()) {
    TRY_VOID(plan_called_collective(p, i, work));
  } else if (is_timed_collective(i)) {
    TRY_VOID(plan_collective(p, i, work));
  } else {
    TRY_VOID(plan_local(p, i, work));
  }
  return work;
}

// The works that an instruction waits for.
Needs needs_of(const Instruction& i, const std::vector<Needs>& behind) {
  Needs needs;
  for (const auto* before : {&i.operands, &i.control_predecessors}) {
    for (const InstructionId earlier : *before) {
      Needs merged;
      const Needs& more = behind[index(earlier)];
      std::set_union(needs.begin(), needs.end(), more.begin(), more.end(), std::back_inserter(merged));
      needs = std::move(merged);
    }
  }
  return needs;
}

// Readers of each work, from what each one waits for.
void link_readers(const std::vector<Needs>& work_needs, WorkPlan& plan) {
  plan.first_reader.assign(plan.works.size() + 1, 0);
  for (const Needs& needs : work_needs) {
    plan.waits_for.push_back(static_cast<int32_t>(needs.size()));
    for (const int32_t n : needs) ++plan.first_reader[static_cast<size_t>(n) + 1];
  }
  for (size_t w = 0; w < plan.works.size(); ++w) plan.first_reader[w + 1] += plan.first_reader[w];
  plan.readers.resize(static_cast<size_t>(plan.first_reader.back()));
  std::vector<int32_t> next(plan.first_reader.begin(), plan.first_reader.end() - 1);
  for (size_t w = 0; w < work_needs.size(); ++w)
    for (const int32_t n : work_needs[w])
      plan.readers[static_cast<size_t>(next[static_cast<size_t>(n)]++)] = static_cast<int32_t>(w);
}

}  // namespace

bool costs_nothing(const Computation& computation, const Instruction& i) {
  if (is_free(i) || i.opcode == Opcode::constant) return true;
  return i.opcode == Opcode::broadcast && computation.at(i.operands[0]).shape.rank() == 0;
}

std::vector<InstructionId> find_fused_adds(const Computation& computation, const std::vector<bool>& called) {
  std::vector<InstructionId> out(computation.instructions.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (computation.instructions[i].opcode != Opcode::add) continue;
    const InstructionId add(static_cast<int64_t>(i)), dot = fused_dot(computation, add);
    if (dot.valid() && !called[index(dot)]) out[index(dot)] = add;
  }
  return out;
}

Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const ScheduleOptions& options, const std::stop_token& stop) {
  const Computation& entry = program.entry_computation();
  const size_t count = entry.instructions.size();
  Planning p{program,
             entry,
             hardware,
             fabric,
             CollectivePlanner(program, fabric, options.collective, stop),
             std::vector<const KernelCall*>(count)};
  std::vector<bool> called(count, false);
  for (const KernelCall& call : options.calls) {
    p.calls[index(call.instruction)] = &call;
    called[index(call.instruction)] = true;
  }
  p.plan.work_of.assign(count, -1);
  p.plan.fused_add = find_fused_adds(entry, called);
  std::vector<Needs> behind(count);  // by instruction: the works behind its value
  std::vector<Needs> work_needs;
  for (size_t k = 0; k < count; ++k) {
    const InstructionId id(static_cast<int64_t>(k));
    const Instruction& i = entry.instructions[k];
    behind[k] = needs_of(i, behind);
    if (const InstructionId dot = dot_of(p.plan, id, i); dot.valid()) {
      p.plan.work_of[k] = p.plan.work_of[index(dot)];
      continue;
    }
    if (costs_nothing(entry, i)) continue;
    TRY(Work work, make_work(p, id));
    const auto number = static_cast<int32_t>(p.plan.works.size());
    if (!options.overlap) behind[k] = number > 0 ? Needs{number - 1} : Needs{};
    work_needs.push_back(std::move(behind[k]));
    behind[k] = {number};
    p.plan.work_of[k] = number;
    p.plan.works.push_back(std::move(work));
  }
  link_readers(work_needs, p.plan);
  leave_out(options.untimed, p.plan);
  return std::move(p.plan);
}

Result<void> time_works(const Program& program, const Hardware& hardware, const Fabric& fabric,
                        WorkPlan& plan) {
  const Computation& entry = program.entry_computation();
  for (Work& work : plan.works) {
    CHECK(work.call == nullptr, "a kernel's time is another one's on other hardware");
    if (work.kind == WorkKind::collective) {
      TRY_VOID(time_collective(hardware, fabric, work));
      continue;
    }
    const bool accumulates = plan.fused_add[index(work.instruction)].valid();
    TRY(const InstructionCost cost,
        instruction_cost({entry, entry.at(work.instruction), hardware, accumulates}));
    work.cost = cost.cost;
  }
  return {};
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

}  // namespace shardscope

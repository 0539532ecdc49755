// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/work.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/schedule/collective_plan.h"

namespace shardscope {

namespace {

// Beside views and scalars (is_free): an array of one constant, which its reader makes up.
bool costs_nothing(const Computation& computation, const Instruction& i) {
  if (is_free(i) || i.opcode == Opcode::constant) return true;
  return i.opcode == Opcode::broadcast && computation.at(i.operands[0]).shape.rank() == 0;
}

std::string place(const Instruction& instruction) {
  return fmt::format("%{}", instruction.name);
}

// A refusal names the instruction.
template <class T>
Result<T> at(const Instruction& instruction, Result<T> result) {
  if (result.ok()) return result;
  Error error = result.error();
  error.where = place(instruction);
  return error;
}

class Planner {
 public:
  Planner(const Program& program, const Hardware& hardware, const Fabric& fabric,
          const ScheduleOptions& options)
      : program_(program),
        computation_(program.entry_computation()),
        hardware_(hardware),
        fabric_(fabric),
        options_(options),
        collectives_(program, fabric, options.collective) {}

  Result<WorkPlan> plan() {
    const size_t count = computation_.instructions.size();
    plan_.work_of.assign(count, -1);
    plan_.fused_add.assign(count, InstructionId());
    calls_.assign(count, nullptr);
    for (const KernelCall& call : options_.calls) calls_[static_cast<size_t>(call.instruction.value)] = &call;
    for (size_t i = 0; i < count; ++i) {
      if (computation_.instructions[i].opcode != Opcode::add) continue;
      const InstructionId dot = fused_dot(computation_, InstructionId(static_cast<int64_t>(i)));
      if (dot.valid() && call_of(dot) == nullptr)  // a kernel writes its product and adds nothing to it
        plan_.fused_add[static_cast<size_t>(dot.value)] = InstructionId(static_cast<int64_t>(i));
    }
    needs_.resize(count);
    for (size_t i = 0; i < count; ++i) TRY_VOID(add(InstructionId(static_cast<int64_t>(i))));
    link_readers();
    return std::move(plan_);
  }

 private:
  Result<void> add(InstructionId id) {
    const Instruction& i = computation_.at(id);
    std::vector<int32_t> needs;  // the works that this one waits for, sorted
    for (const auto* before : {&i.operands, &i.control_predecessors}) {
      for (const InstructionId earlier : *before) {
        std::vector<int32_t> merged;
        const std::vector<int32_t>& more = needs_[static_cast<size_t>(earlier.value)];
        std::set_union(needs.begin(), needs.end(), more.begin(), more.end(), std::back_inserter(merged));
        needs = std::move(merged);
      }
    }
    for (const InstructionId operand : i.operands) {
      // The add of a dot into an accumulator: the dot's work, at no further cost.
      if (i.opcode == Opcode::add && plan_.fused_add[static_cast<size_t>(operand.value)] == id) {
        plan_.work_of[static_cast<size_t>(id.value)] = plan_.work_of[static_cast<size_t>(operand.value)];
        needs_[static_cast<size_t>(id.value)] = std::move(needs);
        return {};
      }
    }
    if (costs_nothing(computation_, i)) {
      needs_[static_cast<size_t>(id.value)] = std::move(needs);
      return {};
    }
    TRY(Work work, make(id));
    const int32_t number = static_cast<int32_t>(plan_.works.size());
    if (!options_.overlap) needs = number > 0 ? std::vector<int32_t>{number - 1} : std::vector<int32_t>{};
    work_needs_.push_back(std::move(needs));
    plan_.works.push_back(std::move(work));
    plan_.work_of[static_cast<size_t>(id.value)] = number;
    needs_[static_cast<size_t>(id.value)] = {number};
    return {};
  }

  Result<Work> make(InstructionId id) {
    const Instruction& i = computation_.at(id);
    Work work;
    work.instruction = id;
    work.global_index = program_.global_index(program_.entry, id);
    work.step = i.provenance.step;
    work.call = call_of(id);
    if (work.call != nullptr && work.call->is_collective()) return called(std::move(work), i);
    if (is_timed_collective(i)) return collective(std::move(work), i);
    if (i.opcode == Opcode::ragged_dot)
      assume("a grouped product takes as long on every device as on the one with the most rows");
    if (i.opcode == Opcode::ragged_dot || product_dims(computation_, i)) return dot(std::move(work), i);
    if (i.opcode == Opcode::copy || i.opcode == Opcode::transpose) {
      work.kind = WorkKind::copy;
    } else if (!is_elementwise(i.opcode) && i.opcode != Opcode::reduce && i.opcode != Opcode::broadcast &&
               i.opcode != Opcode::pad && i.opcode != Opcode::reverse && i.opcode != Opcode::iota) {
      return invalid(
          fmt::format("no cost rule for {}",
                      i.opcode == Opcode::unknown ? std::string_view(i.opcode_name) : opcode_text(i.opcode)),
          place(i));
    }
    work.bytes = bytes_touched(i);
    TRY(work.cost.memory, hbm_time(work.bytes, i));
    return work;
  }

  int64_t bytes_touched(const Instruction& i) const {
    int64_t bytes = i.shape.bytes();
    for (const InstructionId operand : i.operands) bytes += computation_.at(operand).shape.bytes();
    return bytes;
  }

  Result<Picoseconds> hbm_time(int64_t bytes, const Instruction& i) const {
    return at(i, memory_time(hardware_, bytes));
  }

  Result<Work> dot(Work work, const Instruction& i) {
    const DotSize dims = dot_size(computation_, i);
    const ProductSize size{dims.batch, dims.m, dims.k, dims.n};
    work.flops = dot_flops(computation_, i);
    work.padded_flops = padded_flops(hardware_, size);
    work.bytes = bytes_touched(i);
    if (plan_.fused_add[static_cast<size_t>(work.instruction.value)].valid()) work.bytes += i.shape.bytes();
    TRY(const Peak peak, peak_for(hardware_, computation_.at(i.operands[0]).shape.type));
    if (!peak.assumption.empty()) assume(peak.assumption);
    TRY(work.cost, at(i, product_cost(hardware_, peak, size, work.bytes)));
    if (work.call != nullptr) {
      work.cost = work.call->cost;
      work.bytes = work.call->hbm_bytes;
    }
    return work;
  }

  const KernelCall* call_of(InstructionId id) const { return calls_[static_cast<size_t>(id.value)]; }

  Result<Work> called(Work work, const Instruction& i) {
    work.kind = WorkKind::collective;
    work.axis = join(collective_axes(program_, i), ",");
    work.algorithm = work.call->kernel;
    work.why = "a kernel stands for it";
    work.cost = work.call->cost;
    work.bytes = work.call->hbm_bytes;
    work.groups = collectives_.numbered(work.call->rings);
    TRY_VOID(fabric_.link_error());
    return work;
  }

  Result<Work> collective(Work work, const Instruction& i) {
    work.kind = WorkKind::collective;
    work.axis = join(collective_axes(program_, i), ",");
    TRY(PlannedCollective planned, collectives_.plan(work.instruction));
    if (!planned.ignored.empty()) assume(planned.ignored);
    work.bytes = planned.timed.bytes;
    work.schedule = planned.timed.schedule;
    work.groups = planned.timed.groups;
    work.mesh_axes = std::move(planned.mesh_axes);
    work.rank_axes = std::move(planned.rank_axes);
    work.algorithm = planned.timed.algorithm;
    work.why = std::move(planned.why);
    if (work.schedule->steps() == 0) return work;
    TRY_VOID(fabric_.link_error());
    work.cost.overhead = to_picoseconds(hardware_.link.launch_overhead_s);
    return work;
  }

  void assume(const std::string& sentence) {
    auto& all = plan_.assumptions;
    if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
  }

  void link_readers() {
    plan_.first_reader.assign(plan_.works.size() + 1, 0);
    for (const auto& needs : work_needs_) {
      plan_.waits_for.push_back(static_cast<int32_t>(needs.size()));
      for (const int32_t n : needs) ++plan_.first_reader[static_cast<size_t>(n) + 1];
    }
    for (size_t w = 0; w < plan_.works.size(); ++w) plan_.first_reader[w + 1] += plan_.first_reader[w];
    plan_.readers.resize(static_cast<size_t>(plan_.first_reader.back()));
    std::vector<int32_t> next(plan_.first_reader.begin(), plan_.first_reader.end() - 1);
    for (size_t w = 0; w < work_needs_.size(); ++w) {
      for (const int32_t n : work_needs_[w]) {
        plan_.readers[static_cast<size_t>(next[static_cast<size_t>(n)]++)] = static_cast<int32_t>(w);
      }
    }
  }

  const Program& program_;
  const Computation& computation_;
  const Hardware& hardware_;
  const Fabric& fabric_;
  const ScheduleOptions& options_;
  CollectivePlanner collectives_;
  WorkPlan plan_;
  std::vector<const KernelCall*> calls_;          // by instruction
  std::vector<std::vector<int32_t>> needs_;       // by instruction: the works behind its value
  std::vector<std::vector<int32_t>> work_needs_;  // by work
};

}  // namespace

Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const ScheduleOptions& options) {
  return Planner(program, hardware, fabric, options).plan();
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/work.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

#include "engine/base/text.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/collectives/permute.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/schedule/group_shape.h"

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

Error missing_field(const char* field, const Hardware& hardware, const Instruction& instruction) {
  return invalid(fmt::format("{} of {} is not published", field, hardware.name), place(instruction),
                 fmt::format("give {} in a hardware file", field));
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
        algorithms_(program, fabric, options.collective) {}

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
    if (collective_kind(i) || i.opcode == Opcode::ragged_all_to_all) return collective(std::move(work), i);
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
    if (!hardware_.memory.hbm_bytes_per_s) return missing_field("memory.hbm_bytes_per_s", hardware_, i);
    return to_picoseconds(static_cast<double>(bytes) /
                          (*hardware_.memory.hbm_bytes_per_s * hardware_.memory.hbm_efficiency));
  }

  // A weight-stationary array of rows × cols holds a tile of k × n; m streams through it.
  Result<Work> dot(Work work, const Instruction& i) {
    const DotSize size = dot_size(computation_, i);
    const auto padded = [](int64_t extent, int64_t tile) {
      return static_cast<double>(ceil_div(extent, tile) * tile);
    };
    work.flops = dot_flops(computation_, i);
    work.padded_flops = 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) *
                        padded(size.n, hardware_.compute.mxu_cols) *
                        padded(size.k, hardware_.compute.mxu_rows);
    work.bytes = bytes_touched(i);
    if (plan_.fused_add[static_cast<size_t>(work.instruction.value)].valid()) work.bytes += i.shape.bytes();
    TRY(const Peak peak, peak_for(hardware_, computation_.at(i.operands[0]).shape.type));
    if (!peak.assumption.empty()) assume(peak.assumption);
    const Picoseconds compute =
        to_picoseconds(work.padded_flops / (peak.flops_per_s * hardware_.compute.efficiency));
    TRY(const Picoseconds memory, hbm_time(work.bytes, i));
    (compute >= memory ? work.cost.compute : work.cost.memory) = std::max(compute, memory);
    work.cost.overhead = to_picoseconds(hardware_.compute.launch_overhead_s);
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
    work.groups = numbered(work.call->rings);
    TRY_VOID(fabric_.link_error());
    return work;
  }

  Result<Work> collective(Work work, const Instruction& i) {
    work.kind = WorkKind::collective;
    work.axis = join(collective_axes(program_, i), ",");
    if (i.opcode == Opcode::ragged_all_to_all) {
      TRY_VOID(ragged(work, i));
    } else if (*collective_kind(i) == CollectiveKind::permute) {
      permute(work, i);
    } else {
      TRY_VOID(group_collective(work, i));
    }
    if (work.schedule->steps() > 0) TRY_VOID(fabric_.link_error());
    work.cost.overhead = work.schedule->steps() > 0 ? to_picoseconds(hardware_.link.launch_overhead_s) : 0;
    return work;
  }

  void permute(Work& work, const Instruction& i) {
    work.algorithm = "permute";
    if (everyone_ == nullptr) everyone_ = numbered(all_devices());
    work.groups = everyone_;
    work.bytes = collective_bytes(computation_, i, fabric_.devices());
    std::vector<GroupAxis> axes;
    for (int a = 0; a < program_.mesh.rank(); ++a) {
      work.mesh_axes.push_back(a);
      work.rank_axes.push_back(static_cast<int32_t>(program_.mesh.axis_size(a)));
      axes.push_back({work.rank_axes.back(), fabric_.axis_wraps(a)});
    }
    auto& schedule = permutes_[i.permutation.get()];
    if (schedule == nullptr) schedule = permute_schedule(i.permutation, fabric_.devices(), axes);
    work.schedule = schedule;
  }

  // Rows go straight to where they belong; their numbers are those of the program's constant tables.
  Result<void> ragged(Work& work, const Instruction& i) {
    const auto groups = device_groups(program_, i);
    TRY(const std::vector<int64_t> sizes, ragged_sizes(program_, i, groups[0]));
    for (const std::vector<DeviceId>& group : groups) {
      TRY(const std::vector<int64_t> others, ragged_sizes(program_, i, group));
      if (others != sizes)
        return invalid("groups that exchange different numbers of rows cannot be timed yet", place(i));
    }
    work.groups = numbered(members_of(i));
    const auto ranks = static_cast<int32_t>(groups[0].size());
    const GroupPlace shape = group_place(program_.mesh, fabric_, work.groups->members[0]);
    work.mesh_axes = shape.mesh_axes;
    work.rank_axes = shape.rank_axes;
    work.algorithm = name(CollectiveAlgorithm::direct);
    auto lowered = lower_ragged(sizes, ranks);
    if (!lowered.ok()) return invalid(lowered.error().what, place(i));
    work.schedule = *lowered;
    const int64_t rows = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    work.bytes = rows * (i.shape.bytes() / std::max<int64_t>(1, i.shape.dims[0]));
    return {};
  }

  Result<void> group_collective(Work& work, const Instruction& i) {
    const CollectiveKind kind = *collective_kind(i);
    auto& groups = groups_[tile_assignment_text(i.replica_groups.tiles)];
    if (groups == nullptr || !i.replica_groups.ragged.empty()) groups = numbered(members_of(i));
    work.groups = groups;
    for (const auto& members : groups->members) {
      if (members.size() != groups->members[0].size()) {
        return invalid("replica groups of different sizes cannot be timed yet", place(i));
      }
    }
    const int32_t ranks = static_cast<int32_t>(groups->members[0].size());
    work.bytes = collective_bytes(computation_, i, ranks);
    const GroupPlace shape = group_place(program_.mesh, fabric_, groups->members[0]);
    work.mesh_axes = shape.mesh_axes;
    work.rank_axes = shape.rank_axes;
    TRY(const AlgorithmFinder::Found found, algorithms_.find(i, ranks, shape));
    work.algorithm = name(found.algorithm);
    work.why = found.why;
    if (!found.ignored.empty()) assume(found.ignored);
    auto lowered = lower(kind, found.algorithm, ranks, shape.topology, work.bytes);
    if (!lowered.ok()) {
      Error error = lowered.error();
      error.where = place(i);
      return error;
    }
    work.schedule = *lowered;
    return {};
  }

  void assume(const std::string& sentence) {
    auto& all = plan_.assumptions;
    if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
  }

  std::vector<std::vector<int32_t>> all_devices() const {
    std::vector<int32_t> all;
    for (int32_t d = 0; d < fabric_.devices(); ++d) all.push_back(d);
    return {all};
  }

  std::vector<std::vector<int32_t>> members_of(const Instruction& i) const {
    std::vector<std::vector<int32_t>> out;
    for (const std::vector<DeviceId>& group : device_groups(program_, i)) {
      out.emplace_back();
      for (const DeviceId device : group) out.back().push_back(device.value);
    }
    return out;
  }

  std::shared_ptr<const Groups> numbered(std::vector<std::vector<int32_t>> members) const {
    auto groups = std::make_shared<Groups>();
    groups->group_of.assign(static_cast<size_t>(fabric_.devices()), -1);
    groups->rank_of.assign(static_cast<size_t>(fabric_.devices()), -1);
    for (size_t g = 0; g < members.size(); ++g) {
      for (size_t r = 0; r < members[g].size(); ++r) {
        groups->group_of[static_cast<size_t>(members[g][r])] = static_cast<int32_t>(g);
        groups->rank_of[static_cast<size_t>(members[g][r])] = static_cast<int32_t>(r);
      }
    }
    groups->members = std::move(members);
    return groups;
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
  AlgorithmFinder algorithms_;
  WorkPlan plan_;
  std::vector<const KernelCall*> calls_;          // by instruction
  std::vector<std::vector<int32_t>> needs_;       // by instruction: the works behind its value
  std::vector<std::vector<int32_t>> work_needs_;  // by work
  std::map<std::string, std::shared_ptr<const Groups>> groups_;
  std::map<const Permutation*, std::shared_ptr<const CollectiveSchedule>> permutes_;
  std::shared_ptr<const Groups> everyone_;
};

}  // namespace

Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const ScheduleOptions& options) {
  return Planner(program, hardware, fabric, options).plan();
}

}  // namespace shardscope

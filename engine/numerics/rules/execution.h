// SPDX-License-Identifier: Apache-2.0
// What the rules that run instructions share: the program being executed, the computation, the instruction.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/collectives/schedule.h"
#include "engine/numerics/plan/computation_plan.h"
#include "engine/numerics/plan/sum_order.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/rules/device_value.h"
#include "engine/numerics/rules/packed_matrices.h"

namespace shardscope::inline numerics {

using GroupMembers = std::vector<std::vector<DeviceId>>;
using ArrayViews = std::vector<std::vector<ViewPtr>>;  // [array][device]

// What an instruction of the program made, by device; `values` are gone when the observer returns.
struct Observed {
  const Computation& computation;
  InstructionId instruction;
  const DeviceValues& values;
};
using Observer = std::function<void(const Observed&)>;

struct Step;
class DeviceTransport;

// One program on all devices of its mesh, executed again and again: what is made once is kept here.
struct Execution {
  const Program& program;
  const Workers& workers;
  bool trap_slices = false;  // a dynamic-slice out of range is an error instead of HLO's clamp
  Isa isa = Isa::baseline;
  size_t devices = 0;
  int64_t parts = 0;        // computations that the entry has called so far, rounds of loops among them
  double loop_seconds = 0;  // of work, estimated, in rounds of loops so far
  double most_loop_seconds = std::numeric_limits<double>::infinity();
  bool shaken = false;  // see shaken.h
  std::stop_token stop{};
  std::function<void(double)> progress{};
  Observer observer{};
  std::function<Result<void>(Step&)> after{};  // each instruction of the entry, before its operands go
  BufferPool pool{};
  ScalarViews scalars{};
  std::map<const Computation*, ComputationPlan> plans{};
  std::map<const Instruction*, GroupMembers> groups{};
  // How collectives are carried out; one that is not here adds in the order of its group.
  std::map<const Instruction*, std::shared_ptr<const CollectiveSchedule>> schedules{};
  std::map<std::pair<const CollectiveSchedule*, size_t>, std::shared_ptr<const SumOrder>> orders{};
  std::map<const Instruction*, DeviceValues> constants{};
  // Computations of scalars as computations of arrays of so many elements; see lifted.h.
  std::map<std::pair<const Computation*, int64_t>, std::unique_ptr<Computation>> lifted{};
  PackedMatrices packed{};
  // Of a process that has some of the devices: which, by place, and how it gets what the others have.
  std::vector<DeviceId> here{};  // empty: all
  DeviceTransport* transport = nullptr;
  Loops loops{workers, stop};  // all that touches elements, of rules that can be recorded (rules.cpp)

  DeviceId device(size_t at) const { return here.empty() ? DeviceId(static_cast<int64_t>(at)) : here[at]; }
  // Where a device stands in DeviceValues; none: it is not here.
  std::optional<size_t> place_of(DeviceId device) const;
};

// One computation being executed.
struct Frame {
  const Computation& computation;
  const ComputationPlan& plan;
  std::vector<DeviceValues> arguments;
  std::vector<DeviceValues> values;  // [instruction][device]; emptied after the last reader
  // Panels of operands, by the instruction that made them, its view, the side on which dots read it, and
  // their batch and contracted dimensions.
  using PanelKey = std::tuple<const View*, OperandSide, std::vector<int64_t>, std::vector<int64_t>>;
  std::map<int32_t, std::map<PanelKey, std::vector<std::shared_ptr<KeptPanels>>>> panels{};

  const Instruction& at(InstructionId id) const { return computation.at(id); }
  DeviceValues& of(InstructionId id) { return values[static_cast<size_t>(id.value)]; }
};

// One instruction being executed: rules read its operands and write its results.
struct Step {
  Execution& run;
  Frame& frame;
  InstructionId id;

  const Instruction& at() const { return frame.at(id); }
  size_t devices() const { return run.devices; }
  DeviceValues& results() { return frame.of(id); }
  const Shape& operand_shape(size_t k) const { return frame.at(at().operands[k]).shape; }
  const DeviceValue& operand(size_t k, size_t device) { return frame.of(at().operands[k])[device]; }
  ViewPtr view(size_t k, size_t device) {
    return run.scalars.view_of(operand(k, device), operand_shape(k).type);
  }
  std::vector<ViewPtr> views(size_t k);   // by device
  std::vector<ViewPtr> arrays(size_t k);  // the same, plain
  std::vector<ViewPtr> result_views();
  // By device: the first one to which these instructions are the same views, so that what follows from them
  // is the same too and need be made once.
  std::vector<size_t> first_alike(const std::vector<InstructionId>& read);
  std::vector<Array> new_arrays() const;  // of the result's shape, by device; not written yet
  void give(const std::vector<Array>& arrays);
  std::vector<ViewPtr> plain(const std::vector<ViewPtr>& views) const;
};

// So many parts are executed in one go: a loop that does not end is no program that can be checked.
inline constexpr int64_t kMostParts = 1'000'000;

// The computation's root on every device. Errors: more than kMostParts.
Result<DeviceValues> run_computation(Execution& run, const Computation& computation,
                                     std::vector<DeviceValues> arguments);

// The computation that an instruction calls by this key, or null.
const Computation* called_computation(const Program& program, const Instruction& i, std::string_view key);
// The one elementwise operation that to_apply is, or what is called by another key.
Result<Opcode> reducer_of(const Program& program, const Instruction& i, std::string_view key = "to_apply");
const GroupMembers& groups_of(Execution& run, const Instruction& collective);

Error cannot_run(const Instruction& instruction, const std::string& why = "");
Error cannot_compute(const Instruction& instruction);  // elements of its type

}  // namespace shardscope::inline numerics

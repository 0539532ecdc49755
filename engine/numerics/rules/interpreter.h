// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// What one instruction is on one device: an array, an integer scalar, or a tuple.
struct DeviceValue {
  ViewPtr view;
  int64_t scalar = 0;  // when there is neither view nor tuple
  std::vector<DeviceValue> elements;
};

// Executes a program on all devices of its mesh in lockstep: one instruction at a time, on every device
// before the next. Data movement makes views; products, sums and elementwise work run on all workers. The
// bits do not depend on the number of threads. Memory is kept between executions.
class Interpreter {
 public:
  Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa = best_isa());

  // parameters[number][device] -> the entry's root on each device. An opcode that cannot be run is an error
  // that names it; so is a dynamic-slice out of range when slices trap.
  Result<std::vector<DeviceValue>> run(const std::vector<std::vector<ViewPtr>>& parameters,
                                       std::stop_token stop,
                                       const std::function<void(double)>& progress = {});
  // The same with any values, tuples too: parameters[number][device].
  Result<std::vector<DeviceValue>> run_values(std::vector<std::vector<DeviceValue>> parameters,
                                              std::stop_token stop);

  BufferPool& pool() { return pool_; }
  // The view of a value, also of a scalar of type `type`.
  ViewPtr view_of(const DeviceValue& value, ElementType type);

 private:
  struct Frame;  // one computation being executed
  // Adds of dots of one computation that are run as one product, with what follows from it for lifetimes.
  struct Plan {
    struct Sum {
      std::vector<InstructionId> dots;  // in the order of addition
      InstructionId base;               // what they are added to, if anything
    };
    std::vector<char> deferred;               // part of a later instruction's sum
    std::vector<char> kept;                   // right operand of several dots: packed once for all of them
    std::map<int32_t, Sum> sums;              // by the instruction that executes them
    std::vector<std::vector<int32_t>> dying;  // by instruction: values that nobody reads after it
  };
  using DeviceValues = std::vector<DeviceValue>;
  using Rearrange =
      std::function<std::optional<View>(std::span<const View* const>, const std::vector<int64_t>&)>;

  const Plan& plan_of(const Computation& computation);
  Result<DeviceValues> run_computation(const Computation& computation, std::vector<DeviceValues> arguments);
  Result<void> execute(Frame& frame, InstructionId id);
  Result<void> execute_shape(Frame& frame, InstructionId id);
  Result<void> execute_math(Frame& frame, InstructionId id);
  Result<void> execute_collective(Frame& frame, InstructionId id);
  Result<void> execute_dot(Frame& frame, InstructionId id, const Plan::Sum& sum);
  Result<void> execute_call(Frame& frame, InstructionId id);
  Result<void> execute_while(Frame& frame, InstructionId id);
  Result<void> execute_reduce(Frame& frame, InstructionId id);
  Result<void> execute_conditional(Frame& frame, InstructionId id);
  Result<void> execute_pad(Frame& frame, InstructionId id);
  Result<void> execute_reverse(Frame& frame, InstructionId id);
  Result<void> execute_gather(Frame& frame, InstructionId id);
  Result<void> execute_scatter(Frame& frame, InstructionId id);
  Result<void> execute_bitcast_convert(Frame& frame, InstructionId id);
  Result<void> execute_reduce_window(Frame& frame, InstructionId id);
  Result<void> execute_sort(Frame& frame, InstructionId id);
  Result<void> execute_top_k(Frame& frame, InstructionId id);
  Result<void> execute_convolution(Frame& frame, InstructionId id);
  Result<void> dynamic_slice(Frame& frame, InstructionId id);
  Result<void> dynamic_update_slice(Frame& frame, InstructionId id);
  Result<std::vector<int64_t>> slice_start(Frame& frame, InstructionId id, size_t first_index, size_t device,
                                           const std::vector<int64_t>& sizes,
                                           const std::vector<int64_t>& extents);
  ViewPtr zeros_of(const Shape& shape);
  Result<void> combine(Frame& frame, InstructionId id);
  void all_to_all(Frame& frame, InstructionId id, const std::vector<std::vector<DeviceId>>& groups);
  Result<void> ragged_all_to_all(Frame& frame, InstructionId id);
  Result<void> ragged_dot(Frame& frame, InstructionId id);
  Result<void> constant(Frame& frame, InstructionId id);
  void elementwise(Frame& frame, InstructionId id);
  bool scalar_elementwise(Frame& frame, InstructionId id);

  // Computations of scalars, applied to arrays of `count` elements; see interpret_apply.cpp.
  using ArrayViews = std::vector<std::vector<ViewPtr>>;  // [array][device]
  const Computation* called_computation(const Instruction& i, std::string_view key) const;
  Result<const Computation*> lifted(const Instruction& caller, int64_t count);
  Result<ArrayViews> apply(const Instruction& caller, int64_t count, const ArrayViews& arguments);
  Result<size_t> folded_arrays(const Frame& frame, InstructionId id) const;
  Result<void> fold_rows(Frame& frame, InstructionId id, int64_t steps, int64_t count,
                         const ArrayViews& rows);
  Result<void> fold(Frame& frame, InstructionId id);
  void set_parts(Frame& frame, InstructionId id, const ArrayViews& parts);

  std::vector<ViewPtr> arrays_of(Frame& frame, InstructionId id, size_t operand);  // plain, by device
  void set_arrays(Frame& frame, InstructionId id, const std::vector<Array>& arrays);

  // Result views of an instruction from those of its first `operands` operands. Devices with the same
  // operands and indices share the result.
  void rearrange(Frame& frame, InstructionId id, size_t operands,
                 const std::vector<std::vector<int64_t>>& indices, const Rearrange& make);
  const std::vector<std::vector<DeviceId>>& groups_of(const Instruction& collective);
  int64_t scalar_of(const DeviceValue& value) const;
  Result<Opcode> reducer_of(const Instruction& instruction) const;

  const std::optional<Program> plain_;  // see plain_program.h; none: the program itself is run
  const Program& program_;
  const Workers& workers_;
  const bool trap_slices_;
  const Isa isa_;
  const size_t devices_;
  std::stop_token stop_;
  std::function<void(double)> progress_;
  BufferPool pool_;
  std::map<const Computation*, Plan> plans_;
  std::map<const Instruction*, std::vector<std::vector<DeviceId>>> groups_;
  std::map<std::pair<int, int64_t>, ViewPtr> scalars_;  // views of scalars by type and value
  std::map<const Instruction*, DeviceValues> constants_;
  std::map<std::pair<const Computation*, int64_t>, std::unique_ptr<Computation>> lifted_;
};

struct KeptPanels;

struct Interpreter::Frame {
  const Computation& computation;
  std::vector<DeviceValues> arguments;
  std::vector<DeviceValues> values;  // [instruction][device]; emptied after the last reader
  bool is_entry = false;
  // Panels of right operands, by the instruction that made them, its view and the dot's batch and contracted
  // dimensions.
  using PanelKey = std::tuple<const View*, std::vector<int64_t>, std::vector<int64_t>>;
  std::map<int32_t, std::map<PanelKey, std::vector<std::shared_ptr<KeptPanels>>>> panels;

  const Instruction& at(InstructionId id) const { return computation.at(id); }
  DeviceValues& of(InstructionId id) { return values[static_cast<size_t>(id.value)]; }
  const DeviceValue& operand(InstructionId id, size_t i, size_t device) {
    return of(at(id).operands[i])[device];
  }
};

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/rules/execution.h"
#include "engine/numerics/rules/ranks.h"
#include "engine/numerics/rules/rounding_bound.h"
#include "engine/numerics/rules/run_limits.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline numerics {

// Executes a program on all devices of its mesh in lockstep: one instruction at a time, on every device
// before the next. Data movement makes views; products, sums and elementwise work run on all workers. The
// bits do not depend on the number of threads. Memory is kept between executions. A small program that is
// executed again on the same parameters is compiled: from then on it is a flat list of loops over memory that
// stays, without views, plans or allocation, for as long as the parameters are those and no result is held.
class Interpreter {
 public:
  Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa = best_isa());
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  ~Interpreter();

  // parameters[number][device] -> the entry's root on each device. An opcode that cannot be run is an error
  // that names it; so is a dynamic-slice out of range when slices trap.
  // Parameters that are given away go after their last reader.
  Result<DeviceValues> run(std::vector<std::vector<ViewPtr>> parameters, RunLimits limits,
                           const std::function<void(double)>& progress = {});
  // The same with any values, tuples too: parameters[number][device].
  Result<DeviceValues> run_values(std::vector<DeviceValues> parameters, RunLimits limits,
                                  const std::function<void(double)>& progress = {});

  // Collectives among these (of the program that was given) add in the order of their schedules, others in
  // that of their groups.
  void follow(const std::vector<TimedCollective>& schedules);
  // Called after every instruction, in the order of execution, before its operands go; once a trip of a loop;
  // not for computations that are applied to elements. Every dot then gives a result of its own: none waits
  // for the sum that it is a term of.
  void observe(Observer observer);
  // The next run is followed with what its roundings can do.
  void bound_roundings();
  // Of the run that was followed; null: none was.
  RoundingBound* roundings() { return bound_.get(); }
  // Of a process that has some of the devices: these, ascending, and how it gets what the others have.
  // Parameters and results are then of these alone.
  void share(std::vector<DeviceId> here, DeviceTransport& transport);
  // Seconds of the last run alone; of one by RunLimits::ranks what they took.
  double seconds() const { return seconds_; }
  // What is executed: the program, its asynchronous pairs and the like in plain form.
  const Program& program() const { return execution_.program; }

  BufferPool& pool() { return execution_.pool; }
  void use(BufferPool pool) { execution_.pool = std::move(pool); }  // instead of one of its own
  // The view of a value, also of a scalar of type `type`.
  ViewPtr view_of(const DeviceValue& value, ElementType type) {
    return execution_.scalars.view_of(value, type);
  }

  // The next execution on the same parameters, if nothing else changes, is that of the flat list.
  bool compiled() const { return recording_ != nullptr; }

 private:
  struct Recording;
  Result<DeviceValues> play(const Recording& recording);

  Result<DeviceValues> run_here(std::vector<DeviceValues> parameters, RunLimits limits,
                                const std::function<void(double)>& progress);

  const Program& given_;
  std::vector<TimedCollective> schedules_;  // of it
  double seconds_ = 0;
  const std::optional<Program> plain_;  // see plain_program.h; none: the program itself is run
  Execution execution_;
  std::unique_ptr<RoundingBound> bound_;
  GivenParameters parameters_;    // of the last execution
  bool worth_recording_ = false;  // as that was
  std::unique_ptr<const Recording> recording_;
};

}  // namespace shardscope::inline numerics

// SPDX-License-Identifier: Apache-2.0
// One run of a kernel, step by step, for a canvas to scrub through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/machine/schedule.h"
#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

// Runs a kernel once and can show the state after each of its steps: the same schedule, or
// the choices of an earlier run, always give the same states. The inputs are those of `input_seed`. Arrays
// too large for numbers at every step are followed without: accesses, initialised bits and semaphores alone.
class KernelReplay {
 public:
  // Errors: arrays too large even for that.
  static Result<void> fits(const KernelProgram& program);
  KernelReplay(const KernelEntry& entry, KernelProgram program, const Schedule& schedule,
               uint64_t input_seed);
  // The choices of an earlier run, which may stop before the end.
  KernelReplay(KernelProgram program, std::vector<Action> choices, uint64_t input_seed);
  KernelReplay(const KernelReplay&) = delete;
  KernelReplay& operator=(const KernelReplay&) = delete;

  const KernelProgram& program() const { return *program_; }
  const Outcome& outcome() const { return outcome_; }  // with its choices
  int64_t steps() const { return outcome_.steps; }
  // After the first `step` choices, 0 <= step <= steps(); after the last with what the end brought to light.
  KernelFrame frame(int64_t step) const;
  bool numeric() const { return numeric_; }
  // What `buffer` of `device` holds after `step` choices, row-major, NaN where nothing was written; empty
  // without numbers.
  Numbers values(int64_t step, int32_t device, int32_t buffer) const;
  // What could happen next after `step` choices, and in which words.
  struct NextMove {
    Action action;
    std::string text;
  };
  std::vector<NextMove> next_moves(int64_t step) const;
  // What choice `step` did, 0 <= step < steps(): "device 2, line 24: hop.start();".
  const std::string& action(int64_t step) const { return actions_[static_cast<size_t>(step)]; }

 private:
  void keep_machines();
  Machine machine_at(int64_t step) const;
  void mark_wrong(const Machine& machine, KernelFrame& frame) const;

  std::unique_ptr<const KernelProgram> program_;
  bool numeric_ = true;
  int64_t stride_ = 64;  // steps between kept machines
  KernelData inputs_, expected_;
  Outcome outcome_;
  std::vector<std::string> actions_;
  std::vector<Machine> kept_;  // after 0, stride_, 2·stride_, … steps
};

}  // namespace shardscope::kernels

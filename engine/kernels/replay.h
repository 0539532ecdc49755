// SPDX-License-Identifier: Apache-2.0
// One run of a kernel, step by step, for a canvas to scrub through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/catalogue.h"
#include "engine/kernels/schedule.h"

namespace shardscope::kernels {

// Runs a kernel once under `schedule` and can show the state after each of its steps: the same schedule, or
// the choices of an earlier run, always give the same states. The inputs are those of `input_seed`.
class KernelReplay {
 public:
  KernelReplay(const KernelEntry& entry, KernelProgram program, const Schedule& schedule,
               uint64_t input_seed);
  KernelReplay(const KernelReplay&) = delete;
  KernelReplay& operator=(const KernelReplay&) = delete;

  const KernelProgram& program() const { return *program_; }
  const Outcome& outcome() const { return outcome_; }  // with its choices
  int64_t steps() const { return outcome_.steps; }
  // After the first `step` choices, 0 <= step <= steps(); after the last with what the end brought to light.
  KernelFrame frame(int64_t step) const;
  // What choice `step` did, 0 <= step < steps(): "device 2, line 24: hop.start();".
  const std::string& action(int64_t step) const { return actions_[static_cast<size_t>(step)]; }

 private:
  static constexpr int64_t kStride = 64;  // steps between kept machines

  std::unique_ptr<const KernelProgram> program_;
  KernelData inputs_;
  Outcome outcome_;
  std::vector<std::string> actions_;
  std::vector<Machine> kept_;  // after 0, kStride, 2·kStride, … steps
};

}  // namespace shardscope::kernels

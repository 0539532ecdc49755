// SPDX-License-Identifier: Apache-2.0
// The chips that a kernel runs on. They move by one action at a time; who chooses the actions is a schedule
// (schedule.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/machine/machine_state.h"

namespace shardscope::kernels {

// A device does its next statement, or a DMA reads its source, or writes its target.
struct Action {
  enum class Kind : uint8_t { device, read, write };
  Kind kind = Kind::device;
  int32_t index = 0;  // device, or number of the DMA
  bool operator==(const Action&) const = default;
};

class Machine {
 public:
  // Both outlive the machine. Without `inputs` there are no numbers: accesses and semaphores alone.
  Machine(const KernelProgram& program, const KernelData* inputs);

  // What can happen now: devices that are not blocked, then DMAs in the order of their starts.
  void enabled(std::vector<Action>& out) const;
  // `action` is one of enabled().
  void apply(const Action& action);
  // Judges the end: deadlock or leaks. Called once, when nothing is enabled any more.
  void finish();

  bool complete() const { return state_.complete(); }
  const MachineState& state() const { return state_; }
  int64_t step() const { return state_.step; }
  int64_t max_in_flight() const { return state_.max_in_flight; }
  int64_t peak_vmem() const { return state_.peak_vmem; }
  const std::vector<KernelFinding>& findings() const { return state_.findings; }
  const Numbers& numbers(int32_t device, int32_t buffer) const { return block(device, buffer).numbers; }
  const std::vector<uint8_t>& initialised(int32_t device, int32_t buffer) const {
    return block(device, buffer).initialised;
  }
  KernelFrame frame() const;
  KernelDma dma(int32_t number) const;  // one that was started
  int32_t dma_count() const { return static_cast<int32_t>(state_.dmas.size()); }
  std::string describe(const Action& action) const;  // what applying it now would do

 private:
  const MachineState::Block& block(int32_t device, int32_t buffer) const {
    return state_.device(device).blocks[static_cast<size_t>(buffer)];
  }

  MachineState state_;
};

}  // namespace shardscope::kernels

// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/replay.h"

#include <utility>

#include "engine/base/check.h"

namespace shardscope::kernels {

KernelReplay::KernelReplay(const KernelEntry& entry, KernelProgram program, const Schedule& schedule,
                           uint64_t input_seed)
    : program_(std::make_unique<const KernelProgram>(std::move(program))),
      inputs_(fill_inputs(*program_, input_seed)) {
  KernelData expected;
  if (entry.expected != nullptr) expected = entry.expected(*program_, inputs_);
  outcome_ = run_schedule(*program_, &inputs_, entry.expected != nullptr ? &expected : nullptr, schedule);
  Machine machine(*program_, &inputs_);
  for (const Action& choice : outcome_.choices) {
    if (machine.step() % kStride == 0) kept_.push_back(machine);
    actions_.push_back(machine.describe(choice));
    machine.apply(choice);
  }
  if (kept_.empty()) kept_.push_back(machine);
}

KernelFrame KernelReplay::frame(int64_t step) const {
  CHECK(step >= 0 && step <= steps(), step, steps());
  size_t from = static_cast<size_t>(step / kStride);
  if (from >= kept_.size()) from = kept_.size() - 1;
  Machine machine = kept_[from];
  while (machine.step() < step) machine.apply(outcome_.choices[static_cast<size_t>(machine.step())]);
  KernelFrame out = machine.frame();
  out.findings.insert(out.findings.begin(), program_->defects.begin(), program_->defects.end());
  if (step == steps()) out.findings = outcome_.findings;
  if (step > 0) out.action = actions_[static_cast<size_t>(step - 1)];
  return out;
}

}  // namespace shardscope::kernels

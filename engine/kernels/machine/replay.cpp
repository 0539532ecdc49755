// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/units.h"

namespace shardscope::kernels {
namespace {

constexpr int64_t kMostNumbers = int64_t{1} << 23;   // elements of all devices
constexpr int64_t kMostElements = int64_t{1} << 28;  // without numbers: a byte each
constexpr int64_t kKeptBytes = int64_t{768} << 20;

int64_t elements_of(const KernelProgram& program) {
  int64_t elements = 0;
  for (const KernelBuffer& buffer : program.layout.buffers) elements += buffer.rows * buffer.cols;
  return elements * program.device_count();
}

}  // namespace

Result<void> KernelReplay::fits(const KernelProgram& program) {
  const int64_t elements = elements_of(program);
  if (elements <= kMostElements) return {};
  return too_big(fmt::format("the arrays of all devices have {} elements, steps are kept for up to {}",
                             elements, kMostElements),
                 program.layout.kernel, "take smaller sizes: hazards do not depend on them");
}

KernelReplay::KernelReplay(const KernelEntry& entry, KernelProgram program, const Schedule& schedule,
                           uint64_t input_seed)
    : program_(std::make_unique<const KernelProgram>(std::move(program))),
      numeric_(elements_of(*program_) <= kMostNumbers) {
  const bool judged = numeric_ && entry.expected != nullptr;
  if (numeric_) inputs_ = fill_inputs(*program_, input_seed);
  if (judged) expected_ = entry.expected(*program_, inputs_);
  outcome_ = run_schedule(*program_, numeric_ ? &inputs_ : nullptr, judged ? &expected_ : nullptr, schedule);
  keep_machines();
}

KernelReplay::KernelReplay(KernelProgram program, std::vector<Action> choices, uint64_t input_seed)
    : program_(std::make_unique<const KernelProgram>(std::move(program))),
      numeric_(elements_of(*program_) <= kMostNumbers) {
  if (numeric_) inputs_ = fill_inputs(*program_, input_seed);
  outcome_ = run_choices(*program_, numeric_ ? &inputs_ : nullptr, std::move(choices));
  keep_machines();
}

void KernelReplay::keep_machines() {
  const int64_t elements = elements_of(*program_);
  const int64_t kept = std::max<int64_t>(1, kKeptBytes / std::max<int64_t>(1, elements * (numeric_ ? 5 : 1)));
  stride_ = std::max<int64_t>(64, ceil_div(steps(), kept));
  Machine machine(*program_, numeric_ ? &inputs_ : nullptr);
  for (const Action& choice : outcome_.choices) {
    if (machine.step() % stride_ == 0) kept_.push_back(machine);
    actions_.push_back(machine.describe(choice));
    machine.apply(choice);
  }
  if (kept_.empty()) kept_.push_back(machine);
}

Machine KernelReplay::machine_at(int64_t step) const {
  CHECK(step >= 0 && step <= steps(), step, steps());
  size_t from = static_cast<size_t>(step / stride_);
  if (from >= kept_.size()) from = kept_.size() - 1;
  Machine machine = kept_[from];
  while (machine.step() < step) machine.apply(outcome_.choices[static_cast<size_t>(machine.step())]);
  return machine;
}

KernelFrame KernelReplay::frame(int64_t step) const {
  const Machine machine = machine_at(step);
  KernelFrame out = machine.frame();
  out.findings.insert(out.findings.begin(), program_->defects.begin(), program_->defects.end());
  if (step == steps()) {
    out.findings = outcome_.findings;
    mark_wrong(machine, out);
  }
  if (step > 0) {
    const Action& last = outcome_.choices[static_cast<size_t>(step - 1)];
    (last.kind == Action::Kind::device ? out.moved_device : out.moved_dma) = last.index;
    if (last.kind == Action::Kind::write) out.landed = machine.dma(last.index);
    out.action = actions_[static_cast<size_t>(step - 1)];
  }
  return out;
}

std::vector<KernelReplay::NextMove> KernelReplay::next_moves(int64_t step) const {
  const Machine machine = machine_at(step);
  std::vector<Action> enabled;
  machine.enabled(enabled);
  std::vector<NextMove> out;
  for (const Action& action : enabled) out.push_back({action, machine.describe(action)});
  return out;
}

void KernelReplay::mark_wrong(const Machine& machine, KernelFrame& frame) const {
  if (expected_.devices.empty() || !machine.complete()) return;
  for (size_t d = 0; d < frame.devices.size(); ++d) {
    for (size_t b = 0; b < frame.devices[d].buffers.size(); ++b) {
      const int32_t device = static_cast<int32_t>(d), buffer = static_cast<int32_t>(b);
      const Numbers& want = expected_.at(device, buffer);
      const Numbers& got = machine.numbers(device, buffer);
      std::vector<uint8_t> wrong(want.size(), 0);
      for (size_t i = 0; i < want.size(); ++i) {
        const bool written = machine.initialised(device, buffer)[i] != 0;
        wrong[i] = written && !(got[i] == rounded(want[i], program_->buffer(buffer).type));
      }
      if (std::find(wrong.begin(), wrong.end(), uint8_t{1}) != wrong.end())
        frame.devices[d].buffers[b].wrong = std::move(wrong);
    }
  }
}

Numbers KernelReplay::values(int64_t step, int32_t device, int32_t buffer) const {
  return machine_at(step).numbers(device, buffer);
}

}  // namespace shardscope::kernels

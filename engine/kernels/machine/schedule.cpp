// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/schedule.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "engine/base/hash.h"
#include "engine/kernels/machine/output_spec.h"

namespace shardscope::kernels {

namespace {

constexpr Policy kPolicies[] = {Policy::random, Policy::slow_device, Policy::dma_early, Policy::dma_late,
                                Policy::reordered};

// Without a judgement of the outputs, and without the choices.
Outcome shown_by(const KernelProgram& program, const Machine& machine) {
  Outcome out;
  out.correct = machine.complete();
  out.findings = program.defects;
  out.findings.insert(out.findings.end(), machine.findings().begin(), machine.findings().end());
  out.steps = machine.step();
  out.max_in_flight = machine.max_in_flight();
  out.peak_vmem = machine.peak_vmem();
  return out;
}

// What an output lacks, and what of it is not as expected.
void judge_numbers(const KernelProgram& program, const Machine& machine, const KernelData& expected,
                   int32_t output, std::vector<KernelFinding>& out) {
  const KernelBuffer& buffer = program.buffer(output);
  int64_t unwritten = 0, wrong = 0;
  KernelFinding missing, differs;
  for (int32_t d = 0; d < program.device_count(); ++d) {
    const Numbers& want = expected.at(d, output);
    const Numbers& got = machine.numbers(d, output);
    const std::vector<uint8_t>& written = machine.initialised(d, output);
    int64_t wrong_here = 0, unwritten_here = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const bool bad = written[i] != 0 && !(got[i] == rounded(want[i], buffer.type));
      if (bad && wrong + wrong_here == 0) {
        const int64_t row = static_cast<int64_t>(i) / buffer.cols,
                      col = static_cast<int64_t>(i) % buffer.cols;
        differs.first = {d, -1, 0, machine.step(), {}};
        differs.first.text = fmt::format("{}[{}, {}] on device {} is {}, expected {}", buffer.name, row, col,
                                         d, got[i], want[i]);
      }
      wrong_here += bad;
      unwritten_here += written[i] == 0;
    }
    if (wrong_here > 0) differs.devices.push_back(d);
    if (unwritten_here > 0) missing.devices.push_back(d);
    wrong += wrong_here;
    unwritten += unwritten_here;
  }
  if (unwritten > 0) {
    missing.kind = FindingKind::unwritten_output;
    missing.step = machine.step();
    missing.first = {missing.devices.front(), -1, 0, machine.step(), {}};
    missing.message = fmt::format("{} elements of {} were never written", unwritten, buffer.name);
    out.push_back(missing);
  }
  if (wrong > 0) {
    differs.kind = FindingKind::wrong_result;
    differs.step = machine.step();
    differs.message = fmt::format("{}; {} elements differ", differs.first.text, wrong);
    out.push_back(differs);
  }
}

}  // namespace

const char* name(Policy policy) {
  constexpr const char* kNames[] = {"random", "slow_device", "dma_early", "dma_late", "reordered"};
  return kNames[static_cast<size_t>(policy)];
}

Result<Policy> parse_policy(std::string_view text) {
  for (const Policy policy : kPolicies) {
    if (text == name(policy)) return policy;
  }
  return invalid(fmt::format("unknown policy '{}'", text), "--policy",
                 "use mixed, random, slow_device, dma_early, dma_late or reordered");
}

Schedule schedule_of(uint64_t seed) {
  constexpr Policy kInTurn[] = {Policy::dma_late, Policy::random,    Policy::dma_early, Policy::random,
                                Policy::random,   Policy::reordered, Policy::random,    Policy::slow_device};
  return {kInTurn[seed % 8], seed};
}

Chooser::Chooser(const Schedule& schedule, int32_t devices)
    : policy_(schedule.policy), state_(schedule.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {
  if (policy_ == Policy::slow_device) slow_ = static_cast<int32_t>(draw(static_cast<uint64_t>(devices)));
  for (int32_t d = 0; d < devices; ++d) {
    const bool even = policy_ != Policy::random;
    device_weights_.push_back(even ? 1 : std::exp2(static_cast<double>(draw(5))));
  }
  if (policy_ == Policy::random) dma_weight_ = std::exp2(static_cast<double>(draw(7)) - 2);
}

// The bias of the remainder is below 2^-50 for our handfuls of choices.
uint64_t Chooser::draw(uint64_t below) {
  return drawn_bits(state_) % below;
}

double Chooser::weight(const Action& action, size_t place, size_t count) const {
  const bool device = action.kind == Action::Kind::device;
  constexpr double kNever = 1e-9;  // only when nothing else can move
  switch (policy_) {
    case Policy::random:
      return device ? device_weights_[static_cast<size_t>(action.index)] : dma_weight_;
    case Policy::slow_device:
      return device && action.index == slow_ ? kNever : 1;
    case Policy::dma_early:
      return device ? kNever : 1;
    case Policy::dma_late:
      return device ? 1 : kNever;
    case Policy::reordered:
      // The youngest DMA stands last.
      return device ? 1 : std::exp2(-3.0 * static_cast<double>(count - 1 - place));
  }
  return 1;
}

size_t Chooser::choose(const std::vector<Action>& enabled) {
  double total = 0;
  for (size_t i = 0; i < enabled.size(); ++i) total += weight(enabled[i], i, enabled.size());
  double left = static_cast<double>(draw(uint64_t{1} << 53)) * 0x1p-53 * total;
  for (size_t i = 0; i + 1 < enabled.size(); ++i) {
    left -= weight(enabled[i], i, enabled.size());
    if (left < 0) return i;
  }
  return enabled.size() - 1;
}

Outcome run_schedule(const KernelProgram& program, const KernelData* inputs, const KernelData* expected,
                     const Schedule& schedule) {
  Machine machine(program, inputs);
  Chooser chooser(schedule, program.device_count());
  std::vector<Action> enabled, choices;
  for (machine.enabled(enabled); !enabled.empty(); machine.enabled(enabled)) {
    const Action action = enabled[chooser.choose(enabled)];
    choices.push_back(action);
    machine.apply(action);
  }
  Outcome out = ended(program, machine, inputs != nullptr ? expected : nullptr);
  out.choices = std::move(choices);
  return out;
}

Outcome ended(const KernelProgram& program, Machine& machine, const KernelData* expected) {
  machine.finish();
  Outcome out = shown_by(program, machine);
  if (!out.correct || !machine.state().numeric) return out;
  const std::vector<KernelFinding> wrong = judge_outputs(program, machine, expected);
  out.correct = wrong.empty();
  out.findings.insert(out.findings.end(), wrong.begin(), wrong.end());
  return out;
}

Outcome run_choices(const KernelProgram& program, const KernelData* inputs, std::vector<Action> choices) {
  Machine machine(program, inputs);
  for (const Action& action : choices) machine.apply(action);
  Outcome out = shown_by(program, machine);
  out.choices = std::move(choices);
  return out;
}

std::vector<KernelFinding> judge_outputs(const KernelProgram& program, const Machine& machine,
                                         const KernelData* expected) {
  std::vector<KernelFinding> out;
  for (int32_t b = 0; b < static_cast<int32_t>(program.layout.buffers.size()); ++b) {
    const KernelBuffer& buffer = program.buffer(b);
    if (buffer.role != KernelBuffer::Role::output) continue;
    const size_t before = out.size();
    if (expected != nullptr) judge_numbers(program, machine, *expected, b, out);
    // Of a result that is wrong its out_specs are not the reason.
    if (out.size() > before) continue;
    if (auto finding = judge_spec(program, machine, b)) out.push_back(*std::move(finding));
  }
  return out;
}

}  // namespace shardscope::kernels

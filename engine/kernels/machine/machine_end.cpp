// SPDX-License-Identifier: Apache-2.0
// Waits that can never end, and what is left over when a device leaves.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/kernels/machine/machine_state.h"

namespace shardscope::kernels {

void check_exit(MachineState& m, int32_t d, const Op& op) {
  const Clock& clock = m.device(d).clock;
  for (size_t i = 0; i < m.dmas.size(); ++i) {
    const MachineState::Dma& dma = m.dmas[i];
    const int32_t number = static_cast<int32_t>(i);
    const bool sending = dma.source == d && dma.op.device != d;
    const bool receiving = dma.op.device == d;
    const bool pending =
        (sending && !clock.knows_half(2 * number)) || (receiving && !clock.knows_half(2 * number + 1));
    if (!pending) continue;
    KernelFinding finding;
    finding.kind = FindingKind::dma_at_exit;
    finding.devices = {std::min(dma.source, dma.op.device), std::max(dma.source, dma.op.device)};
    if (finding.devices[0] == finding.devices[1]) finding.devices.pop_back();
    finding.first = {
        dma.source, number, dma.op.line, dma.start_step,
        fmt::format("DMA {} ({} → {}) of line {}", number, dma.source, dma.op.device, dma.op.line)};
    finding.second = {d, -1, op.line, m.step, fmt::format("device {} leaves", d)};
    finding.message = fmt::format("device {} leaves the kernel (step {}) and did not wait for {}", d,
                                  m.step + 1, finding.first.text);
    finding.missing =
        fmt::format("{} on device {} before it leaves", sending ? "wait_send()" : "wait_recv()", d);
    add_finding(m, std::move(finding));
  }
}

void check_supply(MachineState& m, int32_t d) {
  const Op& op = m.next_op(d);
  if (op.kind != OpKind::wait) return;
  const MachineState::Semaphore& state = m.device(d).semaphores[static_cast<size_t>(op.semaphore)];
  const int64_t ever = state.value + state.to_come;
  if (ever >= op.units) return;
  const std::string& semaphore = m.program->semaphore(op.semaphore).name;
  KernelFinding finding;
  finding.kind = FindingKind::impossible_wait;
  finding.devices = {d};
  finding.first = {d, -1, op.line, m.step,
                   fmt::format("device {} waits for {} of {} at line {}", d, op.units, semaphore, op.line)};
  finding.message =
      fmt::format("{} (step {}), no more than {} can ever come", finding.first.text, m.step + 1, ever);
  finding.missing = fmt::format("{} more to {} of device {}", op.units - ever, semaphore, d);
  add_finding(m, std::move(finding));
}

void check_deadlock(MachineState& m) {
  const int32_t count = m.program->device_count();
  // Who could still tell the semaphore that a device waits for: the first such device, -1: nobody.
  std::vector<int32_t> waits_for(static_cast<size_t>(count), -1);
  const auto tells = [](const Op& op, int32_t source, int32_t target, int32_t semaphore) {
    if (op.kind == OpKind::signal) return op.device == target && op.semaphore == semaphore;
    if (op.kind != OpKind::start) return false;
    return (op.told_device(source) == target && op.receive_semaphore == semaphore) ||
           (source == target && op.semaphore == semaphore);
  };
  int32_t first = -1;
  for (int32_t d = 0; d < count; ++d) {
    if (m.device(d).exited) continue;
    if (first < 0) first = d;
    for (int32_t from = 0; from < count && waits_for[static_cast<size_t>(d)] < 0; ++from) {
      const auto& ops = m.program->devices[static_cast<size_t>(from)];
      for (size_t i = m.device(from).next; i < ops.size(); ++i) {
        if (tells(ops[i], from, d, m.next_op(d).semaphore)) waits_for[static_cast<size_t>(d)] = from;
      }
    }
  }
  std::vector<int32_t> path;
  int32_t d = first;
  while (d >= 0 && !m.device(d).exited && std::find(path.begin(), path.end(), d) == path.end()) {
    path.push_back(d);
    d = waits_for[static_cast<size_t>(d)];
  }
  if (d >= 0) path.erase(path.begin(), std::find(path.begin(), path.end(), d));  // the way into the cycle
  std::vector<std::string> parts;
  for (const int32_t member : path) {
    const Op& op = m.next_op(member);
    const int32_t other = waits_for[static_cast<size_t>(member)];
    parts.push_back(
        fmt::format("device {} waits at line {} for {} of {}", member, op.line, op.units,
                    m.program->semaphore(op.semaphore).name) +
        (other < 0 ? std::string(", which nobody is left to tell") : fmt::format(" from device {}", other)));
  }
  KernelFinding finding;
  finding.kind = FindingKind::deadlock;
  finding.devices = path;
  std::sort(finding.devices.begin(), finding.devices.end());
  finding.first = {path.front(), -1, m.next_op(path.front()).line, m.step, parts.front()};
  if (path.size() > 1) finding.second = {path[1], -1, m.next_op(path[1]).line, m.step, parts[1]};
  const bool cycle = d >= 0;
  finding.message =
      fmt::format("{} (step {}): {}", cycle ? "wait-for cycle" : "deadlock", m.step, join(parts, "; "));
  finding.missing =
      cycle ? "one device of the cycle that tells before it waits" : "a signal or a copy that tells it";
  add_finding(m, std::move(finding));
}

void check_end(MachineState& m) {
  const bool done = m.complete();
  if (!done) check_deadlock(m);
  for (int32_t d = 0; d < m.program->device_count(); ++d) {
    for (size_t s = 0; s < m.device(d).semaphores.size(); ++s) {
      const MachineState::Semaphore& state = m.device(d).semaphores[s];
      // While others hang, only what lies under a wait that nothing can satisfy is lost for certain.
      const bool stuck = !m.device(d).exited && m.next_op(d).semaphore == static_cast<int32_t>(s) &&
                         state.value + state.to_come < m.next_op(d).units;
      if (state.value == 0 || (!done && !stuck)) continue;
      const KernelSemaphore& semaphore = m.program->layout.semaphores[s];
      KernelFinding finding;
      finding.kind = FindingKind::leaked_semaphore;
      finding.devices = {d};
      const auto& ops = m.program->devices[static_cast<size_t>(d)];
      const auto teller = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
        return (op.kind == OpKind::start || op.kind == OpKind::signal) &&
               (op.semaphore == static_cast<int32_t>(s) || op.receive_semaphore == static_cast<int32_t>(s));
      });
      const int32_t line = teller == ops.end() ? 0 : teller->line;
      finding.first = {d, -1, line, m.step,
                       fmt::format("{} of device {} holds {}", semaphore.name, d, state.value)};
      finding.message =
          fmt::format("{} {}, expected 0", finding.first.text, done ? "at exit" : "under a wait that hangs");
      finding.missing = fmt::format("a wait for {} on {}", state.value, semaphore.name);
      add_finding(m, std::move(finding));
    }
  }
}

}  // namespace shardscope::kernels

// SPDX-License-Identifier: Apache-2.0
// The machine as values that a canvas draws.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/kernels/machine/machine.h"

namespace shardscope::kernels {
namespace {

std::vector<int16_t> owners_of(const MachineState::Block& block, int64_t rows) {
  std::vector<int16_t> out(static_cast<size_t>(rows), -1);
  const size_t width = block.initialised.size() / std::max<size_t>(1, out.size());
  for (size_t row = 0; row < out.size(); ++row) {
    const auto first = block.initialised.begin() + static_cast<ptrdiff_t>(row * width);
    const auto written =
        std::find_if(first, first + static_cast<ptrdiff_t>(width), [](uint8_t by) { return by != 0; });
    if (written != first + static_cast<ptrdiff_t>(width)) out[row] = static_cast<int16_t>(*written - 1);
  }
  return out;
}

}  // namespace

std::string Machine::describe(const Action& action) const {
  const MachineState& m = state_;
  if (action.kind != Action::Kind::device) {
    const MachineState::Dma& dma = m.dmas[static_cast<size_t>(action.index)];
    const bool reads = action.kind == Action::Kind::read;
    const Slice& slice = reads ? dma.op.a : dma.op.dst;
    return fmt::format("DMA {} ({} → {}) {} {}", action.index, dma.source, dma.op.device,
                       reads ? "reads" : "lands in", slice_text(m.program->layout, slice.buffer, slice.box));
  }
  const Op& op = m.next_op(action.index);
  if (op.kind == OpKind::enter) return fmt::format("device {} enters the kernel", action.index);
  if (op.kind == OpKind::exit) return fmt::format("device {} leaves the kernel", action.index);
  const auto& lines = m.program->layout.listing.lines;
  const size_t line = static_cast<size_t>(op.line);
  const std::string text(line >= 1 && line <= lines.size() ? trim(lines[line - 1]) : std::string_view());
  return fmt::format("device {}, line {}: {}", action.index, op.line, text);
}

KernelDma Machine::dma(int32_t number) const {
  const MachineState& m = state_;
  const MachineState::Dma& dma = m.dmas[static_cast<size_t>(number)];
  KernelDma shown;
  shown.number = number;
  shown.source_device = dma.source;
  shown.target_device = dma.op.device;
  shown.source_buffer = dma.op.a.buffer;
  shown.target_buffer = dma.op.dst.buffer;
  shown.source = dma.op.a.box;
  shown.target = dma.op.dst.box;
  shown.send_semaphore = dma.op.semaphore;
  shown.receive_semaphore = dma.op.receive_semaphore;
  shown.line = dma.op.line;
  shown.read = dma.read;
  return shown;
}

KernelFrame Machine::frame() const {
  const MachineState& m = state_;
  KernelFrame out;
  out.step = m.step;
  out.findings = m.findings;
  for (const int32_t number : m.in_flight) out.in_flight.push_back(dma(number));
  for (int32_t d = 0; d < m.program->device_count(); ++d) {
    const MachineState::Device& self = m.device(d);
    KernelDeviceState state;
    state.entered = self.entered;
    state.exited = self.exited;
    state.vmem_bytes = self.vmem;
    if (self.entered && !self.exited) {
      state.line = m.next_op(d).line;
      if (m.blocked(d)) {
        state.waits_for = m.next_op(d).semaphore;
        state.waits_units = m.next_op(d).units;
      }
    }
    for (const MachineState::Semaphore& semaphore : self.semaphores)
      state.semaphores.push_back(semaphore.value);
    for (const MachineState::Block& block : self.blocks) {
      KernelBufferState buffer;
      buffer.exists = block.exists;
      const int64_t all = static_cast<int64_t>(block.initialised.size());
      buffer.initialised_count =
          all - std::count(block.initialised.begin(), block.initialised.end(), uint8_t{0});
      if (buffer.initialised_count != 0 && buffer.initialised_count != all) {
        buffer.initialised = block.initialised;
        for (uint8_t& written : buffer.initialised) written = written != 0 ? 1 : 0;
      }
      buffer.owners = owners_of(block, m.program->buffer(static_cast<int32_t>(state.buffers.size())).rows);
      state.buffers.push_back(std::move(buffer));
    }
    out.devices.push_back(std::move(state));
  }
  return out;
}

}  // namespace shardscope::kernels

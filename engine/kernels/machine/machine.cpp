// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::kernels {

namespace {

bool is_device(int32_t device, size_t count) {
  return device >= 0 && static_cast<size_t>(device) < count;
}

void tell(MachineState& m, int32_t d, int32_t semaphore, int64_t units, const Clock& clock) {
  if (semaphore < 0) return;
  MachineState::Semaphore& state = m.device(d).semaphores[static_cast<size_t>(semaphore)];
  state.value += units;
  state.to_come -= units;
  state.arrivals.push_back({units, clock});
}

void start_dma(MachineState& m, int32_t d, const Op& op) {
  const int32_t number = static_cast<int32_t>(m.dmas.size());
  MachineState::Dma dma;
  dma.op = op;
  dma.source = d;
  dma.clock = m.device(d).clock;
  dma.start_step = m.step;
  m.dmas.push_back(std::move(dma));
  m.in_flight.push_back(number);
  m.max_in_flight = std::max(m.max_in_flight, static_cast<int64_t>(m.in_flight.size()));
  check_shared_receive(m, number);
}

void take(MachineState& m, int32_t d, const Op& op) {
  MachineState::Device& self = m.device(d);
  MachineState::Semaphore& state = self.semaphores[static_cast<size_t>(op.semaphore)];
  CHECK(state.value >= op.units, state.value, op.units);
  state.value -= op.units;
  for (int64_t need = op.units; need > 0;) {
    MachineState::Arrival& arrival = state.arrivals.front();
    const int64_t taken = std::min(need, arrival.units);
    self.clock.join(arrival.clock);
    need -= taken;
    arrival.units -= taken;
    if (arrival.units == 0) state.arrivals.pop_front();
  }
}

void scope(MachineState& m, int32_t d, const Op& op) {
  MachineState::Device& self = m.device(d);
  MachineState::Block& block = self.blocks[static_cast<size_t>(op.dst.buffer)];
  const int64_t bytes = m.program->buffer(op.dst.buffer).bytes();
  block.exists = op.kind == OpKind::alloc;
  self.vmem += block.exists ? bytes : -bytes;
  m.peak_vmem = std::max(m.peak_vmem, self.vmem);
  std::fill(block.initialised.begin(), block.initialised.end(), uint8_t{0});
}

void read_source(MachineState& m, int32_t number) {
  MachineState::Dma& dma = m.dmas[static_cast<size_t>(number)];
  dma.clock.add_half(2 * number);
  Access access;
  access.device = dma.source;
  access.half = 2 * number;
  access.line = dma.op.line;
  access.step = m.step;
  touch(m, dma.source, dma.op.a, access, dma.clock);
  read_initialised(m, dma.source, dma.op.a, access);
  const MachineState::Block& block = m.device(dma.source).blocks[static_cast<size_t>(dma.op.a.buffer)];
  const Box& box = dma.op.a.box;
  const int64_t stride = m.program->buffer(dma.op.a.buffer).cols;
  for (int64_t r = 0; r < box.rows; ++r) {
    const auto first = static_cast<ptrdiff_t>((box.row + r) * stride + box.col);
    const auto last = first + static_cast<ptrdiff_t>(box.cols);
    dma.initialised.insert(dma.initialised.end(), block.initialised.begin() + first,
                           block.initialised.begin() + last);
    if (m.numeric)
      dma.numbers.insert(dma.numbers.end(), block.numbers.begin() + first, block.numbers.begin() + last);
  }
  dma.read = true;
  tell(m, dma.source, dma.op.semaphore, dma.op.units, dma.clock);
}

void write_target(MachineState& m, int32_t number) {
  MachineState::Dma& dma = m.dmas[static_cast<size_t>(number)];
  const int32_t target = dma.op.device;
  dma.clock.add_half(2 * number + 1);
  check_entered(m, dma.op, dma.clock, dma.source, number, m.device(target).entered);
  Access access;
  access.write = true;
  access.device = dma.source;
  access.half = 2 * number + 1;
  access.line = dma.op.line;
  access.step = m.step;
  touch(m, target, dma.op.dst, access, dma.clock);
  MachineState::Block& block = m.device(target).blocks[static_cast<size_t>(dma.op.dst.buffer)];
  const Box& box = dma.op.dst.box;
  const int64_t stride = m.program->buffer(dma.op.dst.buffer).cols;
  for (int64_t r = 0; r < box.rows; ++r) {
    const auto from = static_cast<ptrdiff_t>(r * box.cols);
    const auto to = static_cast<ptrdiff_t>((box.row + r) * stride + box.col);
    std::copy_n(dma.initialised.begin() + from, box.cols, block.initialised.begin() + to);
    if (m.numeric) std::copy_n(dma.numbers.begin() + from, box.cols, block.numbers.begin() + to);
  }
  dma.written = true;
  dma.numbers = {};
  dma.initialised = {};
  m.in_flight.erase(std::find(m.in_flight.begin(), m.in_flight.end(), number));
  tell(m, dma.op.told_device(dma.source), dma.op.receive_semaphore, dma.op.units, dma.clock);
  dma.clock = Clock();
}

void run_statement(MachineState& m, int32_t d) {
  MachineState::Device& self = m.device(d);
  const Op& op = m.next_op(d);
  ++self.clock.devices[static_cast<size_t>(d)];
  ++self.next;
  if (!check_statement(m, d, op)) {
    m.halted = true;
    return;
  }
  switch (op.kind) {
    case OpKind::enter:
      self.entered = true;
      for (const KernelBuffer& buffer : m.program->layout.buffers) {
        if (buffer.space == MemorySpace::vmem && !buffer.scoped) self.vmem += buffer.bytes();
      }
      m.peak_vmem = std::max(m.peak_vmem, self.vmem);
      break;
    case OpKind::start:
      start_dma(m, d, op);
      break;
    case OpKind::wait:
      take(m, d, op);
      break;
    case OpKind::signal:
      check_entered(m, op, self.clock, d, -1, m.device(op.device).entered);
      tell(m, op.device, op.semaphore, op.units, self.clock);
      break;
    case OpKind::alloc:
    case OpKind::free:
      scope(m, d, op);
      break;
    case OpKind::exit:
      self.exited = true;
      check_exit(m, d, op);
      return;
    default:
      compute(m, d, op);
  }
  check_supply(m, d);
}

}  // namespace

bool MachineState::blocked(int32_t d) const {
  const Op& op = next_op(d);
  return op.kind == OpKind::wait && device(d).semaphores[static_cast<size_t>(op.semaphore)].value < op.units;
}

bool MachineState::complete() const {
  return !halted && in_flight.empty() &&
         std::all_of(devices.begin(), devices.end(), [](const Device& d) { return d.exited; });
}

Machine::Machine(const KernelProgram& program, const KernelData* inputs) {
  MachineState& m = state_;
  m.program = &program;
  m.numeric = inputs != nullptr;
  const size_t count = program.devices.size();
  m.devices.resize(count);
  for (size_t d = 0; d < count; ++d) {
    MachineState::Device& device = m.devices[d];
    device.clock.devices.assign(count, 0);
    device.semaphores.resize(program.layout.semaphores.size());
    device.blocks.resize(program.layout.buffers.size());
    for (size_t b = 0; b < device.blocks.size(); ++b) {
      const KernelBuffer& buffer = program.layout.buffers[b];
      MachineState::Block& block = device.blocks[b];
      const size_t elements = static_cast<size_t>(buffer.rows * buffer.cols);
      const bool input = buffer.role == KernelBuffer::Role::input;
      block.exists = !buffer.scoped;
      block.initialised.assign(elements, input ? written_by(static_cast<int32_t>(d)) : 0);
      if (!m.numeric) continue;
      if (input) {
        block.numbers = inputs->at(static_cast<int64_t>(d), static_cast<int32_t>(b));
        for (float& value : block.numbers) value = rounded(value, buffer.type);
      } else {
        block.numbers.assign(elements, std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  for (size_t d = 0; d < count; ++d) {
    for (const Op& op : program.devices[d]) {
      if (op.kind != OpKind::start && op.kind != OpKind::signal) continue;
      const int64_t sent = op.units;
      const bool starts = op.kind == OpKind::start;
      if (starts && op.semaphore >= 0)
        m.devices[d].semaphores[static_cast<size_t>(op.semaphore)].to_come += sent;
      const int32_t semaphore = starts ? op.receive_semaphore : op.semaphore;
      if (semaphore < 0 || !is_device(op.device, count)) continue;
      const int32_t told = op.told_device(static_cast<int32_t>(d));
      m.devices[static_cast<size_t>(told)].semaphores[static_cast<size_t>(semaphore)].to_come += sent;
    }
  }
}

void Machine::enabled(std::vector<Action>& out) const {
  const MachineState& m = state_;
  out.clear();
  if (m.halted) return;
  for (int32_t d = 0; d < m.program->device_count(); ++d) {
    if (!m.device(d).exited && !m.blocked(d)) out.push_back({Action::Kind::device, d});
  }
  for (const int32_t number : m.in_flight) {
    const bool was_read = m.dmas[static_cast<size_t>(number)].read;
    out.push_back({was_read ? Action::Kind::write : Action::Kind::read, number});
  }
}

void Machine::apply(const Action& action) {
  switch (action.kind) {
    case Action::Kind::device:
      run_statement(state_, action.index);
      break;
    case Action::Kind::read:
      read_source(state_, action.index);
      break;
    case Action::Kind::write:
      write_target(state_, action.index);
      break;
  }
  ++state_.step;
}

void Machine::finish() {
  if (!state_.halted) check_end(state_);
}

}  // namespace shardscope::kernels

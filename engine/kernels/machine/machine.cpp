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

}  // namespace

Machine::Machine(const KernelProgram& program, const KernelData* inputs)
    : program_(program), numeric_(inputs != nullptr) {
  const size_t count = program.devices.size();
  devices_.resize(count);
  for (size_t d = 0; d < count; ++d) {
    Device& device = devices_[d];
    device.clock.devices.assign(count, 0);
    device.semaphores.resize(program.layout.semaphores.size());
    device.blocks.resize(program.layout.buffers.size());
    for (size_t b = 0; b < device.blocks.size(); ++b) {
      const KernelBuffer& buffer = program.layout.buffers[b];
      Block& block = device.blocks[b];
      const size_t elements = static_cast<size_t>(buffer.rows * buffer.cols);
      const bool input = buffer.role == KernelBuffer::Role::input;
      block.exists = !buffer.scoped;
      block.initialised.assign(elements, input ? 1 : 0);
      if (!numeric_) continue;
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
        devices_[d].semaphores[static_cast<size_t>(op.semaphore)].to_come += sent;
      const int32_t told = starts ? op.receive_semaphore : op.semaphore;
      if (told < 0 || !is_device(op.device, count)) continue;
      devices_[static_cast<size_t>(op.device)].semaphores[static_cast<size_t>(told)].to_come += sent;
    }
  }
}

const Op& Machine::next_op(int32_t d) const {
  return program_.devices[static_cast<size_t>(d)][device(d).next];
}

bool Machine::blocked(int32_t d) const {
  const Op& op = next_op(d);
  return op.kind == OpKind::wait && device(d).semaphores[static_cast<size_t>(op.semaphore)].value < op.units;
}

void Machine::enabled(std::vector<Action>& out) const {
  out.clear();
  if (halted_) return;
  for (int32_t d = 0; d < program_.device_count(); ++d) {
    if (!device(d).exited && !blocked(d)) out.push_back({Action::Kind::device, d});
  }
  for (const int32_t number : in_flight_) {
    const bool was_read = dmas_[static_cast<size_t>(number)].read;
    out.push_back({was_read ? Action::Kind::write : Action::Kind::read, number});
  }
}

void Machine::apply(const Action& action) {
  switch (action.kind) {
    case Action::Kind::device:
      run_statement(action.index);
      break;
    case Action::Kind::read:
      read(action.index);
      break;
    case Action::Kind::write:
      write(action.index);
      break;
  }
  ++step_;
}

void Machine::run_statement(int32_t d) {
  Device& self = device(d);
  const Op& op = next_op(d);
  ++self.clock.devices[static_cast<size_t>(d)];
  ++self.next;
  if (!check_statement(d, op)) {
    halted_ = true;
    return;
  }
  switch (op.kind) {
    case OpKind::enter:
      self.entered = true;
      for (const KernelBuffer& buffer : program_.layout.buffers) {
        if (buffer.space == MemorySpace::vmem && !buffer.scoped) self.vmem += buffer.bytes();
      }
      peak_vmem_ = std::max(peak_vmem_, self.vmem);
      break;
    case OpKind::start:
      start(d, op);
      break;
    case OpKind::wait:
      wait(d, op);
      break;
    case OpKind::signal:
      check_entered(op, self.clock, d, -1, device(op.device).entered);
      tell(op.device, op.semaphore, op.units, self.clock);
      break;
    case OpKind::alloc:
    case OpKind::free:
      scope(d, op);
      break;
    case OpKind::exit:
      leave(d, op);
      return;
    default:
      compute(d, op);
  }
  check_supply(d);
}

void Machine::start(int32_t d, const Op& op) {
  const int32_t number = static_cast<int32_t>(dmas_.size());
  Dma dma;
  dma.op = op;
  dma.source = d;
  dma.clock = device(d).clock;
  dma.start_step = step_;
  dmas_.push_back(std::move(dma));
  in_flight_.push_back(number);
  max_in_flight_ = std::max(max_in_flight_, static_cast<int64_t>(in_flight_.size()));
  check_shared_receive(number);
}

void Machine::tell(int32_t d, int32_t semaphore, int64_t units, const Clock& clock) {
  if (semaphore < 0) return;
  SemaphoreState& state = device(d).semaphores[static_cast<size_t>(semaphore)];
  state.value += units;
  state.to_come -= units;
  state.arrivals.push_back({units, clock});
}

void Machine::wait(int32_t d, const Op& op) {
  Device& self = device(d);
  SemaphoreState& state = self.semaphores[static_cast<size_t>(op.semaphore)];
  CHECK(state.value >= op.units, state.value, op.units);
  state.value -= op.units;
  for (int64_t need = op.units; need > 0;) {
    Arrival& arrival = state.arrivals.front();
    const int64_t taken = std::min(need, arrival.units);
    self.clock.join(arrival.clock);
    need -= taken;
    arrival.units -= taken;
    if (arrival.units == 0) state.arrivals.pop_front();
  }
}

void Machine::scope(int32_t d, const Op& op) {
  Device& self = device(d);
  Block& block = self.blocks[static_cast<size_t>(op.dst.buffer)];
  const int64_t bytes = program_.buffer(op.dst.buffer).bytes();
  block.exists = op.kind == OpKind::alloc;
  self.vmem += block.exists ? bytes : -bytes;
  peak_vmem_ = std::max(peak_vmem_, self.vmem);
  std::fill(block.initialised.begin(), block.initialised.end(), uint8_t{0});
}

void Machine::read(int32_t number) {
  Dma& dma = dmas_[static_cast<size_t>(number)];
  dma.clock.add_half(2 * number);
  Access access;
  access.device = dma.source;
  access.half = 2 * number;
  access.line = dma.op.line;
  access.step = step_;
  touch(dma.source, dma.op.a, access, dma.clock);
  read_initialised(dma.source, dma.op.a, access);
  const Block& block = device(dma.source).blocks[static_cast<size_t>(dma.op.a.buffer)];
  const Box& box = dma.op.a.box;
  const int64_t stride = program_.buffer(dma.op.a.buffer).cols;
  for (int64_t r = 0; r < box.rows; ++r) {
    const auto first = static_cast<ptrdiff_t>((box.row + r) * stride + box.col);
    const auto last = first + static_cast<ptrdiff_t>(box.cols);
    dma.initialised.insert(dma.initialised.end(), block.initialised.begin() + first,
                           block.initialised.begin() + last);
    if (numeric_)
      dma.numbers.insert(dma.numbers.end(), block.numbers.begin() + first, block.numbers.begin() + last);
  }
  dma.read = true;
  tell(dma.source, dma.op.semaphore, dma.op.units, dma.clock);
}

void Machine::write(int32_t number) {
  Dma& dma = dmas_[static_cast<size_t>(number)];
  const int32_t target = dma.op.device;
  dma.clock.add_half(2 * number + 1);
  check_entered(dma.op, dma.clock, dma.source, number, device(target).entered);
  Access access;
  access.write = true;
  access.device = dma.source;
  access.half = 2 * number + 1;
  access.line = dma.op.line;
  access.step = step_;
  touch(target, dma.op.dst, access, dma.clock);
  Block& block = device(target).blocks[static_cast<size_t>(dma.op.dst.buffer)];
  const Box& box = dma.op.dst.box;
  const int64_t stride = program_.buffer(dma.op.dst.buffer).cols;
  for (int64_t r = 0; r < box.rows; ++r) {
    const auto from = static_cast<ptrdiff_t>(r * box.cols);
    const auto to = static_cast<ptrdiff_t>((box.row + r) * stride + box.col);
    std::copy_n(dma.initialised.begin() + from, box.cols, block.initialised.begin() + to);
    if (numeric_) std::copy_n(dma.numbers.begin() + from, box.cols, block.numbers.begin() + to);
  }
  dma.written = true;
  dma.numbers = {};
  dma.initialised = {};
  in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), number));
  tell(target, dma.op.receive_semaphore, dma.op.units, dma.clock);
  dma.clock = Clock();
}

bool Machine::complete() const {
  return !halted_ && in_flight_.empty() &&
         std::all_of(devices_.begin(), devices_.end(), [](const Device& d) { return d.exited; });
}

const Numbers& Machine::numbers(int32_t d, int32_t buffer) const {
  return device(d).blocks[static_cast<size_t>(buffer)].numbers;
}

const std::vector<uint8_t>& Machine::initialised(int32_t d, int32_t buffer) const {
  return device(d).blocks[static_cast<size_t>(buffer)].initialised;
}

}  // namespace shardscope::kernels

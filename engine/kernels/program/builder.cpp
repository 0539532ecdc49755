// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::kernels {

namespace {

// Where `item` stands among those that devices (or an earlier pipeline) declared before; added when it is
// new.
template <class T>
int32_t place_of(std::vector<T>& declared, T item) {
  const auto found = std::find(declared.begin(), declared.end(), item);
  const auto place = found - declared.begin();
  if (found == declared.end()) declared.push_back(std::move(item));
  return static_cast<int32_t>(place);
}

}  // namespace

Ref Ref::rows(int64_t first, int64_t count) const {
  return at(first, count, 0, cols());
}

Ref Ref::cols(int64_t first, int64_t count) const {
  return at(0, rows(), first, count);
}

Ref Ref::at(int64_t row, int64_t row_count, int64_t col, int64_t col_count) const {
  return Ref({slice.buffer, {slice.box.row + row, slice.box.col + col, row_count, col_count}}, type_);
}

void Semaphore::signal(int64_t inc, int64_t device, At at) {
  Op op;
  op.kind = OpKind::signal;
  op.semaphore = id;
  op.device = static_cast<int32_t>(device);
  op.units = inc;
  kernel_->emit(op, at);
}

void Semaphore::wait(int64_t value, At at) {
  Op op;
  op.kind = OpKind::wait;
  op.semaphore = id;
  op.units = value;
  kernel_->emit(op, at);
}

void Copy::start(At at) {
  Op op;
  op.kind = OpKind::start;
  op.a = src_.slice;
  op.dst = dst_.slice;
  op.device = static_cast<int32_t>(device_);
  op.semaphore = send_.id;
  op.receive_semaphore = recv_.id;
  op.acknowledged = acknowledged_;
  op.units = byte_size(src_.type(), src_.slice.box.elements());
  kernel_->emit(op, at);
}

void Copy::wait_send(At at) {
  if (send_.id >= 0) send_.wait(byte_size(src_.type(), src_.slice.box.elements()), at);
}

void Copy::wait_recv(At at) {
  if (recv_.id >= 0) recv_.wait(byte_size(dst_.type(), dst_.slice.box.elements()), at);
}

void Copy::wait(At at) {
  if (remote_) wait_send(at);
  wait_recv(at);
}

Kernel::Kernel(const KernelOptions& options, KernelProgram& program, int32_t device)
    : options_(options), program_(program), device_(device) {
  for (const auto& ops : program.devices) ops_before_ += std::ssize(ops);
}

int64_t Kernel::op_count() const {
  return ops_before_ + std::ssize(program_.devices[static_cast<size_t>(device_)]);
}

void Kernel::blame(int32_t line, int32_t column) {
  if (error_line_ != 0) return;
  error_line_ = line;
  error_column_ = column;
}

std::string Kernel::error_place() const {
  return error_line_ == 0 ? std::string() : fmt::format("{}:{}", error_line_, error_column_);
}

std::optional<int> Kernel::place_of_axis(std::string_view axis) const {
  CHECK(axis.size() == 1 && axis[0] >= 'x' && axis[0] <= 'z', axis);
  const int place = axis[0] - 'x';
  return place < options_.mesh.rank() ? std::optional<int>(place) : std::nullopt;
}

int64_t Kernel::axis_index(std::string_view axis) const {
  const auto place = place_of_axis(axis);
  return place ? options_.mesh.coordinate(DeviceId(device_), *place) : 0;
}

int64_t Kernel::axis_size(std::string_view axis) const {
  const auto place = place_of_axis(axis);
  return place ? options_.mesh.axis_size(*place) : 1;
}

int64_t Kernel::neighbour(std::string_view axis, int64_t offset) const {
  const auto place = place_of_axis(axis);
  if (!place) return device_;
  std::vector<int64_t> at = options_.mesh.coordinates(DeviceId(device_));
  const int64_t size = options_.mesh.axis_size(*place);
  int64_t& coordinate = at[static_cast<size_t>(*place)];
  coordinate = ((coordinate + offset) % size + size) % size;
  return options_.mesh.device_at(at).value;
}

int64_t Kernel::device_at(const std::vector<int64_t>& coordinates) const {
  if (coordinates.size() != static_cast<size_t>(options_.mesh.rank())) return -1;
  for (size_t a = 0; a < coordinates.size(); ++a) {
    if (coordinates[a] < 0 || coordinates[a] >= options_.mesh.axis_size(static_cast<int>(a))) return -1;
  }
  return options_.mesh.device_at(coordinates).value;
}

bool Kernel::require(bool condition, const std::string& text) {
  if (!condition && error_.empty()) error_ = text;
  return condition;
}

Ref Kernel::declare(KernelBuffer buffer) {
  const ElementType type = buffer.type;
  const Box box = buffer.box();
  require(box.rows > 0 && box.cols > 0, fmt::format("buffer {} has no elements", buffer.name));
  return Ref({place_of(program_.layout.buffers, std::move(buffer)), box}, type);
}

Ref Kernel::input(const std::string& name, int64_t rows, int64_t cols, MemorySpace space) {
  return declare(KernelBuffer{name, space, KernelBuffer::Role::input, options_.dtype, rows, cols});
}

Ref Kernel::replicated_input(const std::string& name, int64_t rows, int64_t cols, std::string_view axis) {
  KernelBuffer buffer{name, MemorySpace::hbm, KernelBuffer::Role::input, options_.dtype, rows, cols};
  buffer.replicated_over = place_of_axis(axis).value_or(-1);
  return declare(std::move(buffer));
}

Ref Kernel::output(const std::string& name, int64_t rows, int64_t cols, MemorySpace space,
                   std::string_view same_over, std::string_view sharded_over) {
  KernelBuffer buffer{name, space, KernelBuffer::Role::output, options_.dtype, rows, cols};
  if (!same_over.empty()) buffer.replicated_over = place_of_axis(same_over).value_or(-1);
  if (!sharded_over.empty()) buffer.sharded_over = place_of_axis(sharded_over).value_or(-1);
  return declare(std::move(buffer));
}

Ref Kernel::scratch(const std::string& name, MemorySpace space, int64_t rows, int64_t cols,
                    ElementType type) {
  return declare(KernelBuffer{name, space, KernelBuffer::Role::scratch, type, rows, cols});
}

Ref Kernel::scratch(const std::string& name, MemorySpace space, int64_t rows, int64_t cols) {
  return scratch(name, space, rows, cols, options_.dtype);
}

Semaphore Kernel::declare(KernelSemaphore semaphore) {
  return Semaphore(this, place_of(program_.layout.semaphores, std::move(semaphore)));
}

Semaphore Kernel::dma_semaphore(const std::string& name) {
  return declare(KernelSemaphore{name, SemaphoreKind::dma});
}

std::vector<Semaphore> Kernel::dma_semaphores(const std::string& name, int64_t count) {
  std::vector<Semaphore> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(dma_semaphore(fmt::format("{}[{}]", name, i)));
  return out;
}

Semaphore Kernel::regular_semaphore(const std::string& name) {
  return declare(KernelSemaphore{name, SemaphoreKind::regular});
}

Semaphore Kernel::barrier_semaphore(const std::string& name) {
  return declare(KernelSemaphore{name, SemaphoreKind::barrier});
}

Copy Kernel::async_copy(const Ref& src, const Ref& dst, const Semaphore& sem) {
  require(src.rows() == dst.rows() && src.cols() == dst.cols() && src.type() == dst.type(),
          fmt::format("copy of {} [{}, {}] to {} [{}, {}]", name(src.type()), src.rows(), src.cols(),
                      name(dst.type()), dst.rows(), dst.cols()));
  Copy copy;
  copy.kernel_ = this;
  copy.src_ = src;
  copy.dst_ = dst;
  copy.recv_ = sem;
  copy.device_ = device_;
  return copy;
}

Copy Kernel::remote_copy(const Ref& src, const Ref& dst, const Semaphore& send, const Semaphore& recv,
                         int64_t device) {
  Copy copy = async_copy(src, dst, recv);
  copy.send_ = send;
  copy.device_ = device;
  copy.remote_ = true;
  return copy;
}

Copy Kernel::peer_copy(const Ref& src, const Ref& dst, const Semaphore& sem, int64_t device) {
  Copy copy = async_copy(src, dst, sem);
  copy.device_ = device;
  copy.acknowledged_ = true;
  return copy;
}

}  // namespace shardscope::kernels

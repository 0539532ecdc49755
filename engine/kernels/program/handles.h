// SPDX-License-Identifier: Apache-2.0
// What a kernel's text names: buffers, semaphores, copies. Each statement keeps the line that it was written
// on.
#pragma once

#include <cstdint>

#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

// The line of a statement: of the kernel's text, or of the C++ source where a test writes one.
class At {
 public:
  explicit constexpr At(int32_t line) : line_(line) {}
  static constexpr At current(int32_t line = __builtin_LINE()) { return At(line); }
  constexpr int32_t line() const { return line_; }

 private:
  int32_t line_ = 0;
};
class Kernel;

// A buffer or a 2-D part of one. Parts may lie outside: whoever uses such a part is told.
class Ref {
 public:
  Ref() = default;
  Ref(Slice slice_in, ElementType type) : slice(slice_in), type_(type) {}
  int64_t rows() const { return slice.box.rows; }
  int64_t cols() const { return slice.box.cols; }
  ElementType type() const { return type_; }
  Ref rows(int64_t first, int64_t count) const;  // pl.ds(first, count) of the rows
  Ref cols(int64_t first, int64_t count) const;
  Ref at(int64_t row, int64_t row_count, int64_t col, int64_t col_count) const;
  Slice slice;

 private:
  ElementType type_ = ElementType::f32;
};

class Semaphore {
 public:
  Semaphore() = default;
  Semaphore(Kernel* kernel, int32_t id_in) : id(id_in), kernel_(kernel) {}
  void signal(int64_t inc, int64_t device,
              At at = At::current());               // a remote one when device is not this one
  void wait(int64_t value, At at = At::current());  // of a DMA semaphore: bytes
  int32_t id = -1;

 private:
  Kernel* kernel_ = nullptr;
};

// An asynchronous copy; making one does nothing yet. A copy to a peer tells its semaphore here when it is
// written there, and nobody there; wait() is wait_send() and wait_recv() of a remote copy:
// the latter waits on this device's own receive semaphore, which the neighbour's copy tells.
class Copy {
 public:
  void start(At at = At::current());
  void wait(At at = At::current());
  void wait_send(At at = At::current());
  void wait_recv(At at = At::current());

 private:
  friend class Kernel;
  Kernel* kernel_ = nullptr;
  Ref src_, dst_;
  Semaphore send_, recv_;
  int64_t device_ = -1;
  bool remote_ = false, acknowledged_ = false;
};

}  // namespace shardscope::kernels

// SPDX-License-Identifier: Apache-2.0
// Writes a kernel the way Pallas does. A kernel is a function void(Kernel&) that is called once per device;
// every statement remembers the line it was written on, and the function's own text is the listing that users
// see.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/program/handles.h"
#include "engine/kernels/program/options.h"
#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

class Kernel {
 public:
  Kernel(const KernelOptions& options, KernelProgram& program, int32_t device);

  const KernelOptions& options() const { return options_; }
  int64_t device_id() const { return device_; }
  // Axes by role: "x" is the mesh's first, "y" its second, "z" its third; one that it lacks has size 1.
  int64_t axis_index(std::string_view axis) const;
  int64_t axis_size(std::string_view axis) const;
  // The device `offset` further on the axis, round the ring.
  int64_t neighbour(std::string_view axis, int64_t offset) const;
  // The device with these coordinates in mesh order, -1 when there is none.
  int64_t device_at(const std::vector<int64_t>& coordinates) const;
  // The first unmet requirement is the build's error: "ag_matmul.fused: needs …".
  bool require(bool condition, const std::string& text);
  // The product that this device's part of the result takes; dots beyond it are wasted.
  void needs_product(int64_t m, int64_t depth, int64_t n);

  // Declarations, by name: every device declares the same.
  Ref input(const std::string& name, int64_t rows, int64_t cols, MemorySpace space = MemorySpace::hbm);
  // The same numbers on the devices that differ only on `axis`.
  Ref replicated_input(const std::string& name, int64_t rows, int64_t cols, std::string_view axis);
  // `same_over`, `sharded_over`: what its out_specs say of an axis; empty: nothing.
  Ref output(const std::string& name, int64_t rows, int64_t cols, MemorySpace space = MemorySpace::hbm,
             std::string_view same_over = {}, std::string_view sharded_over = {});
  Ref scratch(const std::string& name, MemorySpace space, int64_t rows, int64_t cols, ElementType type);
  Ref scratch(const std::string& name, MemorySpace space, int64_t rows, int64_t cols);  // of options().dtype
  Semaphore dma_semaphore(const std::string& name);
  std::vector<Semaphore> dma_semaphores(const std::string& name, int64_t count);
  Semaphore regular_semaphore(const std::string& name);
  Semaphore barrier_semaphore(const std::string& name = "barrier");  // a name per collective id

  Copy async_copy(const Ref& src, const Ref& dst, const Semaphore& sem);
  Copy remote_copy(const Ref& src, const Ref& dst, const Semaphore& send, const Semaphore& recv,
                   int64_t device);
  // A store into another GPU's memory: `sem` of this device is told when it is written there.
  Copy peer_copy(const Ref& src, const Ref& dst, const Semaphore& sem, int64_t device);

  // Compute, on vmem and smem. add: dst = a + b; dot: acc += a·b; store: dst = a in dst's type.
  void zero(const Ref& dst, At at = At::current());
  void add(const Ref& dst, const Ref& a, const Ref& b, At at = At::current());
  void dot(const Ref& acc, const Ref& a, const Ref& b, At at = At::current());
  void store(const Ref& dst, const Ref& a, At at = At::current());

  // 0, 1, … count-1, each marking its statements with the grid step.
  void grid(int64_t count, const std::function<void(int64_t)>& body);
  void when(bool condition, const std::function<void()>& body);

  // For what builds on the statements (pipelines): scoped buffers and defects of the text itself.
  Ref scoped(const std::string& name, int64_t rows, int64_t cols, ElementType type, At at);
  void end_scope(const Ref& ref, At at);
  void defect(FindingKind kind, const std::string& message, At at);
  void emit(Op op, const At& at);
  const std::string& error() const { return error_; }
  // Where in the kernel's text the error arose; the first place sticks.
  void blame(int32_t line, int32_t column);
  std::string error_place() const;  // "12:5", empty where it is nobody's line
  int64_t op_count() const;         // statements of this device and those before it

 private:
  std::optional<int> place_of_axis(std::string_view axis) const;
  Ref declare(KernelBuffer buffer);
  Semaphore declare(KernelSemaphore semaphore);

  const KernelOptions& options_;
  KernelProgram& program_;
  int32_t device_ = 0;
  int32_t grid_step_ = -1;
  std::string error_;
  int32_t error_line_ = 0, error_column_ = 0;
  int64_t ops_before_ = 0;
};

using KernelBody = std::function<void(Kernel&)>;

// The program of `body` on every device of options.mesh, named `id`; its lines are those of `listing`.
// Errors: an unmet requirement, at `id`, or at `id`:line:column where a line of the text is to blame.
Result<KernelProgram> build_kernel(const std::string& id, const KernelBody& body,
                                   const KernelOptions& options, const KernelListing& listing = {});

}  // namespace shardscope::kernels

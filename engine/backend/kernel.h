// SPDX-License-Identifier: Apache-2.0
// Instructions of a computation that run as one kernel, and what it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Places in a computation, ascending. Members of several kernels are computed by each of them.
struct Kernel {
  std::vector<int32_t> members;
  std::vector<int32_t> roots;   // members that others read; the last one names it
  std::vector<int32_t> inputs;  // no members, and read by them
  bool operator==(const Kernel&) const = default;
};

// Whether a kernel can hold it beside others: elementwise work, movements, reductions, lookups and iotas of
// arrays, not what others order by control.
bool is_fusible(const Instruction& instruction);
// Whether it is free wherever it stands: its array is another's with other dimensions or a part of it, or of
// one number.
bool is_view_alone(const Computation& computation, const Instruction& instruction);

// Of these members; their inputs are found.
Kernel kernel_of(const Computation& computation, std::vector<int32_t> members, std::vector<int32_t> roots);
// It as the computation of a fusion: a parameter for each input, of several roots a tuple.
Computation as_computation(const Computation& computation, const Kernel& kernel);

// What kernels take on a chip.
class KernelClock {
 public:
  KernelClock(const Program& program, const Hardware& hardware, double bytes_per_s, CompileAs as);
  // Seconds with the launch; 0 of nothing but views.
  double seconds(const Computation& computation, const Kernel& kernel) const;
  // As the compiler estimates it when it decides what to fuse.
  double compilers_seconds(const Computation& computation, const Kernel& kernel) const;
  // is_view_alone; XLA for GPUs copies parts of an array that do not lie together.
  bool is_view(const Computation& computation, const Instruction& instruction) const;
  // Of a product by the library, without its launch; 0 where the chip has no peak for it.
  double product_seconds(const Computation& computation, const Instruction& product) const;
  double scratch_seconds() const { return hardware_.programs.scratch_s; }

 private:
  bool is_all_views(const Computation& computation, const Kernel& kernel) const;

  const Program& program_;
  const Hardware& hardware_;
  CompileAs as_;
  double bytes_per_s_, operations_per_s_, launch_s_;
};

}  // namespace shardscope::inline backend

// SPDX-License-Identifier: Apache-2.0
// What single statements and copies of a kernel cost on a chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/fabric.h"
#include "engine/hardware/hardware.h"
#include "engine/kernels/program/program.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::kernels {

class KernelCost {
 public:
  // `mesh`: the kernel's, with the wraps that its links have. Errors: a product without a published peak.
  static Result<KernelCost> make(const KernelProgram& program, const Hardware& hardware, const Mesh& mesh);

  Picoseconds launch() const { return launch_; }
  int64_t resident_vmem() const { return resident_vmem_; }  // bytes of the buffers that are not scoped
  Result<Picoseconds> hbm(int64_t bytes) const;             // error: the bandwidth is not published
  // a[m, depth] · b[depth, n] on the weight-stationary array, filling and draining included.
  Result<Picoseconds> product(int64_t m, int64_t depth, int64_t n) const;
  Result<void> links_known() const { return fabric_.link_error(); }
  Picoseconds signal(int32_t from, int32_t to) const;

  struct Link {
    int64_t id = 0;
    int32_t device = 0;       // whose it is
    Picoseconds held = 0;     // how long a message keeps it
    Picoseconds latency = 0;  // after which the next link may start
    Picoseconds arrives = 0;  // when the last byte is through
  };
  std::vector<Link> way(int32_t from, int32_t to, int64_t bytes) const;

  KernelRoofline roofline(const KernelTime& time) const;
  const std::vector<std::string>& assumptions() const { return assumptions_; }

 private:
  KernelCost(const Hardware& hardware, Fabric fabric) : hardware_(hardware), fabric_(std::move(fabric)) {}

  Hardware hardware_;
  Fabric fabric_;
  Picoseconds launch_ = 0;
  int64_t resident_vmem_ = 0;
  Peak peak_;  // of the type of its products
  std::vector<std::string> assumptions_;
};

}  // namespace shardscope::kernels

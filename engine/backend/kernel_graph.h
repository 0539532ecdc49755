// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "engine/backend/kernel.h"

namespace shardscope::inline backend {

// A computation as kernels that read each other, at first one for each instruction that can be in one. A
// kernel is named by the place of its last root.
class KernelGraph {
 public:
  KernelGraph(const Computation& computation, const KernelClock& clock);

  const Computation& computation() const { return computation_; }
  const Kernel* find(int32_t name) const;  // null: it is no kernel, or none any more
  int32_t maker(int32_t place) const { return makers_[static_cast<size_t>(place)]; }  // of a root; -1: none
  double seconds(int32_t name) const { return seconds_[static_cast<size_t>(name)]; }
  const std::set<int32_t>& readers(int32_t place) const { return readers_[static_cast<size_t>(place)]; }
  // Whether something that is no kernel reads it, or nobody: it has to be made.
  bool is_kept(int32_t place) const { return kept_[static_cast<size_t>(place)]; }
  void keep(int32_t place) { kept_[static_cast<size_t>(place)] = true; }
  std::vector<int32_t> names() const;  // ascending

  Kernel joined(const Kernel& producer, const Kernel& reader) const;  // the reader computes it itself
  double seconds_of(const Kernel& kernel) const { return clock_.compilers_seconds(computation_, kernel); }
  void replace(int32_t name, Kernel by, double seconds);  // its last root stays
  void remove(int32_t name);

 private:
  void read(int32_t name, bool on);

  const Computation& computation_;
  const KernelClock& clock_;
  std::vector<std::optional<Kernel>> kernels_;  // by name
  std::vector<double> seconds_;
  std::vector<int32_t> makers_;
  std::vector<std::set<int32_t>> readers_;  // by place: names of the kernels that read it
  std::vector<bool> kept_;
};

}  // namespace shardscope::inline backend

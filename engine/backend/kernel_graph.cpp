// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/kernel_graph.h"

#include <algorithm>
#include <iterator>

namespace shardscope::inline backend {

KernelGraph::KernelGraph(const Computation& computation, const KernelClock& clock)
    : computation_(computation),
      clock_(clock),
      kernels_(computation.instructions.size()),
      seconds_(kernels_.size()),
      makers_(kernels_.size(), -1),
      readers_(kernels_.size()),
      kept_(kernels_.size(), false) {
  for (size_t k = 0; k < kernels_.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const auto name = static_cast<int32_t>(k);
    if (is_fusible(i)) {
      Kernel alone = kernel_of(computation, {name}, {name});
      const double seconds = seconds_of(alone);
      replace(name, std::move(alone), seconds);
      continue;
    }
    for (const InstructionId operand : i.operands) kept_[static_cast<size_t>(operand.value)] = true;
    for (const InstructionId earlier : *i.control_predecessors)
      kept_[static_cast<size_t>(earlier.value)] = true;
  }
  kept_[static_cast<size_t>(computation.root.value)] = true;
}

const Kernel* KernelGraph::find(int32_t name) const {
  const auto& found = kernels_[static_cast<size_t>(name)];
  return found ? &*found : nullptr;
}

std::vector<int32_t> KernelGraph::names() const {
  std::vector<int32_t> out;
  for (size_t k = 0; k < kernels_.size(); ++k)
    if (kernels_[k]) out.push_back(static_cast<int32_t>(k));
  return out;
}

Kernel KernelGraph::joined(const Kernel& producer, const Kernel& reader) const {
  std::vector<int32_t> members;
  std::ranges::set_union(producer.members, reader.members, std::back_inserter(members));
  return kernel_of(computation_, std::move(members), reader.roots);
}

void KernelGraph::read(int32_t name, bool on) {
  for (const int32_t input : kernels_[static_cast<size_t>(name)]->inputs) {
    auto& readers = readers_[static_cast<size_t>(input)];
    on ? void(readers.insert(name)) : void(readers.erase(name));
  }
  for (const int32_t root : kernels_[static_cast<size_t>(name)]->roots)
    makers_[static_cast<size_t>(root)] = on ? name : -1;
}

void KernelGraph::replace(int32_t name, Kernel by, double seconds) {
  const auto at = static_cast<size_t>(name);
  if (kernels_[at]) read(name, false);
  kernels_[at] = std::move(by);
  seconds_[at] = seconds;
  read(name, true);
}

void KernelGraph::remove(int32_t name) {
  read(name, false);
  kernels_[static_cast<size_t>(name)].reset();
}

}  // namespace shardscope::inline backend

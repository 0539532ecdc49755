// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/readers.h"

namespace shardscope::inline program {

ReadersOf readers_of(const Computation& computation, Reads reads) {
  ReadersOf out(computation.instructions.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const auto add = [&](const std::vector<InstructionId>& read) {
      for (const InstructionId id : read) {
        std::vector<size_t>& readers = out[static_cast<size_t>(id.value)];
        if (readers.empty() || readers.back() != k) readers.push_back(k);
      }
    };
    add(computation.instructions[k].operands);
    if (reads == Reads::control_too) add(computation.instructions[k].control_predecessors);
  }
  return out;
}

}  // namespace shardscope::inline program

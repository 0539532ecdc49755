// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/assumptions.h"

namespace shardscope::inline tuner {

std::vector<std::string> assumptions_of(TuneStep step) {
  std::vector<std::string> out;
  if (step == TuneStep::inference) {
    out.emplace_back(
        "forward products only (no gradients), in bf16; blocks are stacked, so the last layer feeds the "
        "first");
  } else {
    out.emplace_back(
        "a training step: the forward product of each layer and the products of its data and weight "
        "gradients, in bf16, one after the other; blocks are stacked, so the last layer feeds the first");
    out.emplace_back(
        "memory: bf16 weights and gradients, Adam's f32 master weights and two moments (12 bytes a weight, "
        "as the weights lie), each layer's X kept, and the most that one product needs beside them; what "
        "attention, norms and activation functions keep and the time of the update are not in it");
  }
  out.emplace_back(
      "resharding between products is the program that the partitioner writes for it, timed by itself");
  out.emplace_back("options that a lower bound of time and memory rules out are not timed");
  return out;
}

}  // namespace shardscope::inline tuner

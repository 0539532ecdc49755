// SPDX-License-Identifier: Apache-2.0
// Train steps of transformers as HLO text, in the form of what frameworks dump: for what long modules cost.
#pragma once

#include <cstdint>
#include <string>

namespace shardscope {

struct TrainStep {
  int64_t layers = 126;
  int64_t width = 16384, hidden = 53248, heads = 128, kv_heads = 8, vocabulary = 128256;
  int64_t batch = 512, places = 4096;
  int64_t experts = 0;                       // 0: one dense block
  int64_t data = 16, fsdp = 16, tensor = 2;  // mesh axes
  bool scanned = false;                      // the layers are rounds of a while
  int64_t devices() const { return data * fsdp * tensor; }
};
TrainStep llama_405b();
TrainStep mixtral_8x7b();

// As it comes from the framework: whole shapes and shardings.
std::string before_optimizations(const TrainStep& step);
// As a compiler prints it at the end: shapes of one device, fusions, a schedule with asynchronous
// collectives.
std::string after_optimizations(const TrainStep& step);

}  // namespace shardscope

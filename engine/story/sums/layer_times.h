// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/run/trace_source.h"

namespace shardscope::inline story {

// Layers of a program that are alike, and when each of them was under way: from the first start to the last
// end of its events on any device. Layers may overlap.
struct LayerTimes {
  struct Layer {
    std::string name;  // "layer_3"
    TimeRange time;
    bool operator==(const Layer&) const = default;
  };
  std::string title;          // "layer_0–31 ×32"
  std::string path;           // "jit(step)/decoder/layer_0–31 ×32"
  std::vector<Layer> layers;  // those that have events, by start
  TimeRange time;             // from the first start to the last end
  Picoseconds shortest = 0, longest = 0;
  bool operator==(const LayerTimes&) const = default;
};

// By start; of layers that frameworks name. One pass over the events.
std::vector<LayerTimes> layer_times(const Run& run, const std::stop_token& stop = {});

// "32 layers in 4.31 s, 128 ms to 140 ms each".
std::string layer_words(const LayerTimes& times);

}  // namespace shardscope::inline story

// SPDX-License-Identifier: Apache-2.0
// What the passes of a backend have in common.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/program/stages/stage.h"

namespace shardscope::inline backend {

// An instruction of the new program and one of the old that it is there for, by name.
using PassLinks = std::vector<std::pair<std::string, std::string>>;

// What a pass did.
struct PassEffect {
  PassLinks links;
  std::vector<std::string> said;  // a sentence each
};
struct Pass {
  std::string name;  // "reduce-scatter-creator", as XLA calls it
  std::function<Result<PassEffect>(Program&)> run;
};

// How long each instruction of a program keeps a device or its links busy, alone, by Program::global_index;
// what is free 0, a loop all of its rounds.
using StageClock = std::function<std::vector<Picoseconds>(const Program&)>;

// How much of a collective is behind other work, and why not more.
struct CollectiveOverlap {
  std::string name;           // of the collective, or of its start
  bool asynchronous = false;  // it has a start and an end
  std::string link;           // "NVLink", "network"
  Picoseconds time = 0, hidden = 0;
  std::vector<std::string> beside;  // what runs between start and end, the first 256
  std::string words;                // one sentence
};

}  // namespace shardscope::inline backend

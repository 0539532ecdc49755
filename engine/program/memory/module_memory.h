// SPDX-License-Identifier: Apache-2.0
// What a module needs of a device's memory, as XLA assigns it: one number for whoever asks.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/program/memory/layout_copies.h"

namespace shardscope::inline program {

// What is in a piece of memory at the worst moment: the largest value that it is for.
struct HeldMemory {
  enum class Kind : uint8_t { argument, result, temporary } kind = Kind::temporary;
  int32_t maker = 0;  // Program::global_index
  Shape shape;
  int64_t bytes = 0;
};
const char* name(HeldMemory::Kind kind);

// Bytes as XLA's memory_analysis() gives them: results that take the place of arguments are in both, and in
// `aliased`.
struct ModuleMemory {
  int64_t arguments = 0, results = 0, temporaries = 0, aliased = 0;
  int64_t bytes() const { return arguments + results + temporaries - aliased; }
  int32_t moment = 0;            // Program::global_index of what runs when most is held
  std::vector<HeldMemory> held;  // then, the largest first
  int64_t between = 0;           // of no array: gaps between buffers, tables of tuples
  bool complete = true;          // false: of the first kMostMemorySteps instructions only
};

// Whose compiler lays the arrays out, and the memory beside the cores that it may keep them in (a TPU's
// VMEM).
struct ChipMemory {
  LaidOutFor laid_out = LaidOutFor::cpu;
  int64_t fast_bytes = 0;
};

// The program in the order in which it stands. Arguments and results have their memory all the time; what
// loops carry is one buffer each, updated in place where nobody else reads it; what a round makes is free at
// its end; what is made inside of fusions has none. Where no compiler has scheduled it, what its layouts will
// make it copy is counted too (layout_copies.h). Values that follow each other share their places: the
// largest get theirs first, each the smallest gap that holds it. On a TPU those that find room in its fast
// memory take none, the smallest first, unless its compiler has said where each lies. Error: stopped.
Result<ModuleMemory> module_memory(const Program& program, ChipMemory chip, const std::stop_token& stop);
inline Result<ModuleMemory> module_memory(const Program& program, LaidOutFor chip,
                                          const std::stop_token& stop) {
  return module_memory(program, ChipMemory{chip}, stop);
}

}  // namespace shardscope::inline program

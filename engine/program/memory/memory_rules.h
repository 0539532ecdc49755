// SPDX-License-Identifier: Apache-2.0
// What a buffer takes in a device's memory.
#pragma once

#include <cstdint>

#include "engine/program/ir/program.h"
#include "engine/program/memory/layout_copies.h"

namespace shardscope::inline program {

// As XLA's buffer assignment has them: of CPUs and GPUs, or of TPUs (seen in what libtpu's compiler dumps).
struct MemoryRules {
  bool tiled = false;       // arrays lie in tiles, and in several memories of which one is the large one
  bool laid_out = true;     // as their layouts say; false: in the tiles that a compiler for TPUs would choose
  int64_t size_step = 1;    // a buffer takes a multiple of it
  int64_t place_step = 64;  // and stands at a multiple of it among temporaries
  bool keeps_tables = false;     // a tuple's table gives its place to nothing else
  bool ends_with_table = false;  // where each has a place of its own, the largest is behind all others
  // Places in results are given away first, and of what is left only what an instruction itself has made is
  // written over by its reader; false: whatever may stand in the place of another does.
  bool results_first = false;
  bool counts_gaps = false;  // memory_analysis() counts what lies between temporaries twice

  bool compiled_for_tpu() const { return tiled && laid_out; }  // by XLA:TPU's own compiler
};
// By the layouts of the program's own arrays: those of TPUs have tiles. A TPU's where no compiler has been
// over it: in whichever order of their dimensions they take the least.
MemoryRules memory_rules(const Program& program, LaidOutFor chip);

// Of an array; 0: it lies in another memory than the device's large one.
int64_t buffer_bytes(const Shape& array, const MemoryRules& rules);
// Of the table of a tuple of so many elements.
int64_t table_bytes(size_t elements, const MemoryRules& rules);

// Of a TPU's fast memory (VMEM) what arrays may take: libtpu's compiler for v5e keeps 16 of 128 MiB to
// kernels.
int64_t fast_bytes_for_arrays(int64_t fast_bytes);

// Whether it is a number that the core keeps to itself: one element, made by itself or by a copy and not by
// a kernel.
bool is_kept_by_core(const Instruction& maker, const Shape& shape, const MemoryRules& rules);

}  // namespace shardscope::inline program

// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/memory_rules.h"

#include <algorithm>

#include "engine/base/units.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/program/ir/layout.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {
namespace {

constexpr int64_t kPointer = 8;            // a tuple is a table of its elements' places
constexpr int64_t kPlaceStepOfGpus = 256;  // kXlaAllocatedBufferAlignBytes of XLA:GPU
constexpr MemoryRules kOfTpus{true, true, 512, 16'384, true, false, true, true};
constexpr int64_t kLanes = 128, kSublanes = 8;  // of a tile
constexpr int64_t kLongestRow = 1024;           // that an array of one dimension is cut into

bool has_tiles(const Shape& shape) {
  if (shape.is_tuple) return std::ranges::any_of(*shape.elements, has_tiles);
  return shape.layout->find(":T(") != std::string::npos;
}

// Rows or columns that are few are filled up to a power of two, more to a whole tile.
int64_t in_tile(int64_t size, int64_t least, int64_t most) {
  int64_t tile = least;
  while (tile < most && tile < size) tile *= 2;
  return round_up(size, tile);
}

// In the two dimensions as the last ones with which it takes the least.
int64_t least_tiled_bytes(const Shape& array) {
  const std::vector<int64_t>& dims = array.dims;
  const int64_t count = array.element_count();
  if (count == 0) return 0;
  if (dims.size() < 2) return byte_size(array.type, in_tile(count, kLanes, kLongestRow));
  int64_t least = 0;
  for (size_t row = 0; row < dims.size(); ++row)
    for (size_t column = 0; column < dims.size(); ++column) {
      if (row == column) continue;
      const int64_t elements = count / dims[row] / dims[column] * in_tile(dims[row], 1, kSublanes) *
                               round_up(dims[column], kLanes);
      if (least == 0 || elements < least) least = elements;
    }
  return byte_size(array.type, least);
}

// XLA's buffer assignment makes an allocation of each table, then of all that shares places, then of the
// numbers of each function that a sum, a sort or the like calls, and puts the temporary ones behind all
// others by exchanging the first of these with the last of those: the first table comes to the end where
// there is such a function.
bool calls_functions(const Program& program) {
  return std::ranges::any_of(program.computations, [](const Computation& c) {
    return std::ranges::any_of(c.instructions, [](const Instruction& i) {
      return !has(i.opcode, Trait::inlined) &&
             std::ranges::any_of(*i.called,
                                 [](const CalledComputation& called) { return *called.key == "to_apply"; });
    });
  });
}

MemoryRules rules_of_gpus(const Program& program) {
  MemoryRules out;
  out.place_step = kPlaceStepOfGpus;
  out.keeps_tables = out.results_first = true;
  out.ends_with_table = calls_functions(program);
  return out;
}

}  // namespace

MemoryRules memory_rules(const Program& program, LaidOutFor chip) {
  const bool tiled = std::ranges::any_of(program.entry_computation().instructions,
                                         [](const Instruction& i) { return has_tiles(i.shape); });
  if (tiled) return kOfTpus;
  MemoryRules out;
  if (chip == LaidOutFor::gpu) return rules_of_gpus(program);
  if (chip == LaidOutFor::tpu && !is_scheduled(program))
    out = kOfTpus, out.laid_out = out.keeps_tables = out.results_first = false;
  return out;
}

int64_t buffer_bytes(const Shape& array, const MemoryRules& rules) {
  if (!rules.tiled) return array.bytes();
  if (!rules.laid_out) return round_up(least_tiled_bytes(array), rules.size_step);
  return layout_of(array).memory_space != 0 ? 0 : round_up(stored_bytes(array), rules.size_step);
}

int64_t fast_bytes_for_arrays(int64_t fast_bytes) {
  return fast_bytes / 8 * 7;
}

int64_t table_bytes(size_t elements, const MemoryRules& rules) {
  return round_up(kPointer * static_cast<int64_t>(elements), rules.size_step);
}

bool is_kept_by_core(const Instruction& maker, const Shape& shape, const MemoryRules& rules) {
  static const OpTable<bool> kByCore({{OpClass::elementwise, true}},
                                     {{Opcode::copy, true}, {Opcode::while_, true}});
  return rules.tiled && shape.element_count() == 1 && kByCore[maker.opcode];
}

}  // namespace shardscope::inline program

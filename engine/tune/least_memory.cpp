// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/least_memory.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/program/analysis/analysis.h"
#include "engine/schedule/schedule.h"

namespace shardscope::inline tuner {
namespace {

// Buffers behind a value that is a view of several; more than these are left out.
constexpr size_t kMostBehind = 8;

struct Buffers {
  std::array<int32_t, kMostBehind> all{};
  size_t count = 0;
  const int32_t* begin() const { return all.data(); }
  const int32_t* end() const { return all.data() + count; }
  void add(int32_t buffer) {
    if (count < kMostBehind && std::find(begin(), end(), buffer) == end()) all[count++] = buffer;
  }
};

}  // namespace

int64_t least_peak_bytes(const Program& program, const std::vector<bool>& by_product) {
  const Computation& entry = program.entry_computation();
  const size_t count = entry.instructions.size();
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  const std::vector<BufferContents> contents = buffer_contents(program, std::vector<bool>(count, false));
  std::vector<int32_t> buffer_of(count, -1);
  std::vector<int64_t> bytes(contents.size(), 0);  // beside the inputs
  int64_t inputs = 0, kept = 0;
  for (size_t b = 0; b < contents.size(); ++b) {
    const Instruction& maker = entry.instructions[static_cast<size_t>(contents[b].maker() - first)];
    if (maker.opcode == Opcode::parameter) {
      inputs += maker.shape.bytes();
    } else if (!maker.rooted) {  // those are on some devices only
      bytes[b] = maker.shape.bytes();
      if (contents[b].kept) kept += bytes[b];
    }
    for (const BufferValue& value : contents[b].values) {
      buffer_of[static_cast<size_t>(value.instruction - first)] = static_cast<int32_t>(b);
      if (value.product >= 0) buffer_of[static_cast<size_t>(value.product - first)] = static_cast<int32_t>(b);
    }
  }
  std::vector<Buffers> behind(count);
  int64_t most = kept;
  for (size_t k = 0; k < count; ++k) {
    Buffers live;
    if (buffer_of[k] >= 0) live.add(buffer_of[k]);
    for (const InstructionId operand : entry.instructions[k].operands)
      for (const int32_t buffer : behind[static_cast<size_t>(operand.value)]) live.add(buffer);
    if (buffer_of[k] < 0) {
      behind[k] = live;
      continue;
    }
    behind[k].add(buffer_of[k]);
    if (by_product[k]) continue;
    int64_t sum = 0;
    for (const int32_t buffer : live) sum += bytes[static_cast<size_t>(buffer)];
    most = std::max(most, sum);
  }
  return inputs + most;
}

}  // namespace shardscope::inline tuner

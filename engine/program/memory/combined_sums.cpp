// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/combined_sums.h"

#include <algorithm>
#include <limits>

#include "engine/program/analysis/combining.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostSums = 1024;  // that are looked at

using Words = std::vector<uint64_t>;  // a bit for each sum

bool has_bit(const Words& words, size_t bit) {
  return (words[bit / 64] >> (bit % 64) & 1) != 0;
}

bool has_combiner(Opcode opcode, LaidOutFor chip) {
  enum class Combined : uint8_t { no, on_gpus, everywhere };
  static const OpTable<Combined> kCombined({}, {{Opcode::all_reduce, Combined::everywhere},
                                                {Opcode::all_gather, Combined::on_gpus},
                                                {Opcode::reduce_scatter, Combined::on_gpus}});
  const Combined where = kCombined[opcode];
  return where == Combined::everywhere || (where == Combined::on_gpus && chip == LaidOutFor::gpu);
}

class Combining {
 public:
  Combining(const Program& program, const Computation& c, LaidOutFor chip)
      : program_(program),
        c_(c),
        most_bytes_(chip == LaidOutFor::cpu ? std::numeric_limits<int64_t>::max() : kCombineBytes) {
    for (size_t k = 0; k < c.instructions.size() && sums_.size() < kMostSums; ++k) {
      const Instruction& i = c.instructions[k];
      if (has_combiner(i.opcode, chip) && is_combined(i)) sums_.push_back(k);
    }
  }

  std::vector<int32_t> run() {
    std::vector<int32_t> out(c_.instructions.size(), -1);
    if (sums_.size() < 2) return out;
    wait();
    int32_t number = 0;
    for (size_t first = 0; first < sums_.size(); ++first) {
      if (out[sums_[first]] >= 0) continue;
      const std::vector<size_t> group = group_of(first, out);
      if (group.size() < 2) continue;
      for (const size_t s : group) out[sums_[s]] = number;
      ++number;
    }
    return out;
  }

 private:
  // By instruction the sums that it waits for, itself included.
  void wait() {
    waits_.assign(c_.instructions.size(), Words((sums_.size() + 63) / 64));
    size_t next = 0;
    for (size_t k = 0; k < waits_.size(); ++k) {
      for (const InstructionId operand : c_.instructions[k].operands) {
        const Words& of = waits_[static_cast<size_t>(operand.value)];
        for (size_t w = 0; w < of.size(); ++w) waits_[k][w] |= of[w];
      }
      if (next < sums_.size() && sums_[next] == k) {
        waits_[k][next / 64] |= uint64_t{1} << (next % 64);
        ++next;
      }
    }
  }

  std::vector<size_t> group_of(size_t first, const std::vector<int32_t>& taken) const {
    std::vector<size_t> group{first};
    int64_t bytes = sum(first).shape.bytes();
    for (size_t s = first + 1; s < sums_.size() && group.size() < kMostCombined; ++s) {
      const int64_t own = sum(s).shape.bytes();
      if (taken[sums_[s]] >= 0 || sum(s).opcode != sum(first).opcode || own > most_bytes_ - bytes ||
          !go_alike(program_, sum(first), sum(s)))
        continue;
      const auto awaited = [&](size_t member) { return has_bit(waits_[sums_[s]], member); };
      if (std::ranges::any_of(group, awaited)) continue;
      bytes += own;
      group.push_back(s);
    }
    return group;
  }
  const Instruction& sum(size_t s) const { return c_.instructions[sums_[s]]; }

  const Program& program_;
  const Computation& c_;
  const int64_t most_bytes_;  // together; XLA's compiler for CPUs has no such limit
  std::vector<size_t> sums_;  // places
  std::vector<Words> waits_;
};

}  // namespace

std::vector<int32_t> combined_sums(const Program& program, const Computation& computation, LaidOutFor chip) {
  return Combining(program, computation, chip).run();
}

}  // namespace shardscope::inline program

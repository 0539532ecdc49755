// SPDX-License-Identifier: Apache-2.0
// Which of some instructions the values of a program depend on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// Bits of the sources that a value depends on; those from the 64th on share the last bit.
using SourceBits = uint64_t;
inline SourceBits source_bit(size_t source) {
  return SourceBits{1} << (source < 63 ? source : 63);
}
using LeafSources = std::vector<SourceBits>;  // by leaf of a value

// Follows sources through a program, leaf by leaf: through tuples, calls, loops and branches; all else makes
// what it makes of all that it reads. A computation that is called in several ways is followed in each.
class SourceFollower {
 public:
  using Place = std::pair<int32_t, int32_t>;  // computation, instruction
  SourceFollower(const Program& program, const std::set<Place>& sources);

  // Of the entry's root.
  LeafSources result();
  // By instruction of the entry: the bits of all its leaves.
  const LeafSources& of_entry() const { return of_entry_; }
  // Loops whose end depends on a source, in some call of them.
  const std::set<Place>& undecided() const { return undecided_; }

 private:
  using Arguments = std::vector<LeafSources>;  // by parameter number
  LeafSources followed(int32_t computation, const Arguments& arguments);
  LeafSources made(int32_t computation, const Instruction& i, Place place,
                   const std::vector<LeafSources>& values);
  LeafSources loop(const Instruction& i, Place place, LeafSources state);
  LeafSources branches(const Instruction& i, const Arguments& operands);
  SourceBits inside(const Instruction& i) const;

  const Program& program_;
  std::map<Place, SourceBits> bits_;
  std::vector<SourceBits> inside_;  // by computation: sources in it and in what it calls
  std::map<std::pair<int32_t, Arguments>, LeafSources> known_;
  std::set<Place> undecided_;
  LeafSources of_entry_;
};

}  // namespace shardscope::inline session

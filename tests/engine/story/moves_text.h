// SPDX-License-Identifier: Apache-2.0
// Sentences of the level "moves" read back into facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope::story_test {

// "(0,0) sends y0.2/4 (1 of 4) to (0,1), which adds it and has 2 of 4; 7 more do the same along col with …, 8
// send the other half the other way".
struct SaidMove {
  std::string source, target, what, terms, has;
  bool adds = false;
  int64_t more = 0, other_half = 0;
  std::string along;
};
// "every device multiplies (dot.3): (0,0) adds k 8–15 of 32 to y0".
struct SaidCompute {
  std::string first;  // empty: every device
  int64_t more = 0;
  std::string instruction, maker, made;
};
// "Y goes from 1 of 4 to 2 of 4 partial sums on all devices"; counts as written: "1–2 of 4".
struct SaidSum {
  std::string array, before, after;
  int64_t devices = 0;  // -1: all
};
struct SaidUnderWay {
  std::string instruction;
  bool transfers = false;
  int64_t count = 0;
  bool operator==(const SaidUnderWay&) const = default;
};
// "X is cut into 8 blocks (2×4), each on 1 device", "W is whole on every device".
struct SaidPlacement {
  std::string array;
  int64_t blocks = 1, least_copies = 0, most_copies = 0;  // copies -1: every device
};
struct SaidMoves {
  std::string phase;
  std::vector<SaidMove> moves;
  std::optional<SaidCompute> compute;
  std::vector<SaidSum> sums;
  std::vector<std::string> complete;  // arrays
  std::vector<SaidUnderWay> under_way;
  std::vector<SaidPlacement> placements;
  std::vector<std::string> own;  // "every device has x of its own"
  std::string not_understood;    // the first clause that says nothing that is known
};

SaidMoves parse_moves(const std::string& text);

}  // namespace shardscope::story_test

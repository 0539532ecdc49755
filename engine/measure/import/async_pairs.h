// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/import/event_words.h"
#include "engine/measure/import/reader.h"

namespace shardscope::inline measure {

// -start and -done of an asynchronous operation, which together are one: from the one's start to the other's
// end. They pair by their flow where the profile has it, else by name.
class AsyncPairs {
 public:
  struct Half {
    std::string instruction;  // "all-gather-start.3"
    int64_t flow = 0;         // 0: the profile does not say
    ClockTime start;
    Picoseconds duration = 0;
    int16_t device = 0;
    int16_t lane = 0;
    ProfiledOperation facts;  // of the operation
  };
  static bool is_half(std::string_view instruction);
  // `whole_line`: a line that shows operations whole; what it has is not made up from the halves of other
  // lines.
  Result<void> take(Half half, bool whole_line, Importing& into);
  // Adds what has come together, and what stayed alone on lines of its own. Pairs are gone then.
  Result<void> finish(Importing& into);

 private:
  struct Pair {
    Half start;
    Picoseconds duration = 0;
  };
  using Key = std::pair<int16_t, std::string>;
  Result<void> add(const Half& half, Picoseconds duration, int16_t lane, Importing& into);

  std::map<Key, Half> open_whole_, open_;
  std::vector<Pair> pairs_;   // of lines that do not show them whole
  std::set<Key> seen_whole_;  // operations that a line shows whole
};

}  // namespace shardscope::inline measure

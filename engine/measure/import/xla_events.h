// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/measure/import/async_pairs.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/reader.h"
#include "engine/measure/import/xla_lines.h"

namespace shardscope {

// An event of a line of XLA's operations, whichever format it stands in.
struct XlaEvent {
  ClockTime start;
  Picoseconds duration = 0;
  int16_t device = 0;
  int64_t flow = 0;
};

// Adds it: on a line of a core, halves of asynchronous operations are the core's own time to begin and to
// await them, and the operation is what lies between; a stream shows the operation itself.
Result<void> add_xla_event(const HloWords& words, std::string_view line, const XlaEvent& event,
                           AsyncPairs& pairs, Importing& into);

}  // namespace shardscope

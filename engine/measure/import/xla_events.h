// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/measure/import/async_pairs.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/reader.h"
#include "engine/measure/import/xla_lines.h"

namespace shardscope::inline measure {

// An operation as a line shows it. Made once for many events.
struct XlaOperation {
  ProfiledOperation facts;
  int32_t number = -1;  // in the builder, of what stands on the line itself; -1: nothing does
  bool half = false;    // of an asynchronous pair that is put together
};
// On a line of a core, halves of asynchronous operations are the core's own time to begin and to await them,
// and the operation is what lies between; a stream shows the operation itself.
Result<XlaOperation> xla_operation(const HloWords& words, XlaLine kind, std::string_view line,
                                   Importing& into);

// An event of it, whichever format it stands in.
struct XlaEvent {
  ClockTime start;
  Picoseconds duration = 0;
  int16_t device = 0, lane = 0;
  XlaLine kind = XlaLine::operations;
  int64_t flow = 0;
};
Result<void> add_xla_event(const XlaOperation& operation, const XlaEvent& event, AsyncPairs& pairs,
                           Importing& into);

}  // namespace shardscope::inline measure

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "app/window/document/shown_run.h"

namespace shardscope::inline window {

struct FoundEvents {
  std::vector<int32_t> numbers;  // places in Timeline::events, ascending; the first `most`
  int64_t count = 0;             // of all that match
};
// The events whose device, lane or instruction hold each of the words.
FoundEvents find_events(const ShownRun& shown, const QString& words, size_t most);

}  // namespace shardscope::inline window

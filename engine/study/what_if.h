// SPDX-License-Identifier: Apache-2.0
// A question to a run, and the answer that views draw.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/chip_changes.h"
#include "engine/hardware/overrides.h"
#include "engine/run/terms.h"
#include "engine/run/timeline.h"

namespace shardscope::inline study {

// How long would it take if these were so? All is relative to the run as it is: a factor multiplies what it
// has, a slow chip or link has that share of its normal speed. The program and the algorithm of each
// collective stay what they are.
struct WhatIf {
  HardwareOverrides overrides;
  ChipChanges chip;
  std::vector<int64_t> events;          // take no time: places in Timeline::events of the run
  std::vector<std::string> operations;  // likewise: names of instructions
  bool empty() const { return overrides.empty() && chip.empty() && events.empty() && operations.empty(); }
  bool operator==(const WhatIf&) const = default;
};

// A run's total and what it is made of; each of the two tables adds up to it.
struct TimeSplit {
  Picoseconds total = 0;
  Terms terms{};
  Parts parts{};
  bool operator==(const TimeSplit&) const = default;
};
TimeSplit split_of(const Timeline& timeline);

struct WhatIfAnswer {
  WhatIf question;
  TimeSplit base, then;
  double peak_bytes = 0;     // of the fullest device
  std::optional<bool> fits;  // the chip's memory; none: its size is not published
  std::shared_ptr<const Timeline> timeline;
  Picoseconds delta() const { return then.total - base.total; }
};

// What one number is worth.
struct Sensitivity {
  std::string parameter;   // as an option takes it: "link col", "peak", "hbm", "latency", "launch"
  double value = 0;        // what it is, in `unit`
  std::string unit;        // "B/s", "FLOP/s", "s"
  Picoseconds plus10 = 0;  // by how much the total changes when it is 10 % better: negative is faster
  // The factor (of a latency and an overhead below 1) from which on the total falls no longer, to 1 %; none:
  // it still falls at a thousand times as good.
  std::optional<double> stops_at;
  bool operator==(const Sensitivity&) const = default;
};

inline constexpr const char* kWhatIfNote =
    "the program and the algorithm of each collective stay what they are; a run on such hardware may choose "
    "others";
// "102 µs → 81 µs: 21 µs less (20 µs less exposed, 1 µs less idle)"
std::string what_if_sentence(const WhatIfAnswer& answer);
std::string value_text(const Sensitivity& row);     // "45 GB/s"
std::string stops_at_text(const Sensitivity& row);  // "until ×2.4", "to the end", "nothing"

// The options of a question as they are typed: {"--link", "col=x2", "--event", "17=0"}.
std::vector<std::string> options_of(const WhatIf& question);

// The same as words for a name: "link col=x2, latency 0"; empty for no question.
std::string changes_text(const WhatIf& question);

}  // namespace shardscope::inline study

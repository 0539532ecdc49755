// SPDX-License-Identifier: Apache-2.0
// A chip with some of its numbers changed: what would run faster if its memory were, or if links had no
// latency.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline hardware {

// A number, times a factor or replaced: "x2", "0.5e-6".
struct NumberChange {
  bool factor = true;
  double value = 1;
  double of(double number) const { return factor ? number * value : value; }
  bool operator==(const NumberChange&) const = default;
};
Result<NumberChange> parse_number_change(std::string_view text);  // finite, not negative
std::string text(const NumberChange& it);                         // as parse_number_change reads it
NumberChange after(const NumberChange& first, const NumberChange& then);

// Peak of every element type in flop/s, bandwidth of the memory in bytes/s, latency of a hop and overhead of
// a launch (of a product and of a collective) in seconds; those that were measured of collectives and of
// elementwise work change with them.
struct ChipChanges {
  std::optional<NumberChange> peak, hbm, latency, launch;
  bool empty() const { return !peak && !hbm && !latency && !launch; }
  bool operator==(const ChipChanges&) const = default;
};
ChipChanges after(const ChipChanges& first, const ChipChanges& then);

// Errors: a number that nobody published times a factor, a peak or bandwidth of 0.
Result<Hardware> changed(Hardware hardware, const ChipChanges& changes);

}  // namespace shardscope::inline hardware

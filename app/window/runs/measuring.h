// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/window/document/clock.h"

namespace shardscope::inline window {

// Measuring from one point to another: an event is a point with both its ends, a place without one its time.
// M begins, and is a point where an event is selected; clicks are points; Esc ends it at any stage. The
// second point marks the range between, which is then there to be read.
class Measuring {
 public:
  explicit Measuring(Clock& clock) : clock_(clock) {}
  bool on() const { return on_; }
  void key();
  void point(const ItemId& item, Picoseconds time);  // a click while it is on
  void forget() { on_ = false, from_.reset(); }
  void end();                // what was marked meanwhile is let go
  std::string hint() const;  // empty: it is off

 private:
  void take(TimeRange point);

  Clock& clock_;
  bool on_ = false;
  std::optional<TimeRange> from_;
};

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
// When which device does which operation inside a stretch of time: what range statistics and the table of
// operations over time are both summed from.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/run/run.h"
#include "engine/run/spans.h"
#include "engine/story/sums/operations.h"

namespace shardscope::inline story {

// A sum over events asks so often whether it is stopped.
inline constexpr size_t kEventsBetweenStops = 1 << 14;

// A stretch in which a device does an operation without a pause; a transfer is done by the device that it
// leaves and by the one that it arrives at.
struct BusySpan {
  int32_t operation = 0;  // place in Operations::keys, or what any of them does:
  int32_t device = 0;     // place among the chosen devices
  TimeRange time;
  Picoseconds hidden = 0;  // of it: the device computes meanwhile
};
inline constexpr int32_t kAnyCompute = -1, kAnyTransfer = -2;

// Goes over a run's events once. What it holds are the spans that may still grow, a few a device, however
// many events there are.
class BusySweep {
 public:
  using Take = std::function<void(const BusySpan&)>;
  // `devices`: those that count, ascending, each once.
  BusySweep(const Run& run, const Operations& operations, TimeRange range, std::span<const int32_t> devices);
  // Each span once; none that overlaps another of its operation and device. False: stopped on the way.
  bool go(const Take& take, const std::stop_token& stop);
  // During which any of the devices does an operation, once the sweep is over.
  Picoseconds anywhere(size_t operation) const { return anywhere_[operation].length; }

 private:
  struct Device {
    std::vector<BusySpan> open;
    Spans compute;  // from the first that an open span may lie under
  };
  void add(const Event& event, TimeRange time, int32_t device, const Take& take);
  void close_before(Device& device, Picoseconds start, const Take& take);

  const Run& run_;
  const Operations& operations_;
  TimeRange range_;
  std::vector<int32_t> places_;
  std::vector<Device> devices_;
  std::vector<CoveredTime> anywhere_;  // by operation
};

// By device of the run its place in `devices`; -1: it does not count.
std::vector<int32_t> places_of(const Run& run, std::span<const int32_t> devices);
std::vector<int32_t> all_devices(const Run& run);

}  // namespace shardscope::inline story

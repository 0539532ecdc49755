// SPDX-License-Identifier: Apache-2.0
// Any bytes are a profile or an error: Chrome JSON, XSpace, Nsight Systems' SQLite, nccl-tests, gzipped or
// not. What was read keeps its promises: views index by its numbers.
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/check.h"
#include "engine/measure/import/import.h"

namespace {

using namespace shardscope;

void check_trace(const MeasuredTrace& trace) {
  CHECK(trace.device_names.size() == static_cast<size_t>(trace.devices), trace.devices);
  CHECK(trace.matched_share >= 0 && trace.matched_share <= 1, trace.matched_share);
  CHECK(trace.event_count == static_cast<int64_t>(trace.events.size()), trace.event_count);
  Picoseconds before = INT64_MIN;
  for (const MeasuredEvent& e : trace.events) {
    CHECK(e.start >= before && e.end >= e.start && e.wait >= 0 && e.wait <= e.duration(), e.start, e.end,
          e.wait);
    CHECK(e.device >= 0 && e.device < trace.devices, e.device);
    CHECK(e.lane >= 0 && static_cast<size_t>(e.lane) < trace.lanes.size(), e.lane);
    CHECK(e.operation >= 0 && static_cast<size_t>(e.operation) < trace.operations.size(), e.operation);
    before = e.start;
  }
  for (const MeasuredOperation& o : trace.operations)
    CHECK(o.bytes >= 0 && o.total_s >= 0, o.op, o.bytes, o.total_s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("profile", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  CHECK(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), size);
  if (const auto trace = import_measured({path}, {}); trace.ok()) check_trace(*trace);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// gather: windows of an array, taken as bytes of whatever type.
#include <algorithm>
#include <cstring>

#include "engine/numerics/indexed/index_windows.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kWindowsTogether = 256;  // windows of one task

}  // namespace

// Starts are clamped to where the slice fits, as HLO does.
Result<void> run_gather(Step& step) {
  const Instruction& i = step.at();
  TRY(const GatherDims g, gather_dims(step.frame.computation, i));
  const std::vector<int64_t>& dims = step.operand_shape(0).dims;
  const auto operand = step.arrays(0), indices = step.arrays(1);
  const auto size = stored_bytes(i.shape.type, 1);
  const IndexWindows windows(IndexedDims::of(g), dims, step.operand_shape(1).dims, i.shape.dims);
  std::vector<Array> results = step.new_arrays();
  std::vector<std::vector<int64_t>> entries;
  for (const ViewPtr& view : indices) entries.push_back(index_entries(*view));
  const int64_t tasks = (windows.count() + kWindowsTogether - 1) / kWindowsTogether;
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()) * tasks, [&](int64_t task) {
    const auto device = static_cast<size_t>(task / tasks);
    const int64_t first = task % tasks * kWindowsTogether;
    if (step.run.stop.stop_requested()) return;
    for (int64_t n = first; n < std::min(first + kWindowsTogether, windows.count()); ++n) {
      std::vector<int64_t> start = windows.start(n, entries[device]);
      for (size_t d = 0; d < start.size(); ++d)
        start[d] = std::clamp<int64_t>(start[d], 0, dims[d] - g.slice_sizes[d]);
      const std::byte* from = operand[device]->data() + windows.in_array(start) * size;
      std::byte* to = results[device].mutable_data() + windows.in_slices(n) * size;
      windows.for_each_run([&](int64_t in, int64_t out, int64_t length, int64_t in_step, int64_t out_step) {
        if (in_step == 1 && out_step == 1) {
          std::memcpy(to + out * size, from + in * size, static_cast<size_t>(length * size));
          return;
        }
        for (int64_t k = 0; k < length; ++k)
          std::memcpy(to + (out + k * out_step) * size, from + (in + k * in_step) * size,
                      static_cast<size_t>(size));
      });
    }
  });
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics

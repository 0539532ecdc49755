// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/module_memory.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/program/analysis/scheduled.h"
#include "engine/program/memory/packing.h"
#include "engine/program/memory/shared_buffers.h"
#include "engine/program/memory/value_flow.h"

namespace shardscope::inline program {
namespace {

class Assignment {
 public:
  Assignment(ValueFlow flow, SharedBuffers shared) : flow_(std::move(flow)), shared_(std::move(shared)) {}

  Result<ModuleMemory> run(const std::stop_token& stop) {
    out_.complete = flow_.complete;
    for (const int32_t a : flow_.arguments) {
      out_.arguments += value(a).bytes;
      hold(HeldMemory::Kind::argument, a, value(a).bytes);
    }
    for (size_t r = 0; r < flow_.results.size(); ++r) {
      const FlowValue& v = value(flow_.results[r]);
      out_.results += v.bytes;
      if (flow_.aliased[r] >= 0)
        out_.aliased += v.bytes;
      else
        hold(HeldMemory::Kind::result, flow_.results[r], v.bytes);
    }
    TRY_VOID(hold_temporaries(stop));
    std::ranges::stable_sort(out_.held, std::greater<>(), &HeldMemory::bytes);
    out_.between = out_.bytes();
    for (const HeldMemory& held : out_.held) out_.between -= held.bytes;
    return std::move(out_);
  }

 private:
  const FlowValue& value(int32_t v) const { return flow_.values[static_cast<size_t>(v)]; }

  void hold(HeldMemory::Kind kind, int32_t v, int64_t bytes) {
    if (value(v).shape != nullptr && bytes > 0)
      out_.held.push_back({kind, value(v).maker, *value(v).shape, bytes});
  }

  // Those that stand in results may be known already.
  Result<std::vector<int32_t>> temporaries_in_heap(const std::stop_token& stop) const {
    if (!flow_.rules.results_first) return beside_results(shared_, stop);
    std::vector<int32_t> out;
    for (size_t k = 0; k < shared_.buffers.size(); ++k)
      if (shared_.buffers[k].is_temporary() && !shared_.buffers[k].in_result)
        out.push_back(static_cast<int32_t>(k));
    return out;
  }

  Result<void> hold_temporaries(const std::stop_token& stop) {
    TRY(const std::vector<int32_t> temporaries, temporaries_in_heap(stop));
    TRY(const int64_t packed, packed_bytes(shared_, temporaries, flow_.at.size(), stop));
    const std::vector<int64_t> live = bytes_by_time(shared_, temporaries, flow_.at.size());
    const auto most = std::ranges::max_element(live);
    out_.temporaries = with_gaps(shared_, temporaries, packed,
                                 std::ranges::max(bytes_used_by_time(shared_, temporaries, flow_.at.size())));
    if (out_.temporaries == 0) return {};
    const auto moment = static_cast<int32_t>(most - live.begin());
    out_.moment = flow_.at[std::min(static_cast<size_t>(moment), flow_.at.size() - 1)];
    for (const int32_t t : temporaries) {
      const SharedBuffer& b = shared_.at(t);
      const bool lives = std::ranges::any_of(
          b.lives, [&](const Interval& life) { return life.first <= moment && moment <= life.last; });
      if (lives) hold(HeldMemory::Kind::temporary, b.value, b.bytes);
    }
    return {};
  }

  const ValueFlow flow_;
  const SharedBuffers shared_;
  ModuleMemory out_;
};

}  // namespace

const char* name(HeldMemory::Kind kind) {
  switch (kind) {
    case HeldMemory::Kind::argument:
      return "argument";
    case HeldMemory::Kind::result:
      return "result";
    case HeldMemory::Kind::temporary:
      return "temporary";
  }
  return "";
}

Result<ModuleMemory> module_memory(const Program& program, ChipMemory chip, const std::stop_token& stop) {
  TRY(ValueFlow flow, value_flow(program, chip.laid_out, stop));
  TRY(SharedBuffers shared, share_buffers(flow, is_scheduled(program), stop));
  if (flow.rules.tiled && !flow.rules.laid_out)
    take_fast_memory(shared, fast_bytes_for_arrays(chip.fast_bytes), flow.at.size());
  return Assignment(std::move(flow), std::move(shared)).run(stop);
}

}  // namespace shardscope::inline program

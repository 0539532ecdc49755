// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/async_pairs.h"

#include <limits>

namespace shardscope::inline measure {
namespace {

constexpr size_t kMostOpen = 100'000;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// "all-gather-start.3" and "all-gather-done.3" are of "all-gather.3".
std::string whole_name(std::string_view instruction) {
  const size_t point = std::min(instruction.find('.'), instruction.size());
  return std::string(without_half(instruction.substr(0, point))) + std::string(instruction.substr(point));
}

std::optional<Picoseconds> between(const AsyncPairs::Half& start, const AsyncPairs::Half& done) {
  const auto minus = [](int64_t a, int64_t b) {
    return b < -kLargest || b > kLargest ? std::nullopt : checked_add(a, -b);
  };
  const auto ns = minus(done.start.ns, start.start.ns), ps = minus(done.start.ps, start.start.ps);
  const auto whole = ns ? checked_multiply(*ns, 1000) : std::nullopt;
  const auto sum = whole && ps ? checked_add(*whole, *ps) : std::nullopt;
  return sum ? checked_add(*sum, done.duration) : std::nullopt;
}

}  // namespace

bool AsyncPairs::is_half(std::string_view instruction) {
  const std::string_view stem = instruction.substr(0, instruction.find('.'));
  return stem.ends_with("-start") || stem.ends_with("-done");
}

Result<void> AsyncPairs::take(Half half, bool whole_line, Importing& into) {
  const std::string name = whole_name(half.instruction);
  const Key key{half.device, half.flow != 0 ? "flow " + std::to_string(half.flow) : name};
  auto& open = whole_line ? open_whole_ : open_;
  if (whole_line) seen_whole_.emplace(half.device, name);
  if (!is_done_half(half.instruction)) {
    if (open.size() < kMostOpen) open.insert_or_assign(key, std::move(half));
    return {};
  }
  const auto found = open.find(key);
  if (found == open.end()) return {};
  const auto duration = between(found->second, half);
  if (duration && *duration >= 0) {
    if (whole_line) {
      TRY_VOID(add(found->second, *duration, found->second.lane, into));
    } else if (pairs_.size() < TraceBuilder::kMostEvents) {
      pairs_.push_back({std::move(found->second), *duration});
    }
  }
  open.erase(found);
  return {};
}

Result<void> AsyncPairs::finish(Importing& into) {
  for (const auto& [_, half] : open_whole_) TRY_VOID(add(half, half.duration, half.lane, into));
  for (const Pair& pair : pairs_) {
    if (seen_whole_.contains({pair.start.device, whole_name(pair.start.instruction)})) continue;
    TRY(const int16_t lane, into.builder.lane("Asynchronous, from start to done"));
    TRY_VOID(add(pair.start, pair.duration, lane, into));
  }
  *this = {};
  return {};
}

Result<void> AsyncPairs::add(const Half& half, Picoseconds duration, int16_t lane, Importing& into) {
  TRY(const int32_t operation, into.operation(half.facts));
  return into.builder.add(half.start, duration,
                          {.device = half.device, .lane = lane, .operation = operation});
}

}  // namespace shardscope::inline measure

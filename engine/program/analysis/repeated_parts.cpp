// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/repeated_parts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace shardscope::inline program {
namespace {

constexpr size_t kStretch = 8;        // entries that are looked up again
constexpr size_t kFewestEntries = 4;  // of a part
constexpr size_t kPeriodsTried = 12;

// How often a stretch comes again after so many entries, most frequent first.
std::vector<size_t> likely_periods(const std::vector<uint64_t>& sequence) {
  std::unordered_map<uint64_t, size_t> seen;  // stretch -> where it was last
  std::unordered_map<size_t, size_t> votes;
  for (size_t i = 0; i + kStretch <= sequence.size(); ++i) {
    uint64_t stretch = 0;
    for (size_t k = 0; k < kStretch; ++k) stretch = stretch * 0x9E3779B97F4A7C15U + sequence[i + k];
    const auto [found, is_new] = seen.try_emplace(stretch, i);
    if (!is_new && i - found->second >= kFewestEntries) ++votes[i - found->second];
    found->second = i;
  }
  std::vector<std::pair<size_t, size_t>> by_votes;
  for (const auto& [period, count] : votes) by_votes.emplace_back(count, period);
  std::ranges::sort(by_votes, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<size_t> out;
  for (size_t k = 0; k < by_votes.size() && k < kPeriodsTried; ++k) out.push_back(by_votes[k].second);
  return out;
}

// The parts of that period, as far apart from what is taken.
std::vector<RepeatedPart> parts_of(const std::vector<uint64_t>& sequence, size_t period,
                                   const std::vector<bool>& taken) {
  std::vector<RepeatedPart> out;
  const auto again = [&](size_t i) {
    return i + period < sequence.size() && sequence[i] == sequence[i + period] && !taken[i] &&
           !taken[i + period];
  };
  for (size_t i = 0; i < sequence.size();) {
    size_t length = 0;
    while (again(i + length)) ++length;
    if (length >= period) out.push_back({i, period, length / period + 1});
    i += std::max<size_t>(length, 1);
  }
  return out;
}

size_t covered(const std::vector<RepeatedPart>& parts) {
  size_t out = 0;
  for (const RepeatedPart& part : parts) out += part.end() - part.begin;
  return out;
}

}  // namespace

std::vector<RepeatedPart> repeated_parts(const std::vector<uint64_t>& sequence) {
  std::vector<RepeatedPart> out;
  std::vector<bool> taken(sequence.size(), false);
  std::vector<size_t> periods = likely_periods(sequence);
  while (!periods.empty()) {
    size_t best = 0, most = 0;
    std::vector<RepeatedPart> parts;
    for (size_t k = 0; k < periods.size(); ++k) {
      std::vector<RepeatedPart> of_period = parts_of(sequence, periods[k], taken);
      const size_t covers = covered(of_period);
      if (covers < most || (covers == most && (covers == 0 || periods[k] > periods[best]))) continue;
      best = k;
      most = covers;
      parts = std::move(of_period);
    }
    if (most == 0) break;
    for (const RepeatedPart& part : parts) {
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(part.begin),
                taken.begin() + static_cast<std::ptrdiff_t>(part.end()), true);
      out.push_back(part);
    }
    periods.erase(periods.begin() + static_cast<std::ptrdiff_t>(best));
  }
  std::ranges::sort(out, {}, &RepeatedPart::begin);
  return out;
}

}  // namespace shardscope::inline program

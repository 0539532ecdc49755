// SPDX-License-Identifier: Apache-2.0
// The two tables that a run's time is split into; each adds up to its total in picoseconds. Comparison,
// verdict and what-if read these, and never mix the two in one sum.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/run/timeline.h"

namespace shardscope::inline run {

// Of the device that `simulated` is of: every moment it computes, waits for a transfer alone, or is idle.
enum class Term : uint8_t { compute, exposed, idle };
inline constexpr std::array kTerms{Term::compute, Term::exposed, Term::idle};
const char* name(Term term);
using Terms = std::array<Picoseconds, kTerms.size()>;  // by Term
Terms terms_of(const Timeline& timeline);              // zeros without devices

// How many devices are in each term from `from` on; the others are idle. `sends`: have a transfer of their
// own on its first link, whatever else they do.
struct TermCount {
  Picoseconds from = 0;
  int32_t compute = 0, exposed = 0, sends = 0;
  bool operator==(const TermCount&) const = default;
};

// The terms of some devices moment by moment: their integral is what DeviceTotals says of these devices.
struct TermCounts {
  int32_t devices = 0;
  std::vector<TermCount> steps;  // by time, each another than the one before
  int32_t idle(const TermCount& at) const { return devices - at.compute - at.exposed; }
  TermCount at(Picoseconds time) const;
  // Over [start, end), start < end: mean numbers of devices that compute, are exposed, send.
  std::array<double, 3> mean(Picoseconds start, Picoseconds end) const;
  bool operator==(const TermCounts&) const = default;
};
// Of distinct devices, ascending. None of a timeline without events, or with more than it counts.
inline constexpr int64_t kMostCountedEvents = 4'000'000;
TermCounts term_counts(const Mesh& mesh, const Timeline& timeline, std::span<const int32_t> devices);

// Of the critical path, in the order of CriticalPath.
inline constexpr std::array kPartNames{"compute", "memory", "latency", "bandwidth", "overhead"};
using Parts = std::array<Picoseconds, kPartNames.size()>;  // by kPartNames
Parts parts_of(const CriticalPath& path);

// By instruction (Program::global_index): by how much its events on the critical path bring the end of the
// run nearer; they add up to the total. Empty for a timeline without events.
std::map<int32_t, Picoseconds> critical_by_instruction(const Timeline& timeline);

}  // namespace shardscope::inline run

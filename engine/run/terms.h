// SPDX-License-Identifier: Apache-2.0
// The two tables that a run's time is split into; each adds up to its total in picoseconds. Comparison,
// verdict and what-if read these, and never mix the two in one sum.
#pragma once

#include <array>
#include <cstdint>

#include "engine/run/timeline.h"

namespace shardscope {

// Of the device that `simulated` is of: every moment it computes, waits for a transfer alone, or is idle.
enum class Term : uint8_t { compute, exposed, idle };
inline constexpr std::array kTerms{Term::compute, Term::exposed, Term::idle};
const char* name(Term term);
using Terms = std::array<Picoseconds, kTerms.size()>;  // by Term
Terms terms_of(const Timeline& timeline);              // zeros without devices

// Of the critical path, in the order of CriticalPath.
inline constexpr std::array kPartNames{"compute", "memory", "latency", "bandwidth", "overhead"};
using Parts = std::array<Picoseconds, kPartNames.size()>;  // by kPartNames
Parts parts_of(const CriticalPath& path);

}  // namespace shardscope

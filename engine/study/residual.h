// SPDX-License-Identifier: Apache-2.0
// A run that was simulated beside a trace that was measured: what the trace takes longer, by operation and by
// cause. Table, report and picture read it; engine/report/residual computes it. Simulated and measured time
// are never one number: each row has both, and the residual between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/measured.h"

namespace shardscope::inline study {

// The first six are the critical path's, as simulated; `unmatched` is what operations do not explain: gaps
// between kernels, other overlap, work that the program does not have.
enum class ResidualTerm : uint8_t { compute, memory, latency, bandwidth, launch, sync, unmatched };
inline constexpr std::array kResidualTerms{
    ResidualTerm::compute, ResidualTerm::memory, ResidualTerm::latency,  ResidualTerm::bandwidth,
    ResidualTerm::launch,  ResidualTerm::sync,   ResidualTerm::unmatched};
const char* name(ResidualTerm term);
using ResidualTerms = std::array<Picoseconds, kResidualTerms.size()>;  // by ResidualTerm

// An instruction of the program beside the events that are its.
struct ResidualOperation {
  std::string instruction;  // its name; of a loop that was written out that of its first turn
  std::string op;           // "product 2048×1024×128", "all-gather of W over row"
  MeasuredKind kind = MeasuredKind::other;
  std::vector<int32_t> instructions;      // Program::global_index, ascending
  int64_t count = 0;                      // times that a device carries it out, simulated
  int64_t measured_count = 0;             // its events on a device in a step
  Picoseconds simulated = 0;              // during which it is under way on the device, with its launch
  std::optional<Picoseconds> measured{};  // of a step, mean over devices; none: no event is its
  ResidualTerms terms{};                  // of `simulated`: they add up to it
  Picoseconds critical = 0;               // of the run's critical path, on whatever device
  TimeRange range{};                      // simulated, from its first start to its last end on the device
  Picoseconds residual() const { return measured ? *measured - simulated : 0; }
  std::optional<double> share() const;  // residual over simulated; none without either
  // What it takes longer than simulated counts as this: the largest of its terms.
  ResidualTerm bound() const;
  bool operator==(const ResidualOperation&) const = default;
};

// What the whole takes by cause. The rows' simulated times add up to the run's total, their residuals to what
// the measured step takes longer.
struct ResidualRow {
  ResidualTerm term = ResidualTerm::compute;
  Picoseconds simulated = 0;
  std::optional<Picoseconds> measured{};  // none: no event says
  Picoseconds residual() const { return measured ? *measured - simulated : 0; }
  bool operator==(const ResidualRow&) const = default;
};

struct Residual {
  std::optional<int64_t> run_id;
  int64_t measured_id = 0;  // 0: not recorded
  std::string run, trace;   // what captions call them
  // As marked in the trace, or where its operations come again; at least one when it has events.
  std::vector<TimeRange> steps;
  size_t step = 0;              // the one that is drawn: that was asked for, else one that takes the median
  bool one_step = false;        // it was asked for: times are its alone; else medians over all steps
  int32_t device = 0;           // whose simulated times these are
  int32_t measured_device = 0;  // whose lanes are drawn
  Picoseconds simulated = 0;    // total of the run
  Picoseconds measured = 0;     // length of the step
  double matched_share = 0;     // matched time over both
  Picoseconds matched_time = 0, unmatched_time = 0;  // of all events on all devices: of a step or not
  std::vector<ResidualRow> terms;                    // by kResidualTerms
  std::vector<ResidualOperation> operations;  // the largest residuals first, behind them unmeasured ones
  std::vector<MeasuredUnmatched> unmatched;   // events that are no operation's, the longest first
  std::vector<int32_t> operation_of;  // by place in MeasuredTrace::events: place in `operations`, -1: none
  std::vector<std::string> notes;     // what is to be known of it, a sentence each
  bool operator==(const Residual&) const = default;
};

// The operation that an instruction belongs to, -1: none.
int operation_of(const Residual& residual, int32_t instruction);
// The events of an operation in the drawn step on the drawn device.
std::vector<int32_t> drawn_events(const Residual& residual, const MeasuredTrace& trace, int operation);

}  // namespace shardscope::inline study

// SPDX-License-Identifier: Apache-2.0
// How runs differ from the first of them, as table, report and picture show it. Every list is in the order of
// the runs; a run that lacks something has 0 there. Computed by engine/report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/terms.h"
#include "engine/run/trace_source.h"

namespace shardscope::inline study {

struct ComparedRun {
  std::optional<int64_t> id;
  std::string strategy, label;
  Picoseconds total = 0;
  Picoseconds price = 0;  // of resharding, beside it
  int32_t device = 0;     // that terms and operations are of: the one that `simulated` is of
  bool operator==(const ComparedRun&) const = default;
};

// What each run spends on one thing.
struct TimeRow {
  std::string name;
  std::vector<Picoseconds> values;
  Picoseconds delta(size_t run) const { return values[run] - values.front(); }
  bool operator==(const TimeRow&) const = default;
};

// What is behind a term: its rows add up to it in every run.
struct ReasonRow {
  Term term = Term::compute;
  TimeRow time;  // "product 2048×1024×128", "before all-gather over row"
  bool operator==(const ReasonRow&) const = default;
};

// Against the first run: only here, or missing here but not there.
enum class Change : uint8_t { same, longer, shorter, only, missing };
const char* name(Change change);

// An operation as one run carries it out.
struct OperationSide {
  Picoseconds time = 0;      // during which it is under way on the run's device
  Picoseconds critical = 0;  // of the critical path, on whatever device
  int64_t bytes = 0;         // of a collective: sent, mean over devices; else read and written by the device
  int64_t count = 0;         // times that it is carried out
  int64_t parts = 1;         // in so many parts what another run does at once
  std::string verb;          // by which operation: "all-gather", "collective-permute", "dot"
  Terms terms{};             // what of the run's terms is this operation's; all operations' and `rest` add up
  TimeRange range{};         // from its first start to its last end on the device
  std::vector<int32_t>
      instructions{};  // Program::global_index, ascending; none: the run has no such operation
  bool there() const { return !instructions.empty(); }
  bool operator==(const OperationSide&) const = default;
};

// What does the same in every run, whatever it is called: a collective of one array over the same axes, or
// the single moves that bring the same blocks about; a product of one size (or cut into equal parts of it);
// other operations of one kind and shape.
struct OperationRow {
  std::string key;  // "all-gather of W over row", "product 2048×1024×1024", "add f32[2048,1024]"
  std::vector<OperationSide> sides;
  Change change(size_t run) const;
  Picoseconds delta(size_t run) const { return sides[run].time - sides.front().time; }
  // Of `run` against the first: "longer", "shorter, in 8 parts", "longer, in 8 parts by 7
  // collective-permutes", "only here".
  std::string words(size_t run) const;
  bool operator==(const OperationRow&) const = default;
};

struct CollectiveRow {
  std::string opcode, axis;
  std::vector<int64_t> counts, steps;
  std::vector<std::string> algorithms;  // several by commas, "" where there is none
  std::vector<double> bytes_sent_per_device;
  bool operator==(const CollectiveRow&) const = default;
};

// What holds the memory of the fullest device when it holds most; the rows add up to that peak.
struct MemoryRow {
  std::string array;  // whose blocks they are, as stored, gathered or in the making; else what makes them
  std::vector<int64_t> bytes;
  bool operator==(const MemoryRow&) const = default;
};

struct RunDifference {
  std::vector<ComparedRun> runs;         // at least two
  std::vector<TimeRow> terms, parts;     // each adds up to the runs' totals
  std::vector<ReasonRow> reasons;        // empty when a run has no events
  std::vector<OperationRow> operations;  // the largest differences first
  // By run: of its terms what no operation stands for: it waits for others at the end, or its events do not
  // say it exactly.
  std::vector<Terms> rest;
  std::vector<CollectiveRow> collectives;
  std::vector<MemoryRow> memory;
  std::string verdict;
  std::vector<std::string> notes;  // what is to be known of the comparison: "run 3 is on another chip"
  Picoseconds gap(size_t run) const { return runs[run].total - runs.front().total; }
  bool priced() const {
    return std::ranges::any_of(runs, [](const ComparedRun& run) { return run.price > 0; });
  }
  // Of its critical path, in [0, 1].
  double critical_share(const OperationRow& row, size_t run) const;
  bool operator==(const RunDifference&) const = default;
};

// "A", …, "T".
std::string letter_of(size_t run);
// "+9.43 µs", "−3.02 µs", "0 s".
std::string signed_picoseconds(Picoseconds time);

}  // namespace shardscope::inline study

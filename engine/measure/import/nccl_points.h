// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/import/reader.h"

namespace shardscope::inline measure {

// What nccl-tests (and rccl-tests) say of one size, as text or as JSON.
struct NcclSizes {
  int64_t bytes = 0, count = 0;
  std::string type, operation;  // "f32", "sum" or "none"
};
struct NcclMeasured {
  double us = 0, algorithm = 0, bus = 0;  // GB/s
};
// None: it is no time of a collective, as one that did not run has none.
std::optional<NcclMeasured> nccl_time(std::optional<double> us, std::optional<double> algorithm,
                                      std::optional<double> bus);

// Collects the times of one test.
class NcclPoints {
 public:
  NcclPoints(std::string path, Importing& into) : path_(std::move(path)), into_(into) {}

  // Takes the test's name, "all_reduce_perf", where the text has one: in a header line or a command.
  void find_test(const std::string& text);
  // Each process may list all of them. `host`: where it is, empty: not said.
  void add_rank(const std::string& number, const std::string& host);
  void name_chip(const std::string& chip);
  void count_wrong(double values) { wrong_ += values > 0 ? 1 : 0; }  // of one measurement
  Result<void> add(const NcclSizes& sizes, const NcclMeasured& time, bool in_place);
  // Errors: nothing was added.
  Result<void> finish();
  // Whoever asked for the CPU's time has nothing to import.
  Error of_cpu() const;

 private:
  std::vector<std::string> rank_names() const;

  std::string path_;
  Importing& into_;
  std::string opcode_;                        // as the output names its test
  std::map<std::string, std::string> ranks_;  // with their hosts
  int64_t wrong_ = 0;
  std::vector<std::pair<MeasuredOperation, Picoseconds>> points_;
};

}  // namespace shardscope::inline measure

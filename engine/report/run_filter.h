// SPDX-License-Identifier: Apache-2.0
// The line that filters a list of runs:
//
//   wang                 a word, or "several words", in any column
//   strategy:wang        in that column, whole or part; tags and other ids may be cut short (tag:paper)
//   mesh=row=2,col=4     that column is it exactly
//   time<100us  peak>=1GiB  exposed>10%  x_best<=1.5
//                        numbers with their units; a part of a time is that part of the run's time
//   -wang  -tag:draft    not
//
// All of them must hold. Letters' case does not count in texts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/report/run_list.h"

namespace shardscope::inline report {

class RunFilter {
 public:
  RunFilter() = default;  // lets all through
  // Error: what and at which character, from 1 ("filter:7").
  static Result<RunFilter> parse(const std::string& text);
  bool matches(const ListedRun& run) const;
  bool empty() const { return terms_.empty(); }

 private:
  enum class Compare { contains, equal, less, less_equal, greater, greater_equal };
  struct Term {
    std::optional<size_t> column;  // none: any
    Compare compare = Compare::contains;
    std::string text;  // lower case
    std::optional<double> number;
    bool of_time = false;  // the number is a part of the run's time
    bool negated = false;
    bool holds(const ListedRun& run) const;
  };
  static Result<Term> read(const std::string& word, size_t at);
  static Result<void> read_number(const std::string& text, const std::string& where, Term& term);
  std::vector<Term> terms_;
};

// Places of those that the filter lets through.
std::set<size_t> matching(const RunFilter& filter, std::span<const RunSummary> runs,
                          const std::vector<Rank>& ranks);

}  // namespace shardscope::inline report

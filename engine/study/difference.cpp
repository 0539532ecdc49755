// SPDX-License-Identifier: Apache-2.0
#include "engine/study/difference.h"

#include <cstdlib>
#include <fmt/format.h>

#include "engine/base/say.h"

namespace shardscope::inline study {

const char* name(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::longer:
      return "longer";
    case Change::shorter:
      return "shorter";
    case Change::only:
      return "only";
    case Change::missing:
      return "missing";
  }
  return "";
}

Change OperationRow::change(size_t run) const {
  const OperationSide &here = sides[run], &first = sides.front();
  if (here.there() != first.there()) return here.there() ? Change::only : Change::missing;
  if (here.time == first.time) return Change::same;
  return here.time > first.time ? Change::longer : Change::shorter;
}

std::string OperationRow::words(size_t run) const {
  const Change change = this->change(run);
  if (!sides[run].there()) return change == Change::missing ? "missing" : "";
  const std::string word = change == Change::only ? "only here" : name(change);
  const int64_t parts = sides[run].parts, first = sides.front().parts;
  std::string out = word;
  if (first > parts || (parts > 1 && parts != first))
    out = fmt::format("{}, in {}", word, counted(parts, "part"));
  const OperationSide& side = sides[run];
  if (!sides.front().there() || side.verb == sides.front().verb) return out;
  return out + fmt::format("{} by {}", out == word ? "," : "", counted(side.count, side.verb));
}

double RunDifference::critical_share(const OperationRow& row, size_t run) const {
  const Picoseconds total = runs[run].total;
  return total > 0 ? static_cast<double>(row.sides[run].critical) / static_cast<double>(total) : 0;
}

std::string letter_of(size_t run) {
  return std::string(1, static_cast<char>('A' + run % 26));
}

std::string signed_picoseconds(Picoseconds time) {
  return (time < 0 ? "−" : time > 0 ? "+" : "") + format_picoseconds(std::abs(time));
}

}  // namespace shardscope::inline study

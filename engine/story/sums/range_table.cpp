// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/range_table.h"

#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope::inline story {

const std::vector<std::string>& range_columns() {
  static const std::vector<std::string> kColumns{
      "operation", "count", "cut", "sum", "min", "mean", "max", "share", "bytes", "gaps", "under compute"};
  return kColumns;
}

std::vector<std::vector<std::string>> range_rows(const RangeStatistics& sums) {
  std::vector<std::vector<std::string>> rows;
  for (const OperationStatistics& row : sums.operations) {
    const double hidden = row.busy > 0 ? static_cast<double>(row.hidden) / static_cast<double>(row.busy) : 0;
    rows.push_back({row.key, group_digits(row.count), row.cut > 0 ? group_digits(row.cut) : "",
                    format_picoseconds(row.sum), format_picoseconds(row.least),
                    format_picoseconds(row.mean()), format_picoseconds(row.most),
                    format_percent(sums.share(row.busy)), format_bytes(static_cast<double>(row.bytes)),
                    format_picoseconds(row.gaps), row.computes ? "" : format_percent(hidden)});
  }
  return rows;
}

std::vector<std::string> range_notes(const RangeStatistics& sums) {
  std::vector<std::string> out;
  if (sums.cut > 0)
    out.push_back(
        fmt::format("{} of {} events straddle the range's ends: sum, share and bytes count the part "
                    "inside; min, mean and max are of whole events.",
                    group_digits(sums.cut), group_digits(sums.events)));
  out.push_back(
      sums.devices == 1
          ? std::string("share: of the range, in which the device does it; gaps: in which it does not; under "
                        "compute: of its time, in which the device computes as well.")
          : fmt::format("share: of the time of {} devices, in which they do it; gaps: in which none of them "
                        "does; under compute: of its time, in which the same device computes as well.",
                        group_digits(sums.devices)));
  return out;
}

}  // namespace shardscope::inline story

// SPDX-License-Identifier: Apache-2.0
#include "engine/report/range_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/report/table.h"
#include "engine/story/sums/range_table.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

// Of one device, on the average.
double mean_s(const RangeStatistics& sums, Picoseconds of_all) {
  return to_seconds(of_all) / std::max(1, sums.devices);
}

Json operation_json(const RangeStatistics& sums, const OperationStatistics& row) {
  return {{"key", row.key},
          {"count", row.count},
          {"cut", row.cut},
          {"sum_s", to_seconds(row.sum)},
          {"min_s", to_seconds(row.least)},
          {"mean_s", row.count > 0 ? to_seconds(row.whole) / static_cast<double>(row.count) : 0},
          {"max_s", to_seconds(row.most)},
          {"busy_s", mean_s(sums, row.busy)},
          {"share", sums.share(row.busy)},
          {"gaps_s", to_seconds(row.gaps)},
          {"under_compute_s", row.computes ? Json(nullptr) : Json(mean_s(sums, row.hidden))},
          {"bytes", row.bytes}};
}

}  // namespace

std::string range_json(const RangeStatistics& sums) {
  Json operations = Json::array();
  for (const OperationStatistics& row : sums.operations) operations.push_back(operation_json(sums, row));
  const Json out{{"start_s", to_seconds(sums.range.start)},
                 {"end_s", to_seconds(sums.range.end)},
                 {"devices", sums.devices},
                 {"events", sums.events},
                 {"cut", sums.cut},
                 {"terms",
                  {{"compute_s", mean_s(sums, sums.compute)},
                   {"comm_s", mean_s(sums, sums.comm)},
                   {"exposed_s", mean_s(sums, sums.exposed)},
                   {"idle_s", mean_s(sums, sums.idle)}}},
                 {"bytes_sent", sums.bytes_sent},
                 {"operations", operations}};
  return out.dump(2) + "\n";
}

std::string range_text(const RangeStatistics& sums) {
  const auto term = [&](const char* name, Picoseconds of_all) {
    return fmt::format("{} {} ({})", name, format_seconds(mean_s(sums, of_all)),
                       format_percent(sums.share(of_all)));
  };
  std::string out =
      fmt::format("{} to {}: {} on {}, mean of each: {}, {}, {}\n\n", format_picoseconds(sums.range.start),
                  format_picoseconds(sums.range.end), format_picoseconds(sums.range.length()),
                  counted(sums.devices, "device"), term("compute", sums.compute),
                  term("exposed", sums.exposed), term("idle", sums.idle));
  TextTable table{range_columns(), range_rows(sums), std::vector<bool>(range_columns().size(), true)};
  table.right_aligned[0] = false;
  out += plain_table(table);
  for (const std::string& note : range_notes(sums)) out += "\n" + note;
  return out + "\n";
}

}  // namespace shardscope::inline report

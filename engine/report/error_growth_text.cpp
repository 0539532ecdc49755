// SPDX-License-Identifier: Apache-2.0
#include "engine/report/error_growth_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/report/table.h"

namespace shardscope::inline report {

std::string error_growth_text(const ErrorGrowth& growth) {
  std::vector<int64_t> ks;
  for (const GrowthCurve& c : growth.curves) {
    for (const GrowthPoint& p : c.points) {
      if (std::find(ks.begin(), ks.end(), p.k) == ks.end()) ks.push_back(p.k);
    }
  }
  TextTable table;
  table.header = {"sum", "law"};
  table.right_aligned = {false, false};
  for (const int64_t k : ks) {
    table.header.push_back("k = " + group_digits(k));
    table.right_aligned.push_back(true);
  }
  for (const GrowthCurve& c : growth.curves) {
    std::vector<std::string> row = {c.title, c.law};
    for (const int64_t k : ks) {
      const auto at =
          std::find_if(c.points.begin(), c.points.end(), [&](const GrowthPoint& p) { return p.k == k; });
      row.push_back(at == c.points.end() ? kNothing : fmt::format("{:.2e} ({:.2e})", at->error, at->law));
    }
    table.rows.push_back(std::move(row));
  }
  return fmt::format(
      "RMS error of a sum of k products of N(0,1) values stored in bf16, over √k; in brackets the law.\n"
      "{} sums each, seed {}; u, u16, u32: the RMS error of one rounding to bf16, f16, f32.\n\n{}",
      group_digits(growth.samples), growth.seed, plain_table(table));
}

std::string error_growth_json(const ErrorGrowth& growth) {
  nlohmann::ordered_json curves = nlohmann::ordered_json::array();
  for (const GrowthCurve& c : growth.curves) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const GrowthPoint& p : c.points) points.push_back({{"k", p.k}, {"error", p.error}, {"law", p.law}});
    curves.push_back({{"id", c.id}, {"title", c.title}, {"law", c.law}, {"points", points}});
  }
  const nlohmann::ordered_json out = {{"seed", growth.seed}, {"samples", growth.samples}, {"curves", curves}};
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline report

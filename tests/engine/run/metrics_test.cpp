// SPDX-License-Identifier: Apache-2.0
// One table of the numbers that a run comes to.
#include "engine/run/metrics.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/run/run.h"

namespace shardscope::metrics_test {
namespace {

Run compared() {
  Run run;
  run.numerics.checked = true;
  double value = 1;
  for (const Metric& m : run_metrics())
    if (m.in_numerics != nullptr) run.numerics.*m.in_numerics = value++;
  return run;
}

TEST(Metrics, OfTheComparisonAreTheReports) {
  const shardscope::Run run = compared();
  const RunNumbers numbers = numbers_of(run);
  for (const Metric& m : run_metrics()) {
    if (m.in_numerics == nullptr) continue;
    EXPECT_EQ(numbers[m.id], run.numerics.*m.in_numerics) << m.key;
  }
  EXPECT_EQ(numbers[RunMetric::allclose], 0.0);
  EXPECT_EQ(numbers[RunMetric::max_abs], run.numerics.max_abs);
}

TEST(Metrics, OfARunThatWasNotComparedThereAreNone) {
  shardscope::Run run = compared();
  run.numerics.checked = false;
  const RunNumbers numbers = numbers_of(run);
  for (const Metric& m : run_metrics()) {
    if (m.group != MetricGroup::numerics) continue;
    EXPECT_EQ(numbers[m.id], std::nullopt) << m.key;
  }
}

TEST(Metrics, AColumnOfTheRecordIsOneMetric) {
  std::set<std::string> columns;
  for (const Metric& m : run_metrics()) {
    if (!m.kept()) continue;
    EXPECT_TRUE(columns.insert(m.column).second) << m.column;
    EXPECT_EQ(find_metric_column(m.column), &m);
  }
}

}  // namespace
}  // namespace shardscope::metrics_test

// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_list.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/report/run_filter.h"

namespace shardscope::run_list_test {
namespace {

RunSummary run_of(int64_t id, const std::string& strategy, double total_s) {
  RunSummary r;
  r.id = id;
  r.strategy = strategy;
  r.status = name(RunStatus::done);
  r.mesh = "row=2,col=4";
  r.hardware = "tpu-v5e";
  r.m = r.k = r.n = 1024;
  r.dtype = "bf16";
  r.numbers[RunMetric::time] = total_s;
  r.total = to_picoseconds(total_s);
  r.numbers[RunMetric::exposed] = total_s / 5;
  r.numbers[RunMetric::peak] = 2 << 20;
  r.group = "one";
  return r;
}

class RunList : public ::testing::Test {
 protected:
  RunList() {
    runs[0].given = {"baseline", {"paper", "slow"}, "kept for the talk"};
    runs[2].m = 512;
    runs[2].numbers[RunMetric::overlap] = 0.25;
    ranks = ranks_by_place(runs);
  }
  std::vector<int64_t> filtered(const std::string& text) {
    const auto filter = RunFilter::parse(text);
    EXPECT_TRUE(filter.ok()) << filter.error().text();
    std::vector<int64_t> out;
    if (!filter.ok()) return out;
    for (const size_t i : matching(*filter, runs, ranks)) out.push_back(runs[i].id);
    return out;
  }
  std::string refusal(const std::string& text) {
    const auto filter = RunFilter::parse(text);
    return filter.ok() ? "" : filter.error().text();
  }
  using Ids = std::vector<int64_t>;
  std::vector<RunSummary> runs = {run_of(1, "wang.os", 200e-6), run_of(2, "cannon.os", 80e-6),
                                  run_of(3, "wang.ls", 90e-6)};
  std::vector<Rank> ranks;
};

TEST_F(RunList, PlainWordsMatchAnyColumnWhateverTheirCase) {
  EXPECT_EQ(filtered(""), (Ids{1, 2, 3}));
  EXPECT_EQ(filtered("wang"), (Ids{1, 3}));
  EXPECT_EQ(filtered("WANG baseline"), (Ids{1}));
  EXPECT_EQ(filtered("\"for the talk\""), (Ids{1}));
  EXPECT_EQ(filtered("-wang"), (Ids{2}));
  EXPECT_EQ(filtered("nothing like it"), (Ids{}));
}

TEST_F(RunList, AColumnIsComparedAsTextOrAsNumberWithItsUnit) {
  EXPECT_EQ(filtered("strategy:wang time<100us"), (Ids{3}));
  EXPECT_EQ(filtered("time<=0.09ms"), (Ids{2, 3}));
  EXPECT_EQ(filtered("time>=200µs"), (Ids{1}));
  EXPECT_EQ(filtered("tag:paper"), (Ids{1}));
  EXPECT_EQ(filtered("tags=slow"), (Ids{1}));
  EXPECT_EQ(filtered("tags=slo"), (Ids{}));
  EXPECT_EQ(filtered("-tag:paper"), (Ids{2, 3}));
  EXPECT_EQ(filtered("strategy=wang.os"), (Ids{1}));
  EXPECT_EQ(filtered("id=2"), (Ids{2}));
  EXPECT_EQ(filtered("peak>=2MiB"), (Ids{1, 2, 3}));
  EXPECT_EQ(filtered("peak>2MiB"), (Ids{}));
  EXPECT_EQ(filtered("overlap>10%"), (Ids{3})) << "one without a value does not hold";
  EXPECT_EQ(filtered("mesh:row=2"), (Ids{1, 2, 3}));
}

TEST_F(RunList, APercentageOfATimeIsAPartOfTheRunsOwn) {
  runs[1].numbers[RunMetric::exposed] = 0.05 * runs[1].numbers.get(RunMetric::time);
  EXPECT_EQ(filtered("exposed>10%"), (Ids{1, 3}));
  EXPECT_EQ(filtered("exposed<=5%"), (Ids{2}));
  EXPECT_EQ(filtered("exposed>30us"), (Ids{1}));
}

TEST_F(RunList, NumbersOfTheComparisonAreComparedAndSortedAsAllOthers) {
  const auto compared = [&](size_t run, double max_abs, double percent_bad) {
    RunNumbers& numbers = runs[run].numbers;
    numbers[RunMetric::allclose] = percent_bad == 0 ? 1 : 0;
    numbers[RunMetric::max_abs] = max_abs;
    numbers[RunMetric::percent_bad] = percent_bad;
  };
  compared(0, 0.5, 25);
  compared(2, 1e-3, 0);
  EXPECT_EQ(filtered("wrong>1%"), (Ids{1}));
  EXPECT_EQ(filtered("abs_error<0.01"), (Ids{3})) << "one that was not compared does not hold";
  EXPECT_EQ(filtered("numbers:differ"), (Ids{1}));
  EXPECT_EQ(filtered("numbers:equal"), (Ids{3}));
  EXPECT_EQ(filtered("\"not checked\""), (Ids{2}));
  const RunOrder by_error{*find_run_column("abs_error"), true, std::nullopt};
  EXPECT_EQ(ordered(runs, ranks, {0, 1, 2}, by_error)[0].rows, (std::vector<size_t>{0, 2, 1}));
}

TEST_F(RunList, ARefusedFilterSaysWhatAndWhere) {
  EXPECT_EQ(refusal("wang tme<5us"), "there is no column 'tme'; filter:6; did you mean time");
  EXPECT_EQ(refusal("time<fast"), "'fast' is not a number, as time is; filter:6; as in time<100us");
  EXPECT_EQ(refusal("time<5GiB"), "'gib' is not a unit of time; filter:6; units are ps, ns, us, µs, ms, s");
  EXPECT_EQ(refusal("strategy<wang"),
            "strategy is a text: it is not less or more; filter:10; say strategy:wang");
  EXPECT_EQ(refusal("a \"b"), "the quote does not end; filter:3; close it with \"");
  EXPECT_EQ(refusal("-time<"), "there is nothing behind 'time<'; filter:7; say what to look for");
  EXPECT_NE(refusal("x<2").find("'x' may be x_best or x_group"), std::string::npos);
}

TEST_F(RunList, GroupsCountTheirRunsAndNameTheirBest) {
  RunOrder order{*find_run_column("time"), false, *find_run_column("problem")};
  const auto groups = ordered(runs, ranks, {0, 1, 2}, order);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].key, "[1024,1024] · [1024,1024]");
  EXPECT_EQ(groups[0].rows, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(groups[0].best, 1U);
  EXPECT_EQ(groups[1].rows, (std::vector<size_t>{2}));
  order.descending = true;
  EXPECT_EQ(ordered(runs, ranks, {0, 1, 2}, order)[0].rows, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(ordered(runs, ranks, {}, order).size(), 0U);
}

TEST_F(RunList, WhatHasNoValueComesLastWhicheverWayItIsSorted) {
  for (const bool descending : {false, true}) {
    const RunOrder order{*find_run_column("overlap"), descending};
    EXPECT_EQ(ordered(runs, ranks, {0, 1, 2}, order)[0].rows.front(), 2U) << descending;
  }
}

TEST_F(RunList, EveryColumnStandsInTextOrderAndJson) {
  const auto json = nlohmann::json::parse(runs_json(runs, {0, 2}, {*find_run_column("id"), true}));
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["id"], 3);
  EXPECT_EQ(json["runs"][1]["tags"], (std::vector<std::string>{"paper", "slow"}));
  EXPECT_EQ(json["runs"][1]["time"], 200e-6);
  EXPECT_TRUE(json["runs"][1]["overlap"].is_null());
  const std::string text = runs_text(runs, {0, 1, 2}, {});
  for (size_t c = 0; c < run_columns().size(); ++c) {
    const RunColumn& column = run_columns()[c];
    EXPECT_TRUE(json["runs"][0].contains(column.id)) << column.id;
    EXPECT_EQ(find_run_column(column.id).value(), c);
  }
  EXPECT_NE(text.find("baseline"), std::string::npos);
  EXPECT_EQ(text.find("from"), std::string::npos) << "an empty column takes no room";
}

TEST(RunTags, AreSortedWordsEachOnce) {
  EXPECT_EQ(read_tags(" slow, paper;slow\tx "), (std::vector<std::string>{"paper", "slow", "x"}));
  EXPECT_EQ(read_tags(tag_text({"a", "b"})), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(heading_label("wide", "mine"), "wide, mine");
  EXPECT_EQ(heading_label("", "mine"), "mine");
}

}  // namespace
}  // namespace shardscope::run_list_test

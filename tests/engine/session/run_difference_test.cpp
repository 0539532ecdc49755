// SPDX-License-Identifier: Apache-2.0
// The comparison of several runs: every table adds up, operations are matched by what they do.
#include "engine/report/run_difference.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "engine/report/verdict.h"
#include "engine/session/session.h"

namespace shardscope::run_difference_test {
namespace {

std::vector<RunWithStory> swept(const std::string& preset) {
  ExecutionOptions options;
  options.numerics = false;
  const Comparison made = sweep(find_experiment(preset).value(), options, {}).value();
  std::vector<RunWithStory> out;
  for (const RunPtr& run : made.runs) out.push_back(told(run));
  return out;
}

const std::vector<RunWithStory>& teaching() {
  static const std::vector<RunWithStory> kRuns = swept("teaching");
  return kRuns;
}

RunWithStory of_strategy(const std::vector<RunWithStory>& runs, const std::string& strategy) {
  return *std::ranges::find_if(runs, [&](const RunWithStory& t) { return t.run->strategy == strategy; });
}

const OperationRow* find_row(const RunDifference& d, const std::string& key) {
  const auto found = std::ranges::find(d.operations, key, &OperationRow::key);
  return found == d.operations.end() ? nullptr : &*found;
}

// In the first runs of a sweep, as many as are compared at once.
std::vector<RunWithStory> first_of(std::vector<RunWithStory> runs) {
  runs.resize(std::min(runs.size(), kMostCompared));
  return runs;
}

void expect_sums(const std::vector<TimeRow>& rows, const RunDifference& d) {
  for (size_t r = 0; r < d.runs.size(); ++r) {
    Picoseconds sum = 0, gap = 0;
    for (const TimeRow& row : rows) sum += row.values[r], gap += row.delta(r);
    EXPECT_EQ(sum, d.runs[r].total) << d.runs[r].strategy;
    EXPECT_EQ(gap, d.gap(r)) << d.runs[r].strategy;
  }
}

TEST(RunDifference, TermsAndPartsOfUpToTwentyRunsAddUpToTotalsAndGaps) {
  for (const char* preset : {"teaching", "default"}) {
    const auto runs = first_of(swept(preset));
    ASSERT_GE(runs.size(), preset == std::string("default") ? kMostCompared : 4U);
    const RunDifference d = difference_of(runs).value();
    ASSERT_EQ(d.runs.size(), runs.size());
    expect_sums(d.terms, d);
    expect_sums(d.parts, d);
    for (size_t t = 0; t < d.terms.size(); ++t) {
      for (size_t r = 0; r < d.runs.size(); ++r) {
        Picoseconds sum = 0;
        for (const ReasonRow& row : d.reasons) sum += row.term == kTerms[t] ? row.time.values[r] : 0;
        EXPECT_EQ(sum, d.terms[t].values[r]) << d.runs[r].strategy << " " << d.terms[t].name;
      }
    }
  }
}

TEST(RunDifference, EveryInstructionThatTakesTimeIsInOneRowAndTheirCriticalTimesAddUpToTheTotal) {
  const auto runs = first_of(teaching());
  const RunDifference d = difference_of(runs).value();
  for (size_t r = 0; r < runs.size(); ++r) {
    std::set<int32_t> busy, found;
    for (const Event& e : runs[r].run->timeline.events) busy.insert(e.instruction);
    Picoseconds critical = 0;
    for (const OperationRow& row : d.operations) {
      critical += row.sides[r].critical;
      for (const int32_t i : row.sides[r].instructions) EXPECT_TRUE(found.insert(i).second) << row.key;
      EXPECT_EQ(row.sides[r].there(), row.sides[r].count > 0) << row.key;
    }
    EXPECT_EQ(found, busy) << d.runs[r].strategy;
    EXPECT_EQ(critical, d.runs[r].total) << d.runs[r].strategy;
  }
}

TEST(RunDifference, WhatHoldsTheMemoryAddsUpToThePeakOfTheFullestDevice) {
  const auto runs = first_of(teaching());
  const RunDifference d = difference_of(runs).value();
  for (size_t r = 0; r < runs.size(); ++r) {
    int64_t sum = 0;
    for (const MemoryRow& row : d.memory) sum += row.bytes[r];
    EXPECT_EQ(static_cast<double>(sum), max_per_device(runs[r].run->timeline).peak_bytes)
        << d.runs[r].strategy;
  }
}

TEST(RunDifference, ARunIsTheSameAsItself) {
  for (const RunWithStory& run : teaching()) {
    const RunDifference d = difference_of({run, run}).value();
    for (const auto& rows : {d.terms, d.parts})
      for (const TimeRow& row : rows) EXPECT_EQ(row.delta(1), 0) << run.run->strategy;
    EXPECT_FALSE(d.operations.empty());
    for (const OperationRow& row : d.operations) {
      EXPECT_EQ(row.change(1), Change::same) << run.run->strategy << " " << row.key;
      EXPECT_EQ(row.sides[0], row.sides[1]);
      EXPECT_EQ(row.sides[0].parts, 1);
    }
    EXPECT_TRUE(d.notes.empty());
    EXPECT_NE(d.verdict.find("ties"), std::string::npos) << d.verdict;
  }
}

Change turned(Change change) {
  switch (change) {
    case Change::same:
      return Change::same;
    case Change::longer:
      return Change::shorter;
    case Change::shorter:
      return Change::longer;
    case Change::only:
      return Change::missing;
    case Change::missing:
      return Change::only;
  }
  return Change::same;
}

TEST(RunDifference, TheOtherOrderTurnsEverySign) {
  const auto& runs = teaching();
  for (size_t i = 0; i + 1 < runs.size(); ++i) {
    const RunDifference there = difference_of({runs[i], runs[i + 1]}).value();
    const RunDifference back = difference_of({runs[i + 1], runs[i]}).value();
    for (size_t t = 0; t < there.terms.size(); ++t)
      EXPECT_EQ(there.terms[t].delta(1), -back.terms[t].delta(1));
    for (size_t p = 0; p < there.parts.size(); ++p)
      EXPECT_EQ(there.parts[p].delta(1), -back.parts[p].delta(1));
    ASSERT_EQ(there.operations.size(), back.operations.size());
    for (const OperationRow& row : there.operations) {
      const OperationRow* other = find_row(back, row.key);
      ASSERT_NE(other, nullptr) << row.key;
      EXPECT_EQ(other->delta(1), -row.delta(1)) << row.key;
      EXPECT_EQ(other->change(1), turned(row.change(1))) << row.key;
      EXPECT_EQ(other->sides[0].parts, row.sides[1].parts) << row.key;
    }
    EXPECT_EQ(there.verdict, back.verdict) << "the faster one beats the other, whoever is named first";
  }
}

// MeshSlice gathers in slices what the collective strategy gathers at once, by instructions of other names.
TEST(RunDifference, OneOperationInSeveralPartsIsTheSameOperation) {
  const RunWithStory whole = of_strategy(teaching(), "collective.os");
  const RunWithStory sliced = of_strategy(teaching(), "meshslice.os");
  const RunDifference d = difference_of({whole, sliced}).value();
  int parts = 0;
  for (const OperationRow& row : d.operations) {
    const OperationSide &one = row.sides[0], &many = row.sides[1];
    if (!one.there() || !many.there() || many.parts <= one.parts) continue;
    ++parts;
    EXPECT_EQ(many.count, one.count * many.parts) << row.key;
    EXPECT_NE(row.words(1).find("in " + std::to_string(many.parts) + " parts"), std::string::npos)
        << row.words(1);
    if (row.key.starts_with("all-gather")) {
      EXPECT_EQ(many.bytes, one.bytes) << row.key;
    }
  }
  EXPECT_GE(parts, 2) << "the gathers of X and W, and the product";
}

TEST(RunDifference, CollectivesAreMatchedByArrayAndAxes) {
  const RunDifference d =
      difference_of({of_strategy(teaching(), "collective.os"), of_strategy(teaching(), "wang.os")}).value();
  std::set<std::string> keys;
  for (const OperationRow& row : d.operations) EXPECT_TRUE(keys.insert(row.key).second) << row.key;
  EXPECT_TRUE(keys.contains("all-gather of X over col")) << *keys.begin();
  EXPECT_TRUE(keys.contains("all-gather of W over row")) << *keys.begin();
}

// Wang's strategy passes X round the rings of col, half of a block each way, instead of gathering it.
TEST(RunDifference, MovesOfTheBlocksAreLinkedToTheCollectiveThatTheyReplace) {
  const RunWithStory gather = of_strategy(teaching(), "collective.os"),
                     moves = of_strategy(teaching(), "wang.os");
  const RunDifference d = difference_of({gather, moves}).value();
  const OperationRow* row = find_row(d, "all-gather of X over col");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->sides[0].verb, "all-gather");
  EXPECT_EQ(row->sides[1].verb, "collective-permute");
  EXPECT_EQ(row->sides[0].count, 1);
  EXPECT_EQ(row->sides[1].count, 6);
  EXPECT_EQ(row->sides[1].parts, 8);
  EXPECT_EQ(row->sides[0].bytes, row->sides[1].bytes) << "the same blocks travel";
  EXPECT_EQ(row->words(1), "longer, in 8 parts by 6 collective-permutes");
  EXPECT_EQ(find_row(d, "collective-permute of X over col"), nullptr);
  const RunDifference back = difference_of({moves, gather}).value();
  ASSERT_NE(find_row(back, "all-gather of X over col"), nullptr);
  EXPECT_EQ(find_row(back, "all-gather of X over col")->words(1), "shorter, in 1 part by 1 all-gather");
}

// Sums that travel are the reduce-scatter's.
TEST(RunDifference, SumsPassedOnAreLinkedToTheReduceScatter) {
  Experiment e = find_experiment("teaching").value();
  ExecutionOptions options;
  options.numerics = false;
  std::vector<RunWithStory> runs;
  for (const char* strategy : {"collective.ls", "wang.ls"}) {
    RunRequest request = requests_of(e).front();
    request.strategy = strategy;
    runs.push_back(told(execute(e, request, options, {}).value()));
  }
  const RunDifference d = difference_of(runs).value();
  const auto linked = std::ranges::find_if(d.operations, [](const OperationRow& row) {
    return row.sides[0].there() && row.sides[1].there() && row.sides[0].verb == "reduce-scatter" &&
           row.sides[1].verb == "collective-permute";
  });
  ASSERT_NE(linked, d.operations.end());
  EXPECT_TRUE(linked->key.starts_with("reduce-scatter of Y over ")) << linked->key;
  EXPECT_GE(linked->sides[1].parts, 2);
}

TEST(RunDifference, EveryTermIsTheSumOfItsOperationsAndOfWhatIsLeft) {
  for (const char* preset : {"teaching", "default"}) {
    const auto runs = first_of(swept(preset));
    const RunDifference d = difference_of(runs).value();
    ASSERT_EQ(d.rest.size(), runs.size());
    for (size_t r = 0; r < runs.size(); ++r) {
      Picoseconds last = 0;  // what the device does last; it waits for others from there on
      for (const Event& e : runs[r].run->timeline.events)
        if (e.device == d.runs[r].device || e.peer == d.runs[r].device) last = std::max(last, e.end);
      for (size_t t = 0; t < kTerms.size(); ++t) {
        Picoseconds sum = d.rest[r][t];
        for (const OperationRow& row : d.operations) {
          EXPECT_GE(row.sides[r].terms[t], 0) << row.key;
          sum += row.sides[r].terms[t];
        }
        EXPECT_EQ(sum, d.terms[t].values[r]) << d.runs[r].strategy << " " << d.terms[t].name;
        if (kTerms[t] != Term::idle) {
          EXPECT_EQ(d.rest[r][t], 0) << d.runs[r].strategy;
        } else {
          EXPECT_EQ(d.rest[r][t], d.runs[r].total - last) << d.runs[r].strategy;
        }
      }
    }
  }
}

// As for more devices than a story is told of.
TEST(RunDifference, WithoutStoriesArraysAreFoundThroughTheMovesOfThePrograms) {
  std::vector<RunWithStory> runs = {of_strategy(teaching(), "collective.os"),
                                    of_strategy(teaching(), "wang.os")};
  const RunDifference with = difference_of(runs).value();
  for (RunWithStory& run : runs) run.story = nullptr;
  const RunDifference without = difference_of(runs).value();
  ASSERT_NE(find_row(without, "all-gather of X over col"), nullptr);
  EXPECT_TRUE(find_row(without, "all-gather of X over col")->sides[1].there());
  EXPECT_EQ(without.memory, with.memory);
}

TEST(RunDifference, MemoryIsByArrayWhateverStepMadeIt) {
  const auto runs = first_of(teaching());
  const RunDifference d = difference_of(runs).value();
  ASSERT_FALSE(d.memory.empty());
  for (const MemoryRow& row : d.memory)
    EXPECT_TRUE(std::set<std::string>({"X", "W", "Y"}).contains(row.array)) << row.array;
}

TEST(RunDifference, RefusesOneRunAndTwentyOne) {
  const RunWithStory run = teaching().front();
  EXPECT_EQ(difference_of({run}).error().kind,
            difference_of(std::vector<RunWithStory>(21, run)).error().kind);
  EXPECT_TRUE(difference_of(std::vector<RunWithStory>(20, run)).ok());
}

TEST(RunDifference, SaysWhenRunsAreOfOtherProblemsOrChips) {
  Experiment e = find_experiment("teaching").value();
  ExecutionOptions options;
  options.numerics = false;
  const RunRequest request = requests_of(e).front();
  const RunWithStory here = told(execute(e, request, options, {}).value());
  e.problem.m *= 2;
  e.hardware = "tpu-v4";
  const RunWithStory there = told(execute(e, request, options, {}).value());
  const RunDifference d = difference_of({here, there}).value();
  EXPECT_TRUE(d.verdict.starts_with("The runs differ in more than their strategy: problems m=")) << d.verdict;
  EXPECT_NE(d.verdict.find("; chips " + here.run->hardware.name + " ("), std::string::npos) << d.verdict;
  EXPECT_EQ(d.verdict.find(" beats "), std::string::npos) << "another problem is no rival";
}

// One sentence, whoever asks: by time and resharding, and who would be first without it is the explanation.
TEST(RunDifference, ItsVerdictIsThatOfTheRanking) {
  const auto& runs = teaching();
  std::vector<RunPtr> plain;
  for (const RunWithStory& run : runs) plain.push_back(run.run);
  const RunDifference d = difference_of(runs).value();
  const Verdict said = judge(plain, Judged::each);
  EXPECT_EQ(d.verdict, said.text);
  for (const RunPtr& run : plain)
    EXPECT_NE(d.verdict.find(run->strategy), std::string::npos) << run->strategy << ": " << d.verdict;
  for (size_t r = 0; r < runs.size(); ++r)
    EXPECT_EQ(d.runs[r].price, plain[r]->price ? plain[r]->price->total() : 0);
  const RunPtr least =
      *std::ranges::min_element(plain, {}, [](const RunPtr& run) { return run->timeline.total; });
  EXPECT_EQ(d.verdict.find("Without resharding " + least->strategy) != std::string::npos,
            least != said.winner)
      << d.verdict;
}

TEST(RunDifference, TextFitsAHundredColumnsForAnyNumberOfRuns) {
  for (const size_t count : {2U, 3U, 7U, 20U}) {
    auto runs = teaching();
    while (runs.size() < count) runs.push_back(runs[runs.size() / 2]);
    runs.resize(count);
    const std::string text = difference_text(difference_of(runs).value());
    size_t width = 0;
    for (const char c : text) {
      if (c == '\n') {
        EXPECT_LE(width, 100U) << text;
        width = 0;
      } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
        ++width;
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::run_difference_test

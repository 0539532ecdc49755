// SPDX-License-Identifier: Apache-2.0
// Verdicts over real runs: what the sentence says is what the tables say, and the tables add up.
#include "engine/report/verdict.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>

#include "engine/base/units.h"
#include "engine/collectives/algorithm_table.h"
#include "engine/session/price.h"
#include "engine/session/session.h"

namespace shardscope::verdict_test {
namespace {

Comparison swept(const Experiment& experiment) {
  ExecutionOptions options;
  options.numerics = false;
  return sweep(experiment, options, {}).value();
}

Comparison swept(const std::string& preset) {
  return swept(find_experiment(preset).value());
}

const char* const kPresets[] = {"default", "teaching", "all_4x4"};

Picoseconds sum(const auto& values) {
  return std::accumulate(values.begin(), values.end(), Picoseconds{0});
}

// "48.1 µs less compute", as it stands in a sentence.
struct Said {
  std::string time, sign, term;
};

std::vector<Said> said_in(const std::string& sentence) {
  static const std::regex pattern(
      "([0-9.]+ (?:s|ms|µs|ns|ps)) (less|more) (compute|exposed|idle|resharding)");
  std::vector<Said> out;
  for (std::sregex_iterator it(sentence.begin(), sentence.end(), pattern), end; it != end; ++it)
    out.push_back({(*it)[1], (*it)[2], (*it)[3]});
  return out;
}

Picoseconds of_table(const Difference& d, const std::string& term) {
  for (const Term t : kTerms)
    if (name(t) == term) return d.term(t);
  return d.price();
}

void expect_sums(const Run& run) {
  const Breakdown b = breakdown_of(run);
  EXPECT_EQ(sum(b.terms), b.total) << run.strategy;
  EXPECT_EQ(sum(b.parts), b.total) << run.strategy;
  ASSERT_FALSE(b.operations.empty()) << run.strategy;
  for (const Term term : kTerms) {
    Picoseconds time = 0;
    for (const OperationTime& o : b.operations) time += o.term == term ? o.time : 0;
    EXPECT_EQ(time, b.terms[static_cast<size_t>(term)]) << run.strategy << " " << name(term);
  }
}

TEST(Breakdown, TermsPartsAndOperationsOfEveryStrategyAddUpToItsTotalExactly) {
  for (const char* preset : kPresets) {
    for (const RunPtr& run : swept(preset).runs) expect_sums(*run);
  }
}

TEST(Breakdown, AddsUpOnLinesSwitchesSlowLinksAndWithoutOverlapToo) {
  Experiment e = find_experiment("default").value();
  e.problem.m = e.problem.k = 1024;
  e.mesh = Mesh::parse("row=2,col=4").value();
  e.chip_wraps = true;
  for (const char* chip : {"tpu-v5e", "tpu-v4", "cpu-host"}) {
    for (const bool overlap : {true, false}) {
      e.hardware = chip;
      e.overlap = overlap;
      for (const RunPtr& run : swept(e).runs) expect_sums(*run);
    }
  }
  e.overrides.links = {{0, 1, 0.25}};
  e.hardware = "tpu-v5e";
  for (const RunPtr& run : swept(e).runs) expect_sums(*run);
}

// Any two runs: what the words of their difference name is in the table, with that size and sign.
TEST(Verdict, EveryTermInASentenceHasTheSignAndTheSizeOfTheTable) {
  int64_t sentences = 0, terms = 0;
  for (const char* preset : kPresets) {
    const std::vector<RankedRun> ranking = rank(swept(preset).runs);
    for (size_t i = 0; i + 1 < ranking.size(); ++i) {
      const RunPtr first = ranking[i].run, second = ranking[i + 1].run;
      const Difference d = difference_of(*first, *second);
      Picoseconds of_terms = d.price();
      for (const Term t : kTerms) of_terms += d.term(t);
      EXPECT_EQ(of_terms, d.priced());
      Picoseconds of_operations = 0;
      for (const OperationDifference& o : d.operations) of_operations += o.difference();
      EXPECT_EQ(of_operations, d.total()) << first->strategy << " " << second->strategy;
      const std::string words = difference_words(d, *first, *second);
      ++sentences;
      for (const Said& said : said_in(words)) {
        const Picoseconds difference = of_table(d, said.term);
        EXPECT_EQ(said.sign == "less", difference < 0) << words;
        EXPECT_EQ(said.time, format_picoseconds(std::abs(difference))) << words;
        ++terms;
      }
      EXPECT_EQ(words.find("hides"), std::string::npos) << words;
    }
  }
  EXPECT_GE(sentences, 80);
  EXPECT_GE(terms, sentences);
}

TEST(Verdict, NamesTheWinnerTheSecondAndAReasonInItsFavour) {
  for (const char* preset : kPresets) {
    const std::vector<RunPtr> runs = swept(preset).runs;
    const Verdict verdict = judge(runs);
    const std::vector<RankedRun> ranking = rank(runs);
    EXPECT_EQ(verdict.winner, ranking[0].run) << preset;
    EXPECT_EQ(verdict.other, ranking[1].run) << preset;
    ASSERT_TRUE(verdict.difference);
    EXPECT_LE(verdict.difference->priced(), 0) << preset;
    ASSERT_FALSE(said_in(verdict.text).empty()) << verdict.text;
    EXPECT_EQ(said_in(verdict.text).front().sign, "less") << verdict.text;
    EXPECT_TRUE(verdict.text.starts_with(ranking[0].run->strategy + " ")) << verdict.text;
  }
}

TEST(Verdict, ProductsThatDifferAreNamedByTheirSizes) {
  Experiment e = find_experiment("default").value();
  e.runs = {RunRequest{.strategy = "collective.os"}, RunRequest{.strategy = "wang.os"}};
  const std::string text = judge(swept(e).runs).text;
  EXPECT_NE(text.find("8 products of 2048×256 over k=512 instead of 1 of 2048×256 over k=4096"),
            std::string::npos)
      << text;
}

// No operation takes a wait: the sentence says before what the devices are idle, in both runs. h100
// takes 8.54 µs to launch the first collective, a TPU nothing that is known.
TEST(Verdict, SaysBeforeWhatDevicesAreIdleAndForHowLong) {
  Experiment e;
  e.mesh = *Mesh::parse("row=2,col=2");
  e.problem = {256, 256, 512, ElementType::bf16, ElementType::f32};
  ExecutionOptions timing;
  timing.numerics = false;
  std::vector<RunPtr> runs;
  for (const char* chip : {"tpu-v5e", "h100"}) {
    e.hardware = chip;
    runs.push_back(execute(e, {.strategy = "wang.os"}, timing, {}).value());
  }
  const std::string said = verdict(runs);
  EXPECT_NE(said.find("8.54 µs less idle (0 s before all-gather over row instead of 8.54 µs)"),
            std::string::npos)
      << said;
}

// --- prices and groups

TEST(Price, IsNothingForTheExperimentsOwnShardingsAndTimeForOthers) {
  for (const RunPtr& run : swept("default").runs) {
    if (run->kind != StrategyKind::matmul) continue;
    ASSERT_TRUE(run->price) << run->strategy;
    const RunEnds ends = ends_of(*run);
    const bool own = ends.inputs[0].sharding == "P('row','col')" &&
                     ends.inputs[1].sharding == "P('row','col')" &&
                     ends.outputs[0].sharding == "P('row','col')";
    EXPECT_EQ(run->price->total() == 0, own) << run->strategy << " " << run->price->words();
    EXPECT_EQ(run->price->words().empty(), own) << run->strategy;
  }
}

// X[4096,4096] in bf16 from P(row,col) to whole on every device of 2x4: each device must receive 7/8 of 32
// MiB, over at most four links of 45 GB/s.
TEST(Price, IsAtLeastWhatTheLinksCanCarry) {
  Experiment e = find_experiment("default").value();
  e.runs = {RunRequest{.strategy = "megatron.column"}};
  const RunPtr run = swept(e).runs.front();
  ASSERT_FALSE(run->price->legs.empty());
  EXPECT_EQ(run->price->legs[0].array, "X");
  EXPECT_EQ(run->price->legs[0].verb, "gather");
  EXPECT_FALSE(run->price->legs[0].is_result);
  EXPECT_GE(to_seconds(run->price->legs[0].time), 7.0 / 8 * 32 * 1024 * 1024 / (4 * 45e9));
  EXPECT_EQ(run->price->words(), "gather X first, gather W first, exchange Y after");
}

// What brings the arrays there is no part of the run: where an algorithm is legal for the run's collectives
// alone, they go by the fastest. On 2x3 no group of three devices goes by doubling, none of one axis by
// torus.
TEST(Price, IsKnownWhateverAlgorithmTheRunsCollectivesGoBy) {
  Experiment e = find_experiment("default").value();
  e.mesh = *Mesh::parse("row=2,col=3");
  e.problem.m = e.problem.k = e.problem.n = 72;
  const auto price_of = [&](const std::string& strategy, CollectiveAlgorithm algorithm) {
    e.collective = algorithm;
    e.runs = {RunRequest{.strategy = strategy}};
    const RunPtr run = swept(e).runs.front();
    return run->price ? std::optional(run->price->total()) : std::nullopt;
  };
  for (const AlgorithmRow& row : collective_algorithms()) {
    for (const RunPtr& run : (e.collective = row.id, e.runs.clear(), swept(e).runs)) {
      if (run->kind != StrategyKind::matmul) continue;
      EXPECT_TRUE(run->price) << run->strategy << " by " << row.word;
    }
  }
  for (const char* strategy : {"megatron.column", "ring.ag_matmul", "summa.ls"}) {
    const auto fastest = price_of(strategy, CollectiveAlgorithm::automatic);
    ASSERT_TRUE(fastest && *fastest > 0) << strategy;
    EXPECT_EQ(price_of(strategy, CollectiveAlgorithm::torus), fastest) << strategy;
  }
}

TEST(Price, FollowsTheShardingsThatTheExperimentSays) {
  Experiment e = find_experiment("default").value();
  RunRequest wanted{.strategy = "auto"};
  wanted.options.in_lhs = P("", "");
  wanted.options.in_rhs = P("", "row");
  wanted.options.out = P("", "row");
  e.runs = {wanted, RunRequest{.strategy = "megatron.column"}, RunRequest{.strategy = "collective.os"}};
  EXPECT_EQ(own_shardings(e, e.mesh).rhs, P("", "row"));
  const std::vector<RunPtr> runs = swept(e).runs;
  EXPECT_EQ(runs[1]->price->total(), 0);
  EXPECT_GT(runs[2]->price->total(), 0) << "its result is not whole on the columns";
  // Those that say something must agree.
  RunRequest other = wanted;
  other.options.in_rhs = P("col", "");
  e.runs.push_back(other);
  EXPECT_EQ(own_shardings(e, e.mesh).rhs, P("row", "col"));
}

TEST(Price, TheBookGivesWhatTimingAgainWouldGive) {
  const std::vector<RunPtr> runs = swept("teaching").runs;
  PriceBook fresh;
  for (const RunPtr& run : runs)
    EXPECT_EQ(*run->price, *fresh.price(run->program, *run, run->hardware, {}).value()) << run->strategy;
}

TEST(Groups, InsideOneTheTimesAreComparedAcrossThemTimeAndPrice) {
  for (const char* preset : kPresets) {
    const std::vector<RankedRun> ranking = rank(swept(preset).runs);
    Picoseconds last = 0;
    std::map<size_t, std::pair<RunEnds, Picoseconds>> groups;
    for (const RankedRun& r : ranking) {
      if (!r.ranked) continue;
      const Picoseconds priced = r.run->timeline.total + r.run->price->total();
      EXPECT_GE(priced, last) << preset << " " << r.run->strategy;
      last = priced;
      ASSERT_TRUE(r.group);
      const auto [group, first] = groups.try_emplace(*r.group, ends_of(*r.run), r.run->timeline.total);
      EXPECT_EQ(group->second.first, ends_of(*r.run)) << r.run->strategy;
      EXPECT_GE(r.run->timeline.total, group->second.second) << "the order inside a group is that of times";
      EXPECT_NEAR(r.ratio_in_group,
                  static_cast<double>(r.run->timeline.total) / static_cast<double>(group->second.second),
                  1e-12);
    }
    EXPECT_GE(groups.size(), 2U) << preset;
  }
}

TEST(Groups, OtherLinksOverlapWrapsAndTypesAreOtherGroups) {
  Experiment e = find_experiment("teaching").value();
  e.runs = {RunRequest{.strategy = "wang.os"}};
  const auto key = [](const Experiment& experiment) { return group_key(*swept(experiment).runs.front()); };
  const std::string plain = key(e);
  EXPECT_EQ(key(e), plain);
  std::vector<Experiment> others(5, e);
  others[0].hardware = "tpu-v4";
  others[1].overlap = false;
  others[2].mesh = with_wrap(e.mesh, "none").value();
  others[2].chip_wraps = false;
  others[3].overrides.links = {{0, 1, 0.5}};
  others[4].efficiency = 50;
  for (size_t i = 0; i < others.size(); ++i) EXPECT_NE(key(others[i]), plain) << i;
}

// --- presets in which overlap pays, and those in which it does not

TEST(OverlapPresets, WinOrLoseAsTheirNotesSay) {
  const auto winner = [](const char* preset) { return judge(swept(preset).runs).winner->strategy; };
  EXPECT_EQ(winner("teaching"), "collective.os");
  EXPECT_EQ(winner("wang_os_2x4"), "collective.os");
  EXPECT_EQ(winner("wang_os_8192"), "wang.os");
  EXPECT_NE(winner("teaching_overlap"), "collective.os");
  EXPECT_NE(winner("teaching_overlap"), "psum");
}

}  // namespace
}  // namespace shardscope::verdict_test

// SPDX-License-Identifier: Apache-2.0
// Sentences say what is so: read back, every clause is found in the story again, and nothing of it is left
// out.
#include "engine/story/sentences.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "engine/session/hlo_presets.h"
#include "engine/session/session.h"
#include "engine/story/checks/held_elements.h"
#include "tests/engine/story/moves_text.h"
#include "tests/engine/story/told.h"

namespace shardscope::story_test {
namespace {

std::string base_name(const StoryArray& array) {
  return array.name.substr(0, array.name.find('@'));
}

// A sentence against the beat that it is of.
class Saying {
 public:
  Saying(const Story& story, int32_t number)
      : story_(story),
        beat_(story.beats()[static_cast<size_t>(number)]),
        text_(sentences(story, number).moves),
        said_(parse_moves(text_)) {}

  void check() const {
    ASSERT_EQ(said_.not_understood, "") << text_;
    if (beat_.instruction < 0) return check_placements();
    if (beat_.transfer_step >= 0) {
      check_moves();
    } else {
      check_compute();
    }
    check_complete();
    check_under_way();
  }

 private:
  const Event& event(int32_t number) const { return story_.timeline().events[static_cast<size_t>(number)]; }
  std::string place(int32_t device) const { return story_.program().mesh.place(DeviceId(device)); }
  const StoryArray& array_of(PieceId id) const {
    return story_.arrays()[static_cast<size_t>(story_.piece(id).array)];
  }
  std::string axes_of(const Event& e) const {
    std::vector<std::string> out;
    const Mesh& mesh = story_.program().mesh;
    for (int axis = 0; axis < mesh.rank(); ++axis)
      if (mesh.coordinate(DeviceId(e.device), axis) != mesh.coordinate(DeviceId(e.peer), axis))
        out.push_back(mesh.axes()[static_cast<size_t>(axis)].name);
    std::string text;
    for (size_t i = 0; i < out.size(); ++i)
      text += (i == 0 ? "" : i + 1 == out.size() ? " and " : ", ") + out[i];
    return text;
  }
  // The link that a transfer along one axis of three or more leaves by.
  int32_t way_of(const Event& e) const {
    const auto axis = story_.program().mesh.axis_index(axes_of(e));
    return axis && story_.program().mesh.axis_size(*axis) > 2 ? e.lane : -1;
  }
  // What is alike of transfers that one clause tells of.
  std::string kind_of(int32_t number) const {
    std::string arrays;
    bool adds = false;
    int32_t parts = 1;
    for (const Carried& c : story_.carried(number)) {
      if (c.piece >= 0 && arrays.find(base_name(array_of(c.piece))) == std::string::npos)
        arrays += base_name(array_of(c.piece)) + " ";
      adds = adds || c.adds;
      parts = std::max(parts, c.what.parts);
    }
    return fmt::format("{} {} {} {}", arrays, adds, parts, axes_of(event(number)));
  }

  void check_moves() const {
    int64_t told = 0;
    for (const SaidMove& move : said_.moves) {
      int32_t lead = -1;
      for (const int32_t n : beat_.events)
        if (place(event(n).device) == move.source && place(event(n).peer) == move.target &&
            name_of_transfer(story_, n) == move.what && (lead < 0 || way_of(event(n)) < way_of(event(lead))))
          lead = n;
      ASSERT_GE(lead, 0) << text_;
      check_lead(lead, move);
      int64_t same = 0;
      int64_t other_way = 0;
      for (const int32_t n : beat_.events) {
        if (kind_of(n) != kind_of(lead)) continue;
        (way_of(event(n)) == way_of(event(lead)) ? same : other_way) += 1;
      }
      EXPECT_EQ(1 + move.more, same) << text_;
      if (move.other_half > 0) {
        EXPECT_EQ(move.other_half, other_way) << text_;
      }
      if (move.more + move.other_half > 0) {
        EXPECT_EQ(move.along, axes_of(event(lead))) << text_;
      }
      told += 1 + move.more + move.other_half;
    }
    EXPECT_EQ(told, static_cast<int64_t>(beat_.events.size())) << text_;
  }

  void check_lead(int32_t lead, const SaidMove& move) const {
    const Event& e = event(lead);
    const auto carried = story_.carried(lead);
    EXPECT_EQ(move.adds, std::ranges::any_of(carried, &Carried::adds)) << text_;
    if (carried.empty() || carried[0].piece < 0) return;
    EXPECT_EQ(move.terms, short_terms(story_, carried[0].piece)) << text_;
    if (move.has.empty()) return;
    const Piece& p = story_.piece(carried[0].piece);
    const StoryArray& a = array_of(carried[0].piece);
    const int64_t count = count_of(
        terms_at(story_, story_.held(e.peer, story_.arrival(lead)), p.array, lowest(p.index.front())));
    const bool even = a.term_parts > 1 && count * a.term_parts % a.terms == 0;
    EXPECT_EQ(move.has, even ? fmt::format("{} of {}", count * a.term_parts / a.terms, a.term_parts)
                             : fmt::format("{} of {} terms", count, a.terms))
        << text_;
  }

  void check_compute() const {
    ASSERT_TRUE(said_.compute.has_value()) << text_;
    std::set<int32_t> devices;
    for (const int32_t n : beat_.events) devices.insert(event(n).device);
    EXPECT_EQ(said_.compute->instruction, story_.program().by_global_index(beat_.instruction).name);
    const int64_t told = said_.compute->first.empty() ? story_.timeline().devices : 1 + said_.compute->more;
    EXPECT_EQ(told, static_cast<int64_t>(devices.size())) << text_;
    for (const SaidSum& sum : said_.sums) check_sum(sum);
  }

  // Over the elements of a sum that a computation has just changed: terms before and after, the least and the
  // most of all devices.
  void check_sum(const SaidSum& sum) const {
    std::set<int64_t> before;
    std::set<int64_t> after;
    std::set<int32_t> devices;
    const StoryArray* array = nullptr;
    for (const int32_t n : beat_.events) {
      const Event& e = event(n);
      const std::vector<PieceId> had = story_.held(e.device, e.end - 1);
      const std::vector<PieceId> has = story_.held(e.device, e.end);
      for (const PieceId id : has) {
        if (base_name(array_of(id)) != sum.array || std::ranges::find(had, id) != had.end()) continue;
        const Piece& p = story_.piece(id);
        array = &array_of(id);
        devices.insert(e.device);
        before.insert(count_of(terms_at(story_, had, p.array, lowest(p.index.front()))));
        after.insert(count_of(terms_at(story_, has, p.array, lowest(p.index.front()))));
      }
    }
    ASSERT_NE(array, nullptr) << text_;
    EXPECT_EQ(sum.devices < 0 ? story_.timeline().devices : sum.devices, static_cast<int64_t>(devices.size()))
        << text_;
    EXPECT_EQ(sum.before, words(*array, before, sum.before)) << text_;
    EXPECT_EQ(sum.after, words(*array, after, sum.after)) << text_;
  }
  static std::string words(const StoryArray& array, const std::set<int64_t>& counts, const std::string& as) {
    const int64_t unit = as.ends_with("terms") ? 1 : array.terms / array.term_parts;
    const auto range = counts.size() == 1
                           ? fmt::format("{}", *counts.begin() / unit)
                           : fmt::format("{}–{}", *counts.begin() / unit, *counts.rbegin() / unit);
    return fmt::format("{} of {}{}", range, array.terms / unit,
                       unit == 1 && as.ends_with("terms") ? " terms" : "");
  }

  bool complete(int32_t array, Picoseconds time) const {
    const StoryArray& a = story_.arrays()[static_cast<size_t>(array)];
    for (size_t block = 0; block < a.owners.size(); ++block) {
      for (const int32_t device : a.owners[block]) {
        std::vector<IndexBox> boxes;
        for (const PieceId id : story_.held(device, time)) {
          const Piece& p = story_.piece(id);
          if (p.array == array && p.complete) boxes.insert(boxes.end(), p.index.begin(), p.index.end());
        }
        if (!missing({a.block_box(static_cast<int64_t>(block))}, boxes).empty()) return false;
      }
    }
    return true;
  }
  void check_complete() const {
    for (const std::string& name : said_.complete) {
      bool now = false;
      for (size_t a = 0; a < story_.arrays().size(); ++a) {
        if (story_.arrays()[a].name != name || story_.arrays()[a].owners.empty()) continue;
        now = now || (complete(static_cast<int32_t>(a), beat_.end) &&
                      !complete(static_cast<int32_t>(a), beat_.end - 1));
      }
      EXPECT_TRUE(now) << text_;
    }
  }

  void check_under_way() const {
    std::map<std::pair<std::string, bool>, std::set<int32_t>> now;
    for (int32_t n = 0; n < static_cast<int32_t>(story_.timeline().events.size()); ++n) {
      const Event& e = event(n);
      if (e.relayed || e.start >= beat_.end || story_.arrival(n) <= beat_.end) continue;
      const bool transfers = e.kind == EventKind::transfer;
      now[{story_.program().by_global_index(e.instruction).name, transfers}].insert(transfers ? n : e.device);
    }
    ASSERT_EQ(said_.under_way.size(), now.size()) << text_;
    for (const SaidUnderWay& u : said_.under_way)
      EXPECT_EQ(u.count, static_cast<int64_t>((now[{u.instruction, u.transfers}].size()))) << text_;
  }

  void check_placements() const {
    for (const SaidPlacement& p : said_.placements) {
      const auto array = std::ranges::find(story_.arrays(), p.array, &StoryArray::name);
      ASSERT_NE(array, story_.arrays().end()) << text_;
      EXPECT_EQ(p.blocks, array->block_count()) << text_;
      std::set<int64_t> copies;
      for (int64_t block = 0; block < p.blocks; ++block) {
        int64_t count = 0;
        for (int32_t d = 0; d < story_.timeline().devices; ++d) {
          std::vector<IndexBox> boxes;
          for (const PieceId id : story_.held(d, 0))
            if (&array_of(id) == &*array)
              boxes.insert(boxes.end(), story_.piece(id).index.begin(), story_.piece(id).index.end());
          count += missing({array->block_box(block)}, boxes).empty() ? 1 : 0;
        }
        copies.insert(count);
      }
      EXPECT_EQ(p.least_copies < 0 ? story_.timeline().devices : p.least_copies, *copies.begin()) << text_;
      EXPECT_EQ(p.most_copies < 0 ? story_.timeline().devices : p.most_copies, *copies.rbegin()) << text_;
    }
  }

  const Story& story_;
  const Beat& beat_;
  std::string text_;
  SaidMoves said_;
};

void expect_true_sentences(const Told& told) {
  SCOPED_TRACE(told.name);
  for (int32_t b = 0; b < static_cast<int32_t>(told.story.beats().size()); ++b) Saying(told.story, b).check();
}

TEST(Sentences, OfStrategiesReadBackAreWhatHappened) {
  for (const char* id :
       {"collective.os", "wang.os", "wang.ls", "wang.rs", "meshslice.os", "meshslice.ls", "summa.os",
        "cannon.os", "fox", "psum", "fsdp.mesh", "megatron.row", "gather.lhs", "chain.reshard"})
    if (const ToldPtr run = told_strategy(id, "row=2,col=2")) expect_true_sentences(*run);
  for (const char* id : {"collective.os", "wang.os", "wang.rs", "meshslice.ls", "summa.os"})
    if (const ToldPtr run = told_strategy(id, "row=2,col=4")) expect_true_sentences(*run);
}

TEST(Sentences, OfEveryAlgorithmReadBackAreWhatHappened) {
  for (const char* word :
       {"ring", "bidirectional", "doubling", "bruck", "direct", "tree", "torus", "swing"}) {
    const auto algorithm = parse_collective_algorithm(word);
    ASSERT_TRUE(algorithm.ok());
    for (const char* id : {"collective.os", "collective.ls", "psum"}) {
      const ToldPtr run = told_strategy(**find_strategy(id), *Mesh::parse("row=2,col=4"), *algorithm);
      if (run) expect_true_sentences(*run);
    }
  }
}

TEST(Sentences, OfModulesReadBackAreWhatHappened) {
  for (const HloPreset& preset : hlo_presets()) {
    const ToldPtr run = told_module(preset.name, preset.text);
    ASSERT_NE(run, nullptr) << preset.name;
    expect_true_sentences(*run);
  }
}

TEST(Sentences, SayWhatGoesEachWayRoundARing) {
  const ToldPtr run = told_strategy("collective.os", "row=1,col=16", CollectiveAlgorithm::bidirectional);
  ASSERT_NE(run, nullptr);
  const std::string moves = sentences(run->story, 1).moves;
  EXPECT_NE(moves.find("15 more do the same along col, 16 send the other half the other way"),
            std::string::npos)
      << moves;
  const std::string idea = sentences(run->story, 2).idea;
  EXPECT_NE(
      idea.find(
          "each chip passes on what it received last, one half each way; after 15 steps all have all 16 "
          "blocks"),
      std::string::npos)
      << idea;
}

TEST(Sentences, NameTheHalvesOfAnAllReduce) {
  const ToldPtr run = told_strategy("psum", "row=1,col=16", CollectiveAlgorithm::ring);
  ASSERT_NE(run, nullptr);
  std::map<std::string, int> beats;
  for (int32_t b = 1; b < static_cast<int32_t>(run->story.beats().size()); ++b)
    if (run->story.beats()[static_cast<size_t>(b)].transfer_step >= 0)
      ++beats[parse_moves(sentences(run->story, b).moves).phase];
  EXPECT_EQ(beats, (std::map<std::string, int>{{"all-gather half", 15}, {"reduce-scatter half", 15}}));
  EXPECT_TRUE(sentences(run->story, static_cast<int32_t>(run->story.beats().size()) - 1)
                  .idea.ends_with("Y is complete"));
}

TEST(Sentences, OfTheProgramAreItsLines) {
  const ToldPtr run = told_strategy("wang.os", "row=2,col=4");
  ASSERT_NE(run, nullptr);
  for (int32_t b = 1; b < static_cast<int32_t>(run->story.beats().size()); ++b) {
    const int32_t instruction = run->story.beats()[static_cast<size_t>(b)].instruction;
    const std::string line = sentences(run->story, b).program;
    EXPECT_NE(line.find("%" + run->program.by_global_index(instruction).name + " = "), std::string::npos)
        << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

// A rounding that is done by the product's kernel takes no time and makes nothing anew: what the product made
// and completed is said of the product alone.
TEST(Sentences, OfWhatAProductsKernelDoesAsWellAddNothing) {
  Experiment e;
  e.mesh = *Mesh::parse("row=3,col=3");
  e.problem = {36, 90, 63, ElementType::f16, ElementType::f32};
  e.hardware = "tpu-v4";
  ExecutionOptions timing;
  timing.numerics = false;
  const RunPtr run = execute(e, {.strategy = "cannon.os"}, timing, {}).value();
  const Story story = tell(run->program, run->timeline).value();
  const auto last = static_cast<int32_t>(story.beats().size()) - 1;
  EXPECT_EQ(sentences(story, last).moves, "every device converts (convert.1)");
  EXPECT_EQ(sentences(story, last).idea, "Each chip converts");
  EXPECT_EQ(sentences(story, last - 1).moves,
            "every device multiplies (dot.3): (0,0) adds k 60–89 of 90 to y0; Y goes from 2 of 3 to 3 of 3 "
            "partial sums on all devices; Y is complete on every owner");
  for (int32_t b = 0; b <= last; ++b) Saying(story, b).check();
}

// What tokens become in an expert cannot be followed; which array they are of the program says.
TEST(Sentences, NameByTheProgramWhatCannotBeFollowed) {
  const ToldPtr run = told_strategy("moe.expert_parallel", "row=2,col=2");
  ASSERT_TRUE(run);
  const std::string tokens = symbol_of(run->program.inputs.front());
  std::string all;
  for (size_t b = 1; b < run->story.beats().size(); ++b)
    all += sentences(run->story, static_cast<int32_t>(b)).idea + '\n';
  EXPECT_EQ(all.find("something"), std::string::npos) << all;
  EXPECT_NE(all.find("all-to-all of " + tokens + " along"), std::string::npos) << all;
  EXPECT_NE(all.find("chips compute " + symbol_of(*run->program.output)), std::string::npos) << all;
}

}  // namespace
}  // namespace shardscope::story_test

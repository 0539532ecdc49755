// SPDX-License-Identifier: Apache-2.0
// The moment in words, and what timeline, tooltips and lists call a transfer.
#include "views/scene/story/now.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "sample_run.h"
#include "views/scene/story/event_text.h"

namespace shardscope::now_test {
namespace {

Selection moment(Picoseconds time) {
  Selection selection;
  selection.time = time;
  return selection;
}

// "block 3", "step 2": a number of ours where a name should be.
bool has_raw_number(const std::string& text) {
  for (const char* word : {"block ", "blocks ", "chunk "}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const size_t next = at + std::string(word).size();
      if (next < text.size() && std::isdigit(static_cast<unsigned char>(text[next])) != 0) return true;
    }
  }
  return false;
}

TEST(Now, EveryBeatIsCalledByItsNumberOfAll) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Story& story = run.story();
  const auto count = static_cast<int32_t>(story.beats().size()) - 1;
  ASSERT_GT(count, 3);
  EXPECT_TRUE(clock_text(run.input(), {}).starts_with(fmt::format("before the first of {} steps", count)));
  for (int32_t beat = 1; beat <= count; ++beat) {
    const Picoseconds end = story.moment_of(beat);
    const CurrentBeats told = current_beats(story, moment(end));
    EXPECT_LE(told.first, beat);
    EXPECT_GE(told.last, beat);
    EXPECT_FALSE(told.under_way);
    const std::string text = clock_text(run.input(), moment(end));
    EXPECT_TRUE(text.starts_with(beat_name(story, told.first, told.last))) << text;
    EXPECT_TRUE(text.ends_with(format_picoseconds(end))) << text;
  }
}

TEST(Now, BetweenTwoEndsWhatEndsNextIsUnderWay) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Story& story = run.story();
  const Selection early = moment(story.moment_of(1) - 1);
  EXPECT_EQ(current_beats(story, early).first, 1);
  EXPECT_TRUE(current_beats(story, early).under_way);
  const std::string name = name_of(story, current_beats(story, early));
  EXPECT_TRUE(name.ends_with(", under way")) << name;
  EXPECT_TRUE(clock_text(run.input(), early).starts_with(name + " · "));
  EXPECT_TRUE(sentence_now(run.input(), early, SentenceLevel::idea).starts_with(name + "; at its end: "))
      << "what it says is not so yet";
}

TEST(Now, ASelectedEventsOwnBeatIsToldWhileItIsUnderWay) {
  const SampleRun run("meshslice.ls", "row=2,col=4");
  const Story& story = run.story();
  for (int32_t number = 0; number < std::ssize(story.timeline().events); ++number) {
    const Event& e = story.timeline().events[static_cast<size_t>(number)];
    Selection selection = moment(e.start + (e.end - e.start) / 2);
    selection.selected.kind = ItemId::Kind::event;
    selection.selected.event = number;
    ASSERT_EQ(current_beats(story, selection).first, story.beat_of(number)) << number;
  }
}

TEST(Now, ARunOfTotalsSaysWhyThereIsNothingAfterTheBeginning) {
  const SampleRun full("psum", "row=2,col=2");
  shardscope::Run run = full.input().run;
  run.timeline.events.clear();
  const Story story = *tell(run.program, run.timeline);
  const ViewInput input{run, full.trace(), &story};
  const std::string said = sentence_now(input, {}, SentenceLevel::idea);
  EXPECT_NE(said.find("Before"), std::string::npos) << said;
  EXPECT_NE(said.find("Only the totals of this run were kept"), std::string::npos) << said;
}

TEST(Now, AStillPictureShowsABeatInWhichSomethingTravels) {
  const SampleRun run("cannon.os", "row=4,col=4");
  const Beat& beat = run.story().beats()[static_cast<size_t>(telling_beat(run.story()))];
  EXPECT_GE(beat.transfer_step, 0);
}

TEST(Names, OfATransferAreThoseOfTheStoryInLabelTooltipAndTree) {
  for (const char* strategy : {"wang.os", "cannon.os", "meshslice.ls", "psum", "summa.os"}) {
    const SampleRun run(strategy, "row=4,col=4");
    const Scene scene = layout_timeline(run.input(), {}, {}, canvas(3000, 900));
    std::set<std::string> said;
    for (const AccessibleItem& item : scene.accessible()) {
      EXPECT_FALSE(has_raw_number(item.name)) << strategy << ": " << item.name;
      said.insert(item.name);
    }
    for (const TextItem& text : scene.texts()) EXPECT_FALSE(has_raw_number(text.text)) << text.text;
    int64_t transfers = 0;
    for (int32_t number = 0; number < std::ssize(run.story().timeline().events); ++number) {
      const Event& e = run.story().timeline().events[static_cast<size_t>(number)];
      if (e.kind != EventKind::transfer) continue;
      ItemId item;
      item.kind = ItemId::Kind::event;
      item.event = number;
      const std::vector<std::string> lines = describe(run.input(), item, 0);
      const std::string name = transfer_name(run.input(), number);
      EXPECT_FALSE(name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) << strategy;
      EXPECT_NE(lines.front().find(": " + name + " → "), std::string::npos) << lines.front();
      for (const std::string& line : lines) EXPECT_FALSE(has_raw_number(line)) << line;
      ++transfers;
    }
    EXPECT_GT(transfers, 0) << strategy;
  }
}

TEST(Names, AFurtherHopIsCalledAsItsTransfer) {
  const SampleRun run("collective.os", "row=1,col=8", CollectiveAlgorithm::bruck);
  const std::vector<Event>& events = run.story().timeline().events;
  int64_t hops = 0;
  for (int32_t number = 0; number < std::ssize(events); ++number) {
    if (!events[static_cast<size_t>(number)].relayed) continue;
    const Event& transfer = events[static_cast<size_t>(run.story().transfer_of(number))];
    EXPECT_FALSE(transfer.relayed);
    EXPECT_EQ(transfer.peer, events[static_cast<size_t>(number)].peer);
    EXPECT_FALSE(transfer_name(run.input(), number).starts_with("part of ")) << number;
    ++hops;
  }
  EXPECT_GT(hops, 0);
}

TEST(Tooltip, OfASumSaysItsTermsAndThatTheTargetAdds) {
  const SampleRun run("psum", "row=4,col=2", CollectiveAlgorithm::ring);
  bool adds = false;
  for (int32_t number = 0; number < std::ssize(run.story().timeline().events); ++number) {
    ItemId item;
    item.kind = ItemId::Kind::event;
    item.event = number;
    for (const std::string& line : describe(run.input(), item, 0))
      adds = adds ||
             (line.find("k 0–") != std::string::npos && line.find("the target adds it") != std::string::npos);
  }
  EXPECT_TRUE(adds);
}

TEST(Tooltip, OfADeviceSaysWhatItHoldsNow) {
  const SampleRun run("wang.os", "row=2,col=4");
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = 5;
  for (const Picoseconds time : {Picoseconds{0}, run.trace().total()}) {
    const std::vector<std::string> lines = describe(run.input(), item, time);
    ASSERT_GT(lines.size(), 1U);
    EXPECT_EQ(lines[1], "holds " + holdings_text(run.story(), 5, time));
  }
}

TEST(Tooltip, OfABlockSaysWhoHasItNow) {
  const SampleRun run("wang.os", "row=2,col=4");
  ItemId item;
  item.kind = ItemId::Kind::block;
  item.lane = 0;
  item.index = 0;
  const std::vector<std::string> before = describe(run.input(), item, 0);
  ASSERT_GE(before.size(), 4U);
  EXPECT_EQ(before[0], "block a0 of X");
  EXPECT_EQ(before.back(), "now on (0,0)");
}

}  // namespace
}  // namespace shardscope::now_test

// SPDX-License-Identifier: Apache-2.0
// The sentences and the JSON.
#include <algorithm>
#include <fmt/format.h>

#include "tests/engine/story/moves_text.h"
#include "tests/views/agree/checks.h"
#include "views/scene/story/now.h"

namespace shardscope::agree_test {
namespace {

int64_t said_transfers(const story_test::SaidMoves& said) {
  int64_t out = 0;
  for (const auto& move : said.moves) out += 1 + move.more + move.other_half;
  return out;
}

// Each clause's first transfer is one of the beat's, by the same name.
void check_leads(Agreement& a, const story_test::SaidMoves& said, int32_t beat) {
  for (const auto& move : said.moves) {
    const bool known = std::any_of(a.moved.begin(), a.moved.end(), [&](const MovedBlocks& moved) {
      return moved.beat == beat && a.told.place(moved.source) == move.source &&
             a.told.place(moved.target) == move.target && names_it(a, move.what, moved) &&
             moved.adds == move.adds;
    });
    if (!known)
      a.complain(0, fmt::format("sentence of beat {}: {} does not send {} to {}", beat, move.source,
                                move.what, move.target));
  }
}

// What is under way when a beat ends: of each instruction so many transfers, or devices that compute.
std::map<std::string, int64_t> under_way_after(const Agreement& a, int32_t beat) {
  std::map<std::string, int64_t> out;
  const Json& beats = a.told.json["beats"];
  const Picoseconds end = picoseconds(beats[static_cast<size_t>(beat)]["end_s"]);
  for (const MovedBlocks& moved : a.moved)
    if (moved.start < end && end < moved.end) ++out["transfers " + moved.instruction];
  std::set<std::pair<std::string, int>> computing;
  for (const Json& other : beats)
    for (const Json& compute : other["computes"])
      if (picoseconds(compute["start_s"]) < end && end < picoseconds(compute["end_s"]))
        computing.emplace(compute["instruction"].get<std::string>(), compute["device"].get<int>());
  for (const auto& [instruction, device] : computing) ++out["computes " + instruction];
  return out;
}

// Arrays that owners were said to have, all of them and whole, when a beat ends.
std::set<std::string> complete_in_json(const RunWithStory& told, int32_t beat) {
  std::set<std::string> out;
  const auto held = held_in_json(told, beat);
  const Json& arrays = told.json["arrays"];
  for (int32_t n = 0; n < std::ssize(arrays); ++n) {
    bool all = !arrays[static_cast<size_t>(n)]["role"].get<std::string>().empty();
    bool any = false;
    for (const Json& block : arrays[static_cast<size_t>(n)]["blocks"]) {
      IndexBox box;
      for (const Json& r : block["index"]) box.push_back({r[0], r[1]});
      for (const Json& device : block["devices"]) {
        std::vector<IndexBox> whole;
        for (const HeldTerms& one : held[device.get<size_t>()])
          if (one.array == n && one.complete) whole.insert(whole.end(), one.boxes.begin(), one.boxes.end());
        any = true;
        all = all && elements_in(whole, box) == elements_of(box);
      }
    }
    if (all && any) out.insert(arrays[static_cast<size_t>(n)]["name"]);
  }
  return out;
}

}  // namespace

void check_sentences(Agreement& a) {
  const Json& beats = a.told.json["beats"];
  std::set<std::string> complete = complete_in_json(a.told, 0);
  for (int32_t b = 1; b < std::ssize(beats) && !a.complaints.enough(); ++b) {
    const Json& beat = beats[static_cast<size_t>(b)];
    const std::string text = beat["sentences"]["moves"];
    const story_test::SaidMoves said = story_test::parse_moves(text);
    const auto complain = [&](const std::string& what) {
      a.complain(picoseconds(beat["end_s"]), fmt::format("sentence of beat {}: {}: {}", b, what, text));
    };
    if (!said.not_understood.empty()) complain("not understood");
    int64_t moves = 0;
    for (const MovedBlocks& moved : a.moved) moves += moved.beat == b;
    if (said_transfers(said) != moves) complain(fmt::format("{} transfers", moves));
    if (moves > 0 && beat["sentences"]["program"].get<std::string>().find(
                         beat["transfers"][0]["instruction"].get<std::string>()) == std::string::npos)
      complain("the program's line is another");
    check_leads(a, said, b);
    std::map<std::string, int64_t> under_way;
    for (const auto& u : said.under_way)
      under_way[(u.transfers ? "transfers " : "computes ") + u.instruction] += u.count;
    if (under_way != under_way_after(a, b)) complain("what is under way meanwhile");
    const std::set<std::string> now = complete_in_json(a.told, b);
    for (const std::string& array : said.complete)
      if (!now.contains(array)) complain(array + " is not complete");
    const bool last_of_moment =
        b + 1 == std::ssize(beats) || beats[static_cast<size_t>(b) + 1]["end_s"] != beat["end_s"];
    if (last_of_moment) complete = now;
  }
}

void check_sentences_now(Agreement& a, const Moment& moment) {
  Selection selection;
  selection.time = moment.time;
  for (const SentenceLevel level : sentence_levels()) {
    const std::string text = sentence_now(a.told.input(), selection, level);
    const std::string head = sentence_head(moment, a.told.json["beats"].size());
    if (!text.starts_with(head)) a.complain(moment.time, "sentence: '" + text + "' is of " + head);
    for (int32_t b = moment.first_beat; b <= moment.last_beat && b < moment.first_beat + 3; ++b) {
      const std::string said = a.told.json["beats"][static_cast<size_t>(b)]["sentences"][name(level)];
      if (text.find(said) == std::string::npos)
        a.complain(moment.time, fmt::format("sentence: '{}' lacks that of beat {}", text, b));
    }
  }
}

void check_json(Agreement& a, const Moment& moment) {
  if (moment.under_way) return;
  const auto said = held_in_json(a.told, moment.last_beat);
  for (size_t d = 0; d < said.size(); ++d) {
    const bool same = std::equal(said[d].begin(), said[d].end(), moment.held[d].begin(), moment.held[d].end(),
                                 [](const HeldTerms& x, const HeldTerms& y) {
                                   return x.array == y.array && x.terms == y.terms &&
                                          x.complete == y.complete && x.boxes == y.boxes;
                                 });
    if (!same) a.complain(moment.time, "JSON: holdings of " + a.told.place(static_cast<int32_t>(d)));
  }
}

}  // namespace shardscope::agree_test

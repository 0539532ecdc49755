// SPDX-License-Identifier: Apache-2.0
// What one picture or text says, held against what was so.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "tests/views/agree/told_run.h"

namespace shardscope::agree_test {

// What all checks of a run share.
struct Agreement {
  const RunWithStory& told;
  Names names;
  std::vector<MovedBlocks> moved;
  Complaints complaints;
  // One name, one set of elements: what a name was seen to mean, over the whole run.
  std::map<NamedPart, std::vector<IndexBox>> meaning;

  explicit Agreement(const RunWithStory& run) : told(run), names(run.json), moved(moved_blocks(run, names)) {}
  void complain(Picoseconds time, const std::string& what);
  const StoryArray& array(int32_t number) const { return told.story->arrays()[static_cast<size_t>(number)]; }
};

// "a3 a5, y0.2 (2 of 4)": names with the terms that are said of them.
struct SaidGroup {
  std::vector<NamedPart> blocks;
  std::vector<std::string> tokens;
  std::string terms;  // "2 of 4"; empty: complete, or no sum
};
// None: some of it names nothing.
std::optional<std::vector<SaidGroup>> said_groups(const Names& names, const std::string& text);
// Whether "2 of 4" or "5 of 12 terms" is what `terms` of `whole` are.
bool is_share(const std::string& said, int64_t terms, int64_t whole);
// Elements of a block that boxes have, each once.
int64_t elements_in(const std::vector<IndexBox>& boxes, const IndexBox& block);

// What a device is said to hold.
void check_held_text(Agreement& a, const Moment& moment, int32_t device, const std::string& text);
// Names with a sign for those that have no room, "a0 a1 +2", are the first of `all` and the count is right.
// Empty, or what is wrong.
std::string wrong_page(const std::string& shown, const std::vector<std::string>& all);

void check_ring(Agreement& a, const Moment& moment);
void check_grid(Agreement& a, const Moment& moment);
void check_timeline(Agreement& a);  // of all moments
void check_playhead(Agreement& a, const Moment& moment);
void check_tooltips(Agreement& a);
void check_tooltips_now(Agreement& a, const Moment& moment);
void check_sentences(Agreement& a);
void check_sentences_now(Agreement& a, const Moment& moment);
void check_json(Agreement& a, const Moment& moment);

// The transfers that are on their way at a moment, and those of beats that end at it.
std::vector<const MovedBlocks*> travelling(const Agreement& a, const Moment& moment);
std::vector<const MovedBlocks*> arrived(const Agreement& a, const Moment& moment);
// Whether a name stands for what a transfer carries.
bool names_it(const Agreement& a, const std::string& name, const MovedBlocks& moved);

bool inside(const Point& p, const Rect& r);
std::vector<const TextItem*> texts_in(const Scene& scene, const Rect& r);
int32_t device_of(const Agreement& a, const std::string& place);
std::string beat_words(const Moment& moment, size_t beats);
// The same as a sentence begins: that of beat 0 says itself that it is before.
std::string sentence_head(const Moment& moment, size_t beats);

}  // namespace shardscope::agree_test

// SPDX-License-Identifier: Apache-2.0
// A run with all that tells of it, and what its timeline and the story's JSON say was so at a moment. Views
// are compared with that: what they say is parsed from their pictures, not asked of what drew them.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/story/index_sets.h"
#include "views/scene/core/layouts.h"

namespace shardscope::agree_test {

using Json = nlohmann::json;

struct RunWithStory {
  std::string name;
  RunPtr run;
  std::unique_ptr<TraceSource> trace;
  std::unique_ptr<Story> story;
  Json json;  // what `shardscope story --holdings on --json` prints

  ViewInput input() const { return {*run, *trace, story.get()}; }
  std::string place(int32_t device) const;
  const std::vector<Event>& events() const { return run->timeline.events; }
};
// None, and why not: it cannot be told.
std::unique_ptr<RunWithStory> told_run(std::string name, RunPtr run, std::string* why);
// One of a strategy, of sizes that suit its mesh.
std::unique_ptr<RunWithStory> told_strategy(const std::string& strategy, const std::string& mesh,
                                            const std::string& collective = "auto",
                                            const std::string& hardware = "tpu-v5e");
std::unique_ptr<RunWithStory> told_module(const std::string& preset);

// What disagrees, the first few.
class Complaints {
 public:
  void add(const std::string& what) {
    if (said_.size() < 8) said_.push_back(what);
  }
  bool enough() const { return said_.size() >= 8; }
  std::string text() const;

 private:
  std::vector<std::string> said_;
};

// A block, or a part of it, as a name says.
struct NamedPart {
  int32_t array = -1;
  int64_t block = -1;
  int32_t part = 0, parts = 0;  // part 0: all of it; parts 0: not said
  auto operator<=>(const NamedPart&) const = default;
};

// Reads names by the arrays of the JSON alone.
class Names {
 public:
  explicit Names(const Json& json);
  // "a3", "y0.1/4–y0.3/4"; empty: it names nothing.
  std::vector<NamedPart> of_token(const std::string& token) const;
  // "a0–a3 w1"; empty: some of it names nothing.
  std::vector<NamedPart> of_text(const std::string& text) const;
  std::string twice() const { return twice_; }  // a name that two blocks have

 private:
  std::vector<NamedPart> single(const std::string& token) const;
  std::map<std::string, NamedPart> blocks_;
  std::string twice_;
};

// Split at blanks and commas that stand outside of parentheses.
std::vector<std::string> words_of(const std::string& text);

// What one device holds of an array with the same terms.
struct HeldTerms {
  int32_t array = 0;
  IndexRanges terms;
  bool complete = true;
  std::vector<IndexBox> boxes;
};

// A transfer, from the JSON: rows of the same times put together.
struct MovedBlocks {
  int32_t source = 0, target = 0;
  std::string instruction;
  int32_t beat = 0;
  Picoseconds start = 0, end = 0;
  int64_t bytes = 0;
  bool adds = false;
  std::vector<NamedPart> blocks;
  std::string unknown;  // its name, when what it carries is not known
};
std::vector<MovedBlocks> moved_blocks(const RunWithStory& told, const Names& names);
Picoseconds picoseconds(const Json& seconds);

// Everything that is so at a moment.
struct Moment {
  Picoseconds time = 0;
  int32_t first_beat = 0, last_beat = 0;  // that end at it, else the next to end
  bool under_way = false;
  std::vector<std::vector<HeldTerms>> held;  // by device
};
// Every start and end of an event, every arrival, and halfway between two of them.
std::vector<Picoseconds> moments_of(const RunWithStory& told);
Moment moment_of(const RunWithStory& told, Picoseconds time);
std::vector<std::vector<HeldTerms>> held_in_json(const RunWithStory& told, int32_t beat);

}  // namespace shardscope::agree_test

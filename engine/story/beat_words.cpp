// SPDX-License-Identifier: Apache-2.0
#include "engine/story/beat_words.h"

#include <array>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline story {
namespace {

constexpr std::string_view kDevice = "device ";  // before its place, in find_thing

}  // namespace

std::string place_word(const Story& story, int32_t device) {
  return story.program().mesh.place(DeviceId(device));
}

std::string number_word(int64_t number) {
  static constexpr std::array<const char*, 13> kWords = {
      to_say("no"),   to_say("one"),    to_say("two"),   to_say("three"), to_say("four"),
      to_say("five"), to_say("six"),    to_say("seven"), to_say("eight"), to_say("nine"),
      to_say("ten"),  to_say("eleven"), to_say("twelve")};
  return number >= 0 && number < static_cast<int64_t>(kWords.size())
             ? said(kWords[static_cast<size_t>(number)])
             : std::to_string(number);
}

std::string list_words(const std::vector<std::string>& items) {
  if (items.size() < 2) return items.empty() ? "" : items.front();
  return join(std::vector<std::string>(items.begin(), items.end() - 1), ", ") + said(" and ") + items.back();
}

std::string span_words(const Span& span) {
  return span.differ() ? fmt::format("{}–{}", span.least, span.most) : std::to_string(span.least);
}

std::string counted_span(const Span& span, std::string_view noun) {
  const std::string one = fmt::format("{{}} {}", noun), span_text = span_words(span);
  return fmt::vformat(said_count(one, one + "s", span.most), fmt::make_format_args(span_text));
}

std::string terms_words(const Span& counts, int64_t terms, int64_t parts) {
  const bool even = parts > 1 && counts.least * parts % terms == 0 && counts.most * parts % terms == 0;
  if (!even) return say("{} of {} terms", span_words(counts), terms);
  Span out;
  out.add(counts.least * parts / terms);
  out.add(counts.most * parts / terms);
  return say("{} of {}", span_words(out), parts);
}

const Instruction& instruction_of(const Story& story, const Beat& beat) {
  return story.program().by_global_index(beat.instruction);
}

std::string instruction_name(const Story& story, int32_t instruction) {
  return display_name(story.program().by_global_index(instruction));
}

std::string verb_of(Opcode opcode, bool one) {
  struct Verb {
    const char *one = to_say("computes"), *several = to_say("compute");
  };
  const Verb multiplies{to_say("multiplies"), to_say("multiply")};
  static const OpTable<Verb> kVerbs({{OpClass::product, multiplies}},
                                    {{Opcode::multiply, multiplies},
                                     {Opcode::add, {to_say("adds"), to_say("add")}},
                                     {Opcode::convert, {to_say("converts"), to_say("convert")}},
                                     {Opcode::copy, {to_say("copies"), to_say("copy")}},
                                     {Opcode::transpose, {to_say("transposes"), to_say("transpose")}},
                                     {Opcode::reduce, {to_say("sums up"), to_say("sum up")}}});
  const Verb verb = kVerbs[opcode];
  return said(one ? verb.one : verb.several);
}

bool beat_adds(const Story& story, const Beat& beat) {
  for (const int32_t event : beat.events)
    for (const Carried& c : story.carried(event))
      if (c.adds) return true;
  return false;
}

std::string phase_of(const Story& story, int32_t beat, const std::vector<int32_t>& execution) {
  const Beat& of = story.beats()[static_cast<size_t>(beat)];
  const TimedCollective* timed = find_schedule(story.timeline(), of.instruction);
  if (timed == nullptr || timed->schedule->kind() != CollectiveKind::all_reduce) return "";
  bool only_adds = true;
  bool whole = true;  // whole arrays travel, up to a root and down again, or between partners
  for (const int32_t b : execution) {
    const Beat& step = story.beats()[static_cast<size_t>(b)];
    only_adds = only_adds && beat_adds(story, step);
    for (const int32_t event : step.events)
      whole = whole && event_of(story, event).chunk_count == timed->schedule->chunks();
  }
  if (only_adds) return "";
  const bool adds = beat_adds(story, of);
  const bool tree = whole || timed->algorithm == "tree" || timed->algorithm == "chain";
  if (tree) return adds ? to_say("reduce half") : to_say("broadcast half");
  return adds ? to_say("reduce-scatter half") : to_say("all-gather half");
}

std::optional<StoryThing> find_thing(const Story& story, std::string_view words) {
  const Mesh& mesh = story.program().mesh;
  if (words.starts_with(kDevice)) {
    for (int32_t d = 0; d < mesh.device_count(); ++d)
      if (mesh.place(DeviceId(d)) == words.substr(kDevice.size())) return StoryThing{d, -1, -1};
    return std::nullopt;
  }
  const auto& arrays = story.arrays();
  for (int32_t a = 0; a < std::ssize(arrays); ++a) {
    const StoryArray& array = arrays[static_cast<size_t>(a)];
    if (common_name(array) == words) return StoryThing{-1, a, -1};
    // Names of blocks begin with their array's.
    if (!array.prefix.empty() && !words.starts_with(array.prefix)) continue;
    for (int64_t block = 0; block < array.block_count(); ++block)
      if (array.block_name(block) == words) return StoryThing{-1, a, block};
  }
  return std::nullopt;
}

std::string thing_words(const Story& story, const StoryThing& thing) {
  if (thing.device >= 0) return std::string(kDevice) + place_word(story, thing.device);
  const StoryArray& array = story.arrays()[static_cast<size_t>(thing.array)];
  return thing.block < 0 ? common_name(array) : array.block_name(thing.block);
}

}  // namespace shardscope::inline story

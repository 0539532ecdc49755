// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/lesson/fact_tables.h"
#include "engine/story/beat_words.h"
#include "engine/story/plan_words.h"
#include "engine/story/sentences.h"

namespace shardscope::inline lesson {
namespace {

struct BeatFact {
  const char* name;
  const char* meaning;
  Result<FactValue> (*of)(const FactStep& step, const Story& story, int32_t beat);
};

const Beat& beat_at(const Story& story, int32_t beat) {
  return story.beats()[static_cast<size_t>(beat)];
}

// The array that a fact is asked of ("" of all).
Result<std::string> array_argument(const FactStep& step, const Story& story) {
  const FactValue* said = argument(step, "array", 1);
  if (said == nullptr) return std::string();
  const auto* name = std::get_if<std::string>(said);
  FactNames known;
  for (const StoryArray& array : story.arrays()) known.push_back(common_name(array));
  if (name == nullptr || std::ranges::find(known, *name) == known.end())
    return invalid(fmt::format("no array '{}'", words_of(*said)), "", "use one of " + join(known, ", "));
  return *name;
}
bool is_of(const Story& story, int32_t array, const std::string& name) {
  return name.empty() || common_name(story.arrays()[static_cast<size_t>(array)]) == name;
}

enum class Way { arrives, leaves };

// What a beat's transfers bring to a device, or take from it.
Result<FactValue> carried_names(const FactStep& step, const Story& story, int32_t beat, Way way) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  TRY(const std::string array, array_argument(step, story));
  std::vector<BlockPart> parts;
  for (const int32_t event : beat_at(story, beat).events) {
    const Event& e = event_of(story, event);
    if (e.kind != EventKind::transfer || (way == Way::arrives ? e.peer : e.device) != device) continue;
    for (const Carried& c : story.carried(event))
      if (c.piece >= 0 && is_of(story, c.what.array, array)) parts.push_back(c.what);
  }
  return FactValue(names_of(story, parts));
}

// The devices at the other end of those transfers.
Result<FactValue> other_ends(const FactStep& step, const Story& story, int32_t beat, Way way) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  FactNames out;
  for (const int32_t event : beat_at(story, beat).events) {
    const Event& e = event_of(story, event);
    if (e.kind != EventKind::transfer || (way == Way::arrives ? e.peer : e.device) != device) continue;
    const std::string place = place_word(story, way == Way::arrives ? e.device : e.peer);
    if (std::ranges::find(out, place) == out.end()) out.push_back(place);
  }
  return FactValue(std::move(out));
}

Result<FactValue> held_names_fact(const FactStep& step, const Story& story, int32_t beat) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  TRY(const std::string array, array_argument(step, story));
  std::vector<BlockPart> parts;
  for (const PieceId id : story.held(device, story.moment_of(beat)))
    for (const BlockPart& part : story.blocks_of(id))
      if (is_of(story, part.array, array)) parts.push_back(part);
  return FactValue(names_of(story, parts));
}

Result<FactValue> terms_fact(const FactStep& step, const Story& story, int32_t beat) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  TRY(const std::string array, array_argument(step, story));
  for (const PieceId id : story.held(device, story.moment_of(beat)))
    if (is_of(story, story.piece(id).array, array) && !story.piece(id).complete)
      return FactValue(short_terms(story, id));
  return FactValue(std::string("complete"));
}

Result<FactValue> computes_fact(const FactStep& step, const Story& story, int32_t beat) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  return FactValue(std::ranges::any_of(beat_at(story, beat).events, [&](int32_t event) {
    const Event& e = event_of(story, event);
    return e.device == device && e.kind == EventKind::compute;
  }));
}

int64_t transfers_in(const Story& story, int32_t beat) {
  return std::ranges::count_if(beat_at(story, beat).events, [&](int32_t event) {
    return event_of(story, event).kind == EventKind::transfer;
  });
}

const std::array kBeatFacts{
    BeatFact{"arrives", "arrives(device=2, array=\"X\"): blocks that reach the device",
             [](const FactStep& s, const Story& story, int32_t beat) {
               return carried_names(s, story, beat, Way::arrives);
             }},
    BeatFact{"sends", "sends(device=2): blocks that leave it",
             [](const FactStep& s, const Story& story, int32_t beat) {
               return carried_names(s, story, beat, Way::leaves);
             }},
    BeatFact{"from", "from(device=2): who sends to it",
             [](const FactStep& s, const Story& story, int32_t beat) {
               return other_ends(s, story, beat, Way::arrives);
             }},
    BeatFact{"to", "to(device=2): whom it sends to",
             [](const FactStep& s, const Story& story, int32_t beat) {
               return other_ends(s, story, beat, Way::leaves);
             }},
    BeatFact{"holds", "holds(device=2, array=\"X\"): what it has when the beat ends", held_names_fact},
    BeatFact{"terms", "terms(device=2, array=\"Y\"): of its sum in the making, \"2 of 4\"", terms_fact},
    BeatFact{"computes", "computes(device=2): whether it does", computes_fact},
    BeatFact{"transfers", "how many there are",
             [](const FactStep&, const Story& story, int32_t beat) -> Result<FactValue> {
               return count_value(static_cast<double>(transfers_in(story, beat)));
             }},
    BeatFact{"start", "when it begins",
             [](const FactStep&, const Story& story, int32_t beat) -> Result<FactValue> {
               return FactValue(Quantity{to_seconds(beat_at(story, beat).start), kSeconds});
             }},
    BeatFact{"end", "when it ends",
             [](const FactStep&, const Story& story, int32_t beat) -> Result<FactValue> {
               return FactValue(Quantity{to_seconds(beat_at(story, beat).end), kSeconds});
             }},
};

// Whether anything of an array goes from device to device.
Result<FactValue> travels_fact(const FactStep& step, const Story& story) {
  const FactValue* said = argument(step, "array", 0);
  if (said == nullptr) return invalid("travels which array?", "", "write travels(array=\"X\")");
  const std::string name = words_of(*said);
  for (const Beat& beat : story.beats())
    for (const int32_t event : beat.events) {
      if (event_of(story, event).kind != EventKind::transfer) continue;
      for (const Carried& c : story.carried(event))
        if (c.piece >= 0 && is_of(story, c.what.array, name)) return FactValue(true);
    }
  return FactValue(false);
}

// The first beat after which a device has all of an array.
Result<FactValue> complete_fact(const FactStep& step, const Story& story) {
  TRY(const int32_t device, device_argument(step, story.program().mesh));
  TRY(const std::string name, array_argument(step, story));
  if (name.empty()) return invalid("complete of which array?", "", "write complete(device=0, array=\"X\")");
  const auto array =
      std::ranges::find_if(story.arrays(), [&](const StoryArray& a) { return common_name(a) == name; });
  IndexBox whole;
  for (const int64_t size : array->dims) whole.push_back({0, size});
  for (int32_t beat = 0; beat < static_cast<int32_t>(story.beats().size()); ++beat) {
    std::vector<IndexBox> boxes;
    for (const PieceId id : story.held(device, story.moment_of(beat))) {
      const Piece& piece = story.piece(id);
      if (is_of(story, piece.array, name) && piece.complete)
        boxes.insert(boxes.end(), piece.index.begin(), piece.index.end());
    }
    if (contains_boxes(boxes, {whole})) return count_value(beat);
  }
  return invalid(fmt::format("{} never has all of {}", place_word(story, device), name));
}

}  // namespace

const FactValue* argument(const FactStep& step, std::string_view name, size_t place) {
  for (const FactArgument& a : step.arguments)
    if (a.name == name) return &a.value;
  return place < step.arguments.size() && step.arguments[place].name.empty() ? &step.arguments[place].value
                                                                             : nullptr;
}

Result<int64_t> whole_number(const FactValue& value, std::string_view what) {
  const auto* q = std::get_if<Quantity>(&value);
  if (q == nullptr || !q->unit.none() || q->number != std::floor(q->number))
    return invalid(fmt::format("{} is not a whole number: {}", what, words_of(value)));
  return static_cast<int64_t>(q->number);
}

Result<int32_t> device_argument(const FactStep& step, const Mesh& mesh) {
  const FactValue* said = argument(step, "device", 0);
  if (said == nullptr)
    return invalid(fmt::format("'{}' of which device?", step.name), "",
                   fmt::format("write {}(device=0)", step.name));
  if (const auto* place = std::get_if<std::string>(said)) {
    for (int32_t d = 0; d < mesh.device_count(); ++d)
      if (mesh.place(DeviceId(d)) == *place) return d;
    return invalid(fmt::format("no device '{}'", *place), "", "write one as (0,1), or by its number");
  }
  TRY(const int64_t number, whole_number(*said, "a device"));
  if (number < 0 || number >= mesh.device_count())
    return invalid(fmt::format("no device {}: they go from 0 to {}", number, mesh.device_count() - 1));
  return static_cast<int32_t>(number);
}

std::vector<FactRow> beat_facts() {
  std::vector<FactRow> out;
  for (const BeatFact& fact : kBeatFacts) out.push_back({fact.name, fact.meaning});
  return out;
}

std::vector<FactRow> story_facts() {
  return {{"beats", "how many there are, the one before anything not counted"},
          {"beat", "beat[1]: what happens in it"},
          {"plan", "what travels: \"all-gather of X along col\"; else \"nothing\""},
          {"travels", "travels(array=\"X\"): whether anything of it goes from device to device"},
          {"complete", "complete(device=2, array=\"X\"): the beat after which the device has all of it"}};
}

Result<FactValue> beat_fact(const FactStep& step, const Story& story, int32_t beat) {
  const auto found = std::ranges::find_if(kBeatFacts, [&](const BeatFact& f) { return f.name == step.name; });
  if (found == kBeatFacts.end()) return unknown_fact(step.name, "a beat", beat_facts());
  return found->of(step, story, beat);
}

Result<FactValue> sentence_fact(std::string_view level, const Story& story, int32_t beat) {
  std::vector<FactRow> known;
  for (const SentenceLevel l : sentence_levels()) {
    if (level == name(l)) return FactValue(sentences(story, beat).at(l));
    known.push_back({name(l), ""});
  }
  return unknown_fact(level, "a sentence", known);
}

Result<FactValue> story_fact(std::span<const FactStep> steps, const Story& story, int32_t beat) {
  const auto last = static_cast<int64_t>(story.beats().size()) - 1;
  if (steps.empty()) return invalid("what of the story?", "", "write story.beats");
  if (steps[0].name == "beats") return count_value(static_cast<double>(last));
  if (steps[0].name == "plan") {
    const std::vector<std::string> travels = travels_in(story);
    return FactValue(travels.empty() ? std::string("nothing") : list_words(travels));
  }
  if (steps[0].name == "travels") return travels_fact(steps[0], story);
  if (steps[0].name == "complete") return complete_fact(steps[0], story);
  if (steps[0].name != "beat") return unknown_fact(steps[0].name, "the story", story_facts());
  int64_t number = beat;
  if (const FactValue* said = argument(steps[0], "", 0)) {
    TRY(number, whole_number(*said, "a beat"));
  }
  if (number < 0 || number > last)
    return invalid(fmt::format("no beat {}: they go from 0 to {}", number, last));
  if (steps.size() < 2) return count_value(static_cast<double>(number));
  return beat_fact(steps[1], story, static_cast<int32_t>(number));
}

}  // namespace shardscope::inline lesson

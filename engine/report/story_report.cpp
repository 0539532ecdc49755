// SPDX-License-Identifier: Apache-2.0
#include "engine/report/story_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

Json ranges_json(const std::vector<IndexRange>& ranges) {
  Json out = Json::array();
  for (const IndexRange& r : ranges) out.push_back({r.start, r.stop});
  return out;
}

Json array_json(const StoryArray& array) {
  Json blocks = Json::array();
  for (int64_t b = 0; b < array.block_count(); ++b) {
    const auto place = static_cast<size_t>(b);
    blocks.push_back({{"name", array.block_name(b)},
                      {"index", ranges_json(array.block_box(b))},
                      {"devices", place < array.owners.size() ? Json(array.owners[place]) : Json::array()}});
  }
  Json out = {{"name", array.name}, {"role", array.role}, {"dims", array.dims}};
  out["sharding"] = array.sharding ? Json(array.sharding->spec().text()) : Json(nullptr);
  if (array.sharding && !array.sharding->unreduced().empty()) out["unreduced"] = array.sharding->unreduced();
  if (array.transposed) out["transposed"] = true;
  if (array.terms > 0) out["terms"] = array.terms;
  out["blocks"] = std::move(blocks);
  return out;
}

const std::string& instruction_text(const Story& story, int32_t instruction) {
  return story.program().by_global_index(instruction).name;
}

Json compute_json(const Story& story, const Event& e) {
  const Instruction& i = story.program().by_global_index(e.instruction);
  return {{"device", e.device},
          {"instruction", i.name},
          {"opcode", std::string(opcode_text(i))},
          {"start_s", to_seconds(e.start)},
          {"end_s", to_seconds(e.end)}};
}

Json transfer_json(const Story& story, int32_t event, const Carried& carried) {
  const Event& e = story.timeline().events[static_cast<size_t>(event)];
  const bool known = carried.piece >= 0;
  const StoryArray& array = story.arrays()[static_cast<size_t>(carried.what.array)];
  Json out = {{"source", e.device}, {"target", e.peer}};
  out["array"] = known ? Json(array.name) : Json(nullptr);
  out["block"] = known && carried.what.block >= 0 ? array.block_name(carried.what.block)
                 : known                          ? array.name
                                                  : name_of_transfer(story, event);
  out["part"] = carried.what.part;
  out["parts"] = carried.what.parts;
  out["bytes"] = carried.bytes;
  out["adds"] = carried.adds;
  out["instruction"] = instruction_text(story, e.instruction);
  out["transfer_step"] = e.transfer_step;
  out["start_s"] = to_seconds(e.start);
  out["end_s"] = to_seconds(story.arrival(event));
  return out;
}

Json holdings_json(const Story& story, Picoseconds time) {
  Json out = Json::array();
  for (int32_t d = 0; d < story.timeline().devices; ++d) {
    for (const PieceId id : story.held(d, time)) {
      const Piece& piece = story.piece(id);
      for (const IndexBox& box : piece.index) {
        out.push_back({{"device", d},
                       {"array", story.arrays()[static_cast<size_t>(piece.array)].name},
                       {"index", ranges_json(box)},
                       {"terms", ranges_json(piece.terms)},
                       {"complete", piece.complete}});
      }
    }
  }
  return out;
}

Json beat_json(const Story& story, int32_t number, bool holdings) {
  const Beat& beat = story.beats()[static_cast<size_t>(number)];
  Json computes = Json::array();
  Json transfers = Json::array();
  for (const int32_t event : beat.events) {
    const Event& e = story.timeline().events[static_cast<size_t>(event)];
    if (beat.transfer_step < 0) {
      computes.push_back(compute_json(story, e));
      continue;
    }
    for (const Carried& c : story.carried(event)) transfers.push_back(transfer_json(story, event, c));
  }
  const Sentences said = sentences(story, number);
  Json out = {{"beat", number},
              {"start_s", to_seconds(beat.start)},
              {"end_s", to_seconds(beat.end)},
              {"computes", std::move(computes)},
              {"transfers", std::move(transfers)},
              {"sentences", {{"idea", said.idea}, {"moves", said.moves}, {"program", said.program}}}};
  if (holdings) out["holdings"] = holdings_json(story, beat.end);
  return out;
}

Json notes_json(const Story& story, const std::vector<StoryNote>& notes) {
  Json out = Json::array();
  for (const StoryNote& note : notes) {
    out.push_back({{"instruction",
                    note.instruction < 0 ? Json(nullptr) : Json(instruction_text(story, note.instruction))},
                   {"text", note.text}});
  }
  return out;
}

// Each on a line of its own; whether the sink wants more.
bool write_list(const TextSink& sink, int64_t count, const std::function<Json(int64_t)>& item) {
  for (int64_t k = 0; k < count; ++k)
    if (!sink((k == 0 ? "\n  " : ",\n  ") + item(k).dump())) return false;
  return sink("\n ]");
}

}  // namespace

void story_json(const Story& story, const StoryExcerpt& excerpt, const TextSink& sink) {
  const auto array = [&](int64_t k) { return array_json(story.arrays()[static_cast<size_t>(k)]); };
  const auto beat = [&](int64_t k) {
    return beat_json(story, excerpt.first + static_cast<int32_t>(k), excerpt.holdings);
  };
  if (!sink("{\n \"arrays\": [") || !write_list(sink, static_cast<int64_t>(story.arrays().size()), array))
    return;
  if (!sink(",\n \"beats\": [") || !write_list(sink, excerpt.last - excerpt.first + 1, beat)) return;
  std::string end =
      fmt::format(",\n \"unknown\": {},\n \"added_twice\": {}", notes_json(story, story.unknown()).dump(),
                  notes_json(story, story.added_twice()).dump());
  if (excerpt.breaks)
    end += ",\n \"breaks\": " + (excerpt.breaks->empty() ? Json(nullptr) : Json(*excerpt.breaks)).dump();
  sink(end + "\n}\n");
}

void story_text(const Story& story, const StoryExcerpt& excerpt, const TextSink& sink) {
  const Mesh& mesh = story.program().mesh;
  for (int32_t number = excerpt.first; number <= excerpt.last; ++number) {
    const Beat& beat = story.beats()[static_cast<size_t>(number)];
    std::string lines = fmt::format("{:>4}  {} – {}  {}\n", number, format_picoseconds(beat.start),
                                    format_picoseconds(beat.end), sentences(story, number).at(excerpt.level));
    for (int32_t d = 0; excerpt.holdings && d < story.timeline().devices; ++d)
      lines += fmt::format("      {} holds {}\n", mesh.place(DeviceId(d)), holdings_text(story, d, beat.end));
    if (!sink(lines)) return;
  }
  std::string notes;
  for (const StoryNote& note : story.unknown()) notes += "unknown     " + note.text + "\n";
  for (const StoryNote& note : story.added_twice()) notes += "added twice " + note.text + "\n";
  if (excerpt.breaks)
    notes += "breaks      " + (excerpt.breaks->empty() ? "nothing on this mesh" : *excerpt.breaks) + "\n";
  sink(notes);
}

}  // namespace shardscope::inline report

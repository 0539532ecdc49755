// SPDX-License-Identifier: Apache-2.0
#include "tests/views/agree/told_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include "engine/base/text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/report/story_report.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"
#include "engine/session/session.h"

namespace shardscope::agree_test {
namespace {

// Sizes that every split of the mesh divides.
MatmulProblem problem_for(const Mesh& mesh) {
  int64_t unit = mesh.device_count();
  for (const MeshAxis& axis : mesh.axes()) unit = std::max(unit, axis.size);
  return {8 * unit, 8 * unit, 8 * unit};
}

int32_t array_of(const Json& json, const std::string& name) {
  const Json& arrays = json["arrays"];
  for (size_t a = 0; a < arrays.size(); ++a)
    if (arrays[a]["name"] == name) return static_cast<int32_t>(a);
  return -1;
}

IndexRanges ranges_of(const Json& json) {
  IndexRanges out;
  for (const Json& r : json) out.push_back({r[0], r[1]});
  return out;
}

void add_held(std::vector<HeldTerms>& held, const HeldTerms& one) {
  for (HeldTerms& other : held) {
    if (other.array != one.array || other.terms != one.terms || other.complete != one.complete) continue;
    other.boxes.insert(other.boxes.end(), one.boxes.begin(), one.boxes.end());
    return;
  }
  held.push_back(one);
}

void sort_held(std::vector<HeldTerms>& held) {
  for (HeldTerms& one : held) std::sort(one.boxes.begin(), one.boxes.end());
  std::sort(held.begin(), held.end(), [](const HeldTerms& a, const HeldTerms& b) {
    return std::tie(a.array, a.terms, a.complete) < std::tie(b.array, b.terms, b.complete);
  });
}

}  // namespace

std::string RunWithStory::place(int32_t device) const {
  return run->mesh.rank() == 0 ? "device 0" : run->mesh.place(DeviceId(device));
}

std::unique_ptr<RunWithStory> told_run(std::string name, RunPtr run, std::string* why) {
  auto out = std::make_unique<RunWithStory>();
  out->name = std::move(name);
  out->run = std::move(run);
  out->trace = memory_trace(out->run);
  Result<Story> story = tell(out->run->program, out->run->timeline);
  if (!story.ok()) {
    *why = story.error().text();
    return nullptr;
  }
  out->story = std::make_unique<Story>(*std::move(story));
  std::string text;
  const auto last = static_cast<int32_t>(out->story->beats().size()) - 1;
  story_json(*out->story, {0, last, true, SentenceLevel::moves}, [&](std::string_view part) {
    text += part;
    return true;
  });
  out->json = Json::parse(text);
  return out;
}

std::unique_ptr<RunWithStory> told_strategy(const std::string& strategy, const std::string& mesh,
                                            const std::string& collective, const std::string& hardware) {
  Experiment experiment;
  experiment.hardware = hardware;
  experiment.mesh = *Mesh::parse(mesh);
  experiment.chip_wraps = true;
  experiment.problem = problem_for(experiment.mesh);
  experiment.collective = *parse_collective_algorithm(collective);
  ExecutionOptions timing;
  timing.numerics = false;
  RunRequest request;
  request.strategy = strategy;
  const Result<RunPtr> run = execute(experiment, request, timing, {});
  EXPECT_TRUE(run.ok()) << strategy << ": " << run.error().text();
  if (!run.ok()) return nullptr;
  std::string why;
  auto out = told_run(strategy + " on " + mesh, *run, &why);
  EXPECT_NE(out, nullptr) << why;
  return out;
}

std::unique_ptr<RunWithStory> told_module(const std::string& preset) {
  for (const HloPreset& each : hlo_presets()) {
    if (each.name != preset) continue;
    ModuleRunOptions options;
    options.check = CheckMode::off;
    const Result<HloText> read = read_hlo(each.text, preset);
    if (!read.ok()) return nullptr;
    const Result<ModuleRun> made = execute_module(read->program, options, {});
    std::string why;
    if (!made.ok()) return nullptr;
    return told_run(preset, made->run, &why);
  }
  return nullptr;
}

std::string Complaints::text() const {
  return join(said_, "\n");
}

Names::Names(const Json& json) {
  const Json& arrays = json["arrays"];
  for (size_t a = 0; a < arrays.size(); ++a) {
    const Json& blocks = arrays[a]["blocks"];
    for (size_t b = 0; b < blocks.size(); ++b) {
      const std::string name = blocks[b]["name"];
      const NamedPart part{static_cast<int32_t>(a), static_cast<int64_t>(b), 0, 0};
      if (!blocks_.emplace(name, part).second && twice_.empty()) twice_ = name;
    }
  }
}

std::vector<NamedPart> Names::single(const std::string& token) const {
  if (const auto found = blocks_.find(token); found != blocks_.end()) return {found->second};
  const size_t dot = token.rfind('.');
  if (dot == std::string::npos) return {};
  const auto block = blocks_.find(token.substr(0, dot));
  const std::string tail = token.substr(dot + 1);
  if (block == blocks_.end() || tail.find_first_not_of("0123456789/") != std::string::npos) return {};
  NamedPart out = block->second;
  out.part = std::atoi(tail.c_str());
  const size_t of = tail.find('/');
  out.parts = of == std::string::npos ? 0 : std::atoi(tail.substr(of + 1).c_str());
  return {out};
}

std::vector<NamedPart> Names::of_token(const std::string& token) const {
  static const std::string kTo = "–";
  const size_t at = token.find(kTo);
  if (at == std::string::npos) return single(token);
  const std::vector<NamedPart> from = single(token.substr(0, at));
  const std::vector<NamedPart> to = single(token.substr(at + kTo.size()));
  if (from.empty() || to.empty() || from[0].array != to[0].array) return {};
  std::vector<NamedPart> out;
  for (NamedPart part = from[0]; part <= to[0];) {
    out.push_back(part);
    if (part.part == 0)
      ++part.block;
    else
      ++part.part;
  }
  return out;
}

std::vector<NamedPart> Names::of_text(const std::string& text) const {
  std::vector<NamedPart> out;
  for (const std::string& token : words_of(text)) {
    const std::vector<NamedPart> named = of_token(token);
    if (named.empty()) return {};
    out.insert(out.end(), named.begin(), named.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  int depth = 0;
  for (const char c : text + " ") {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0 || (c != ' ' && c != ',')) {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

Picoseconds picoseconds(const Json& seconds) {
  return std::llround(seconds.get<double>() * 1e12);
}

std::vector<MovedBlocks> moved_blocks(const RunWithStory& told, const Names& names) {
  std::vector<MovedBlocks> out;
  for (const Json& beat : told.json["beats"]) {
    std::map<std::tuple<int, int, Picoseconds, Picoseconds>, size_t> known;
    for (const Json& row : beat["transfers"]) {
      const Picoseconds start = picoseconds(row["start_s"]);
      const Picoseconds end = picoseconds(row["end_s"]);
      const auto [at, fresh] = known.try_emplace({row["source"], row["target"], start, end}, out.size());
      if (fresh)
        out.push_back(
            {row["source"], row["target"], row["instruction"], beat["beat"], start, end, 0, false, {}, {}});
      MovedBlocks& moved = out[at->second];
      moved.bytes += row["bytes"].get<int64_t>();
      moved.adds = moved.adds || row["adds"].get<bool>();
      const std::string block = row["block"];
      std::vector<NamedPart> part = row["array"].is_null() ? std::vector<NamedPart>() : names.of_token(block);
      if (part.size() != 1) {
        moved.unknown = block;
        continue;
      }
      if (row["parts"] != 1) part[0].part = row["part"], part[0].parts = row["parts"];
      moved.blocks.push_back(part[0]);
    }
  }
  for (MovedBlocks& moved : out) std::sort(moved.blocks.begin(), moved.blocks.end());
  return out;
}

std::vector<Picoseconds> moments_of(const RunWithStory& told) {
  std::set<Picoseconds> at{0};
  for (int32_t e = 0; e < std::ssize(told.events()); ++e) {
    const Event& event = told.events()[static_cast<size_t>(e)];
    for (const Picoseconds t : {event.start, event.end, told.story->arrival(e)}) at.insert(t);
  }
  std::vector<Picoseconds> out;
  for (const Picoseconds t : at) {
    if (!out.empty() && t - out.back() > 1) out.push_back(out.back() + (t - out.back()) / 2);
    out.push_back(t);
  }
  return out;
}

Moment moment_of(const RunWithStory& told, Picoseconds time) {
  Moment out;
  out.time = time;
  const Json& beats = told.json["beats"];
  const auto end_of = [&](int32_t b) { return picoseconds(beats[static_cast<size_t>(b)]["end_s"]); };
  const auto count = static_cast<int32_t>(beats.size());
  int32_t next = 0;
  while (next + 1 < count && end_of(next) < time) ++next;
  out.first_beat = out.last_beat = next;
  // Beat 0 is before: nothing ends together with it.
  while (out.last_beat + 1 < count && end_of(out.last_beat + 1) == end_of(next)) ++out.last_beat;
  out.under_way = end_of(next) > time;
  for (int32_t d = 0; d < told.run->timeline.devices; ++d) {
    std::vector<HeldTerms>& held = out.held.emplace_back();
    for (const PieceId id : told.story->held(d, time)) {
      const Piece& piece = told.story->piece(id);
      add_held(held, {piece.array, piece.terms, piece.complete, piece.index});
    }
    sort_held(held);
  }
  return out;
}

std::vector<std::vector<HeldTerms>> held_in_json(const RunWithStory& told, int32_t beat) {
  std::vector<std::vector<HeldTerms>> out(static_cast<size_t>(told.run->timeline.devices));
  for (const Json& row : told.json["beats"][static_cast<size_t>(beat)]["holdings"]) {
    add_held(out[row["device"].get<size_t>()], {array_of(told.json, row["array"]),
                                                ranges_of(row["terms"]),
                                                row["complete"],
                                                {ranges_of(row["index"])}});
  }
  for (std::vector<HeldTerms>& held : out) sort_held(held);
  return out;
}

}  // namespace shardscope::agree_test

// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/event_search.h"

#include <QStringList>
#include <algorithm>

#include "views/scene/core/pen.h"

namespace shardscope::inline window {
namespace {

// Which of a run's devices, lanes and instructions hold a word: a few names are read instead of every event.
struct WordMatch {
  std::vector<bool> devices, lanes, instructions;
  bool holds(const Event& e) const {
    return devices[static_cast<size_t>(e.device)] || lanes[static_cast<size_t>(e.lane)] ||
           instructions[static_cast<size_t>(e.instruction)];
  }
};

WordMatch match_of(const ShownRun& shown, const QString& word) {
  const auto holds = [&](const std::string& text) {
    return QString::fromStdString(text).contains(word, Qt::CaseInsensitive);
  };
  WordMatch out;
  const Run& run = *shown.run;
  for (int32_t d = 0; d < run.timeline.devices; ++d) out.devices.push_back(holds(device_name(run.mesh, d)));
  for (const Lane& lane : run.timeline.lanes) out.lanes.push_back(holds(lane.name));
  for (const Computation& computation : run.program.computations) {
    for (const Instruction& i : computation.instructions) {
      const std::string& path = i.provenance->op_name;  // "jit(step)/layer_3/mlp/dot": its scopes
      out.instructions.push_back(holds(i.name) || holds(display_name(i)) ||
                                 holds(path.substr(0, path.rfind('/') + 1)));
    }
  }
  return out;
}

}  // namespace

FoundEvents find_events(const ShownRun& shown, const QString& filter, size_t most) {
  std::vector<WordMatch> words;
  for (const QString& word : filter.split(' ', Qt::SkipEmptyParts)) words.push_back(match_of(shown, word));
  const auto& events = shown.run->timeline.events;
  FoundEvents found;
  for (size_t i = 0; i < events.size(); ++i) {
    const auto holds = [&](const WordMatch& word) { return word.holds(events[i]); };
    if (!std::all_of(words.begin(), words.end(), holds)) continue;
    if (++found.count <= static_cast<int64_t>(most)) found.numbers.push_back(static_cast<int32_t>(i));
  }
  return found;
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/shown_run.h"

#include <utility>

#include "engine/session/small_factors.h"

namespace shardscope::inline window {
namespace {

constexpr int32_t kLongProgram = 200;  // instructions

Picoseconds inside(const Event& event) {
  return event.start + (event.end - event.start) / 2;
}

// As the same run was seen before, if it was: with the same program.
ShownRunPtr seen_through(std::shared_ptr<const TraceSource> trace, RunPtr run, const ShownRun* before) {
  auto shown = std::make_shared<ShownRun>();
  shown->showing = before != nullptr ? before->showing : std::make_shared<const Showing>();
  const EqualDevices* known = before != nullptr ? &equal_devices(before->input()) : nullptr;
  shown->found =
      std::make_shared<FoundOnce>(known != nullptr && known->exact ? *known : equal_devices(*run, *trace));
  if (before != nullptr)
    shown->outline = before->outline;
  else if (run->program.instruction_count() >= kLongProgram)
    shown->outline = std::make_shared<const Outline>(outline_of(run->program));
  shown->factors = small_factors(*run);
  shown->run = std::move(run);
  shown->trace = std::move(trace);
  shown->telling = true;
  return shown;
}

}  // namespace

ShownRunPtr show(RunPtr run) {
  std::shared_ptr<const TraceSource> trace = memory_trace(run);
  return seen_through(std::move(trace), std::move(run), nullptr);
}

ShownRunPtr show_unread(RunPtr outline, std::shared_ptr<const TraceSource> trace) {
  return seen_through(std::move(trace), std::move(outline), nullptr);
}

ShownRunPtr read_whole(const ShownRunPtr& unread, RunPtr run) {
  std::shared_ptr<const TraceSource> trace = memory_trace(run);
  return seen_through(std::move(trace), std::move(run), unread.get());
}

ShownRunPtr said_to_be(const ShownRunPtr& shown, bool earlier) {
  auto out = std::make_shared<ShownRun>(*shown);
  out->earlier = earlier;
  return out;
}

ShownRunPtr with_run(const ShownRunPtr& shown, RunPtr run) {
  auto out = std::make_shared<ShownRun>(*shown);
  out->run = std::move(run);
  return out;
}

ShownRunPtr left_as_it_is(const ShownRunPtr& shown) {
  auto out = std::make_shared<ShownRun>(*shown);
  out->telling = false;
  out->stopped = true;
  return out;
}

ShownRunPtr with_story(const ShownRunPtr& shown, const std::stop_token& stop) {
  auto out = std::make_shared<ShownRun>(*shown);
  out->telling = false;
  if (auto told = tell(out->run->program, out->run->timeline, stop); told.ok())
    out->story = std::make_shared<const Story>(std::move(told).value());
  if (auto sums = sum_run(*out->run, out->story.get(), stop); sums.ok())
    out->sums = std::make_shared<const RunSums>(std::move(sums).value());
  return out;
}

std::optional<Picoseconds> moment_of(const ShownRun& shown, const ItemId& item) {
  const auto& events = shown.run->timeline.events;
  if (item.kind == ItemId::Kind::step) {
    if (!shown.story || item.index < 0 || item.index >= std::ssize(shown.story->beats())) return std::nullopt;
    return shown.story->moment_of(item.index);
  }
  if (const auto event = find_event(shown.input(), item.event)) return inside(*event);
  if (item.instruction < 0) return std::nullopt;
  for (const Event& event : events) {
    if (event.instruction == item.instruction && (item.device < 0 || event.device == item.device))
      return inside(event);
  }
  return std::nullopt;
}

}  // namespace shardscope::inline window

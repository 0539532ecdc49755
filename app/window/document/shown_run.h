// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "engine/program/analysis/outline.h"
#include "engine/run/run.h"
#include "engine/run/trace_source.h"
#include "engine/story/story.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/found_once.h"

namespace shardscope::inline window {

// Made for each time that a run is shown: nobody compares more of it than whether it is the same.
struct Showing {};

// A run with all that canvases read of it. Immutable, shared by the views. One from a record is shown by its
// trace before its events, its memory over time and its story are there.
struct ShownRun {
  RunPtr run;
  std::shared_ptr<const TraceSource> trace;
  std::shared_ptr<const Story> story;  // none when what happened cannot be told, or not yet
  bool telling = false;                // the story is on its way, or the events are
  bool stopped = false;                // whoever looks at it wanted no more of it
  bool earlier = false;                // the experiment was edited since, and does not ask for it any more
  std::shared_ptr<FoundOnce> found = nothing_found();
  std::shared_ptr<const Outline> outline;  // of a long program; none: it is read as it is
  std::shared_ptr<const RunSums> sums;     // with the story, or without one when there is none
  std::optional<SmallFactors> factors{};   // of small arrays

  ViewInput input() const {
    return {*run, *trace, story.get(), telling, stopped, sums.get(), found, factors ? &*factors : nullptr};
  }
  std::shared_ptr<const Showing>
      showing;  // another whenever a run is shown; it stays when more is told of it
  bool unread() const { return is_unread(input()); }  // its events are in the record alone
};
using ShownRunPtr = std::shared_ptr<const ShownRun>;

ShownRunPtr show(RunPtr run);  // its story is still to be told
// As its record shows it, by an outline (Workspace) and a trace: its events are still to be read.
ShownRunPtr show_unread(RunPtr outline, std::shared_ptr<const TraceSource> trace);
// The same with its events in memory, which tell what an exact outline knew already.
ShownRunPtr read_whole(const ShownRunPtr& unread, RunPtr run);
ShownRunPtr said_to_be(const ShownRunPtr& shown, bool earlier);
// The run as it is in memory now, with its numbers or another name: what is known of it stays.
ShownRunPtr with_run(const ShownRunPtr& shown, RunPtr run);
ShownRunPtr left_as_it_is(const ShownRunPtr& shown);  // nothing more of it will come
ShownRunPtr with_story(const ShownRunPtr& shown, const std::stop_token& stop);

// A moment inside what `item` names: its event, else the first event of its instruction (on its device), or
// the end of its beat.
std::optional<Picoseconds> moment_of(const ShownRun& shown, const ItemId& item);

}  // namespace shardscope::inline window

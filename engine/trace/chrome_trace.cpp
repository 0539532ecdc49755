// SPDX-License-Identifier: Apache-2.0
// The trace-event format of chrome://tracing and Perfetto: "Trace Event Format", Google, array form. Times
// are µs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/program/ir/opcode.h"
#include "engine/story/story.h"
#include "engine/trace/workspace.h"

namespace shardscope {
namespace {

double microseconds(Picoseconds ps) {
  return static_cast<double>(ps) * 1e-6;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Events are written as text: a JSON value apiece would take ten times the memory of the run.
class ChromeTrace {
 public:
  // Without a story events are called as their instructions.
  ChromeTrace(const Run& run, const Story* story) : run_(run), timeline_(run.timeline), story_(story) {}

  std::string text() {
    out_ = "[";
    names();
    for (size_t i = 0; i < timeline_.events.size(); ++i) event(i);
    memory();
    out_ += "\n]\n";
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  // A process per device, a thread per lane.
  void names() {
    for (int32_t device = 0; device < timeline_.devices; ++device) {
      const std::string name = "device " + std::to_string(device) + " " + run_.mesh.place(DeviceId(device));
      line(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", device, quoted(name));
      line(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", device, device);
      for (size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
        line(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", device, lane,
             quoted(timeline_.lanes[lane].name));
        line(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
             device, lane, lane);
      }
    }
  }

  // What a transfer carries, as the timeline's label says it; of a computation its instruction.
  std::string name_of_event(size_t number, const Instruction& instruction) const {
    const std::string carries =
        story_ != nullptr ? name_of_transfer(*story_, static_cast<int32_t>(number)) : std::string();
    return carries.empty() ? instruction.name : carries;
  }

  void event(size_t number) {
    const Event& e = timeline_.events[number];
    const Instruction& instruction = run_.program.by_global_index(e.instruction);
    const std::string opcode(opcode_text(instruction));
    line(
        R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"instruction":{},"op":{},"note":{},)"
        R"("beat":{},"step":{},"transfer_step":{},"bytes":{},"flops":{},"peer":{},"chunk":{},"chunk_count":{},"event":{}}}}})",
        quoted(name_of_event(number, instruction)), quoted(opcode), e.device, e.lane, microseconds(e.start),
        microseconds(e.end - e.start), quoted(instruction.name), quoted(opcode),
        quoted(instruction.provenance->op_name),
        story_ != nullptr ? story_->beat_of(static_cast<int32_t>(number)) : -1, e.step, e.transfer_step,
        e.bytes, e.flops, e.peer, e.chunk, e.chunk_count, number);
    if (e.kind == EventKind::transfer && !e.relayed && e.peer >= 0) arrow(e, number);
  }

  // From the transfer to the first event that it lets start on its target; without one it has no end to point
  // at.
  void arrow(const Event& e, size_t number) {
    const int64_t target = first_caused(number);
    if (target < 0) return;
    const Event& to = timeline_.events[static_cast<size_t>(target)];
    line(R"({{"ph":"s","id":{},"name":"transfer","cat":"transfer","pid":{},"tid":{},"ts":{}}})", number,
         e.device, e.lane, microseconds(e.start));
    line(R"({{"ph":"f","bp":"e","id":{},"name":"transfer","cat":"transfer","pid":{},"tid":{},"ts":{}}})",
         number, to.device, to.lane, microseconds(to.start));
  }

  int64_t first_caused(size_t number) {
    if (caused_.empty()) {
      caused_.assign(timeline_.events.size(), -1);
      for (size_t i = timeline_.events.size(); i-- > 0;) {
        const Event& e = timeline_.events[i];
        if (e.cause >= 0 && timeline_.events[static_cast<size_t>(e.cause)].peer == e.device)
          caused_[static_cast<size_t>(e.cause)] = static_cast<int64_t>(i);
      }
    }
    return caused_[number];
  }

  void memory() {
    for (size_t device = 0; device < timeline_.memory.size(); ++device)
      for (const MemoryPoint& point : timeline_.memory[device])
        line(R"({{"ph":"C","name":"memory","pid":{},"ts":{},"args":{{"bytes":{}}}}})", device,
             microseconds(point.time), point.bytes);
  }

  const Run& run_;
  const Timeline& timeline_;
  const Story* story_;
  std::string out_;
  bool first_ = true;
  std::vector<int64_t> caused_;
};

Error no_events(const Run& run) {
  return invalid("the run kept totals only, no events", run.strategy, "run it again with fewer devices");
}

}  // namespace

Result<std::string> chrome_trace(const Run& run) {
  if (run.timeline.events.empty() && run.timeline.event_count > 0) return no_events(run);
  const Result<Story> story = tell(run.program, run.timeline);
  return ChromeTrace(run, story.ok() ? &*story : nullptr).text();
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
// The trace-event format of chrome://tracing and Perfetto: "Trace Event Format", Google, array form, of a
// loop of steps the object form. Times are µs. Events say hlo_op, hlo_module and device_ordinal as XLA's
// profiler does. The steps of a loop are marked as jax.profiler.StepTraceAnnotation (step_num) and
// torch.profiler (ProfilerStep#3) mark them on the host's thread, and as TPUs do on a line "Steps".
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/program/ir/opcode.h"
#include "engine/story/story.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline trace {
namespace {

// To the picosecond: "12.345678", "12".
std::string microseconds(Picoseconds ps) {
  constexpr Picoseconds kMicrosecond = 1'000'000;
  if (ps % kMicrosecond == 0) return std::to_string(ps / kMicrosecond);
  std::string out = fmt::format("{}.{:06}", ps / kMicrosecond, ps % kMicrosecond);
  out.erase(out.find_last_not_of('0') + 1);
  return out;
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
    // Readers of profilers' steps want the object that profilers write.
    out_ = run_.steps ? R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)" : "[";
    names();
    if (run_.steps) steps();
    for (at_step_ = 0; at_step_ < written_steps(); ++at_step_) {
      for (size_t i = 0; i < timeline_.events.size(); ++i) event(i);
      memory();
    }
    out_ += run_.steps ? "\n]}\n" : "\n]\n";
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  // XLA's writer keeps as many events of a profile at most, and readers take a larger one for cut.
  static constexpr size_t kMostEvents = 900'000;

  // Every step has the same events; of more than that the first ones' alone are written.
  int64_t written_steps() const {
    if (!run_.steps) return 1;
    const auto fitting = static_cast<int64_t>(kMostEvents / std::max<size_t>(1, timeline_.events.size()));
    return std::clamp<int64_t>(std::ssize(run_.steps->steps), 1, std::max<int64_t>(1, fitting));
  }
  std::string time(Picoseconds t) const { return microseconds(t + at_step_ * timeline_.total); }
  // Unique among all steps.
  size_t id(size_t number) const { return number + static_cast<size_t>(at_step_) * timeline_.events.size(); }

  void steps() {
    const int32_t host = timeline_.devices;
    line(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"/host:CPU"}}}})", host);
    line(R"({{"ph":"M","name":"thread_name","pid":{},"tid":0,"args":{{"name":"python"}}}})", host);
    const size_t lane = timeline_.lanes.size();
    for (int32_t device = 0; device < timeline_.devices; ++device) {
      line(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"Steps"}}}})", device, lane);
      line(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":-1}}}})", device,
           lane);
    }
    for (const RunStep& step : run_.steps->steps) mark(step, host, lane);
  }

  void mark(const RunStep& step, int32_t host, size_t lane) {
    const std::string start = microseconds(step.simulated.start),
                      length = microseconds(step.simulated.length());
    const char* const as = step.number < written_steps() ? "" : R"(,"note":"events as of step 0")";
    line(
        R"({{"ph":"X","name":{},"cat":"step","pid":{},"tid":0,"ts":{},"dur":{},"args":{{"step_num":"{}","warmup":{}{}}}}})",
        quoted(run_.steps->marker), host, start, length, step.number, step.warmup, as);
    line(R"({{"ph":"X","name":"ProfilerStep#{}","cat":"user_annotation","pid":{},"tid":0,"ts":{},"dur":{}}})",
         step.number, host, start, length);
    for (int32_t device = 0; device < timeline_.devices; ++device)
      line(R"({{"ph":"X","name":"{}","cat":"step","pid":{},"tid":{},"ts":{},"dur":{}}})", step.number, device,
           lane, start, length);
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
        R"("beat":{},"step":{},"transfer_step":{},"bytes":{},"flops":{},"peer":{},"chunk":{},"chunk_count":{},"event":{},)"
        R"("hlo_op":{},"hlo_module":{},"device_ordinal":"{}"}}}})",
        quoted(name_of_event(number, instruction)), quoted(opcode), e.device, e.lane, time(e.start),
        microseconds(e.end - e.start), quoted(instruction.name), quoted(opcode),
        quoted(instruction.provenance->op_name),
        story_ != nullptr ? story_->beat_of(static_cast<int32_t>(number)) : -1, e.step, e.transfer_step,
        e.bytes, e.flops, e.peer, e.chunk, e.chunk_count, number, quoted(instruction.name),
        quoted(run_.program.name), e.device);
    if (e.kind == EventKind::transfer && !e.relayed && e.peer >= 0) arrow(e, number);
  }

  // From the transfer to the first event that it lets start on its target; without one it has no end to point
  // at.
  void arrow(const Event& e, size_t number) {
    const int64_t target = first_caused(number);
    if (target < 0) return;
    const Event& to = timeline_.events[static_cast<size_t>(target)];
    line(R"({{"ph":"s","id":{},"name":"transfer","cat":"transfer","pid":{},"tid":{},"ts":{}}})", id(number),
         e.device, e.lane, time(e.start));
    line(R"({{"ph":"f","bp":"e","id":{},"name":"transfer","cat":"transfer","pid":{},"tid":{},"ts":{}}})",
         id(number), to.device, to.lane, time(to.start));
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
             time(point.time), point.bytes);
  }

  const Run& run_;
  const Timeline& timeline_;
  const Story* story_;
  std::string out_;
  bool first_ = true;
  int64_t at_step_ = 0;
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

}  // namespace shardscope::inline trace

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/note_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "engine/base/text.h"
#include "engine/base/toml.h"
#include "engine/base/units.h"
#include "engine/request/experiment_file.h"
#include "engine/session/plan.h"
#include "engine/session/price.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

// A run that was timed, without its numbers.
struct TimedRun {
  Plan plan;
  Timeline timeline;
  std::optional<Price> price;
};

struct NoteValue {
  const char* name;
  double (*of)(const TimedRun& run);
  std::string (*print)(double value);
};

std::string print_count(double value) {
  return group_digits(static_cast<int64_t>(value));
}

double elements_sent(const TimedRun& run) {
  return mean_per_device(run.timeline).bytes_sent * 8 /
         static_cast<double>(bits(run.plan.request.problem.dtype));
}

// Means over devices are of devices that do alike, or of the whole.
const std::array kValues{
    NoteValue{"total", [](const TimedRun& r) { return to_seconds(r.timeline.total); }, format_seconds},
    NoteValue{"compute", [](const TimedRun& r) { return summarise(r.timeline).compute_s; }, format_seconds},
    NoteValue{"exposed", [](const TimedRun& r) { return summarise(r.timeline).exposed_comm_s; },
              format_seconds},
    NoteValue{"idle", [](const TimedRun& r) { return summarise(r.timeline).idle_s; }, format_seconds},
    NoteValue{"price", [](const TimedRun& r) { return r.price ? to_seconds(r.price->total()) : 0; },
              format_seconds},
    NoteValue{"overlap", [](const TimedRun& r) { return summarise(r.timeline).overlap.value_or(0); },
              format_percent},
    NoteValue{"bytes_sent", [](const TimedRun& r) { return mean_per_device(r.timeline).bytes_sent; },
              format_bytes},
    NoteValue{"elements_sent", elements_sent, print_count},
    NoteValue{"peak_bytes", [](const TimedRun& r) { return max_per_device(r.timeline).peak_bytes; },
              format_bytes},
    NoteValue{"flops", [](const TimedRun& r) { return mean_per_device(r.timeline).flops; }, print_count},
};

// "wang.os#2.total": of which run what.
struct NoteTerm {
  std::string strategy;
  int64_t place = 1;  // among the runs of that strategy
  const NoteValue* value = nullptr;
};

Error unknown_value(const std::string& name) {
  const auto near = nearest(name, note_values());
  return invalid(fmt::format("no value '{}' of a run", name), "",
                 near ? fmt::format("did you mean {}?", *near) : "use " + join(note_values(), ", "));
}

Result<NoteTerm> parse_term(std::string_view written) {
  const std::string text(trim(written));
  const size_t dot = text.rfind('.');
  if (!text.starts_with("runs.") || dot < 5)
    return invalid(fmt::format("'{}' names no run's value", text), "", "write runs.wang.os.total");
  NoteTerm out;
  out.strategy = text.substr(5, dot - 5);
  const std::string name = text.substr(dot + 1);
  const auto value = std::ranges::find_if(kValues, [&](const NoteValue& v) { return name == v.name; });
  if (value == kValues.end()) return unknown_value(name);
  out.value = &*value;
  if (const size_t mark = out.strategy.find('#'); mark != std::string::npos) {
    const auto place = parse_int(out.strategy.substr(mark + 1));
    if (!place || *place < 1)
      return invalid(fmt::format("'{}' counts runs from 1", text), "", "write runs.summa.os#2.total");
    out.place = *place;
    out.strategy.resize(mark);
  }
  return out;
}

// The runs of one experiment, each timed when it is first asked for.
class NoteRuns {
 public:
  explicit NoteRuns(const Experiment& experiment)
      : experiment_(experiment), requests_(requests_of(experiment)) {}

  Result<double> value(const NoteTerm& term) {
    TRY(const TimedRun* run, find(term));
    return term.value->of(*run);
  }

 private:
  Result<const TimedRun*> find(const NoteTerm& term) {
    int64_t met = 0;
    std::vector<std::string> names;
    for (size_t i = 0; i < requests_.size(); ++i) {
      names.push_back(requests_[i].strategy);
      if (requests_[i].strategy == term.strategy && ++met == term.place) return timed(i);
    }
    const auto near = nearest(term.strategy, names);
    return invalid(
        met == 0 ? fmt::format("no run of '{}'", term.strategy)
                 : fmt::format("'{}' has {} runs, not {}", term.strategy, met, term.place),
        "", near && met == 0 ? fmt::format("did you mean {}?", *near) : "name a run of the experiment");
  }

  Result<const TimedRun*> timed(size_t place) {
    const auto known = timed_.find(place);
    if (known != timed_.end()) return &known->second;
    TRY(const Hardware hardware, find_hardware(experiment_.hardware));
    TimedRun run;
    TRY(run.plan, make_plan(experiment_, requests_[place], hardware));
    ScheduleOptions totals;
    totals.keep_events = false;
    TRY(TimedPlan timed, time_plan(run.plan, std::move(totals), {}));
    run.timeline = std::move(timed.timeline);
    TRY(run.price, prices_.price(run.plan.program, run.plan.request, run.plan.hardware, {}));
    return &timed_.emplace(place, std::move(run)).first->second;
  }

  const Experiment& experiment_;
  std::vector<RunRequest> requests_;
  std::map<size_t, TimedRun> timed_;
  PriceBook prices_;
};

// Of the text between the braces.
Result<std::string> value_text(std::string_view reference, NoteRuns& runs) {
  const std::vector<std::string> parts = split(reference, '/');
  if (parts.size() > 2)
    return invalid(fmt::format("'{}' is no quotient of two values", reference), "",
                   "write runs.a.total / runs.b.total");
  TRY(const NoteTerm first, parse_term(parts[0]));
  TRY(const double value, runs.value(first));
  if (parts.size() == 1) return first.value->print(value);
  TRY(const NoteTerm second, parse_term(parts[1]));
  TRY(const double divisor, runs.value(second));
  if (divisor == 0) return invalid(fmt::format("'{}' divides by 0", reference));
  return fmt::format("{:.2f}", value / divisor);
}

}  // namespace

std::vector<std::string> note_values() {
  std::vector<std::string> out;
  for (const NoteValue& value : kValues) out.emplace_back(value.name);
  return out;
}

ToldNotes told_notes(const Experiment& experiment) {
  constexpr std::string_view kBegin = "{runs.";
  ToldNotes out;
  NoteRuns runs(experiment);
  std::string_view rest = experiment.notes;
  while (true) {
    const size_t begin = rest.find(kBegin), end = rest.find('}', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    out.text += rest.substr(0, begin);
    const Result<std::string> value = value_text(rest.substr(begin + 1, end - begin - 1), runs);
    out.text += value.ok() ? *value : "?";
    if (!value.ok()) out.unknown.push_back(value.error());
    rest.remove_prefix(end + 1);
  }
  out.text += rest;
  return out;
}

Result<void> check_notes(std::string_view toml, std::string_view file_name) {
  TRY(const Experiment experiment, parse_experiment(toml, file_name));
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  const ToldNotes notes = told_notes(experiment);
  if (notes.unknown.empty()) return {};
  Error error = notes.unknown.front();
  error.where = root.where("notes");
  return error;
}

}  // namespace shardscope

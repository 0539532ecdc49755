// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/timed_before.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace shardscope::inline tuner {
namespace {

using nlohmann::json;

// All that answers follow from.
std::string text_of(const TuneRequest& request, TuneStep step, const Hardware& hardware) {
  std::string out = fmt::format("shardscope {}\n{} chips, {}, {} tokens\n", SHARDSCOPE_VERSION, request.chips,
                                name(step), request.model.tokens(request.chips));
  for (const ModelLayer& layer : request.model.layers)
    out += fmt::format("{} x {}\n", layer.inputs, layer.outputs);
  if (!request.place.empty()) out += text(request.place) + "\n";
  return out + hardware_toml(hardware);
}

// JSON has no infinity.
json number(double seconds) {
  return std::isinf(seconds) ? json() : json(seconds);
}
double number(const json& seconds) {
  return seconds.is_null() ? std::numeric_limits<double>::infinity() : seconds.get<double>();
}

bool is_worth_keeping(const TuneAnswer& answer) {
  return answer.time.ok() && !std::isinf(answer.move.seconds);
}

}  // namespace

Result<std::shared_ptr<TimedBefore>> TimedBefore::in(std::shared_ptr<Workspace> workspace,
                                                     const TuneRequest& request, bool resume) {
  const std::string chip = request.hardware.value_or(kTunedHardware);
  TRY(const Hardware hardware, find_hardware(chip));
  const TuneStep step = request.step.value_or(TuneStep::training);
  const std::string name =
      fmt::format("tune {} {} {} {}", request.model.name, request.chips, shardscope::name(step), chip);
  std::shared_ptr<TimedBefore> out(
      new TimedBefore(std::move(workspace), name, text_of(request, step, hardware)));
  if (!resume) return out;
  TRY(const auto kept, out->workspace_->kept(name));
  if (kept) out->read(*kept);
  return out;
}

std::optional<TuneAnswer> TimedBefore::find(const std::string& question, double limit_s) const {
  const auto at = known_.find(question);
  if (at == known_.end()) return std::nullopt;
  const std::optional<OptionTime>& time = *at->second.answer.time;
  if (!time) return at->second.limit_s >= limit_s ? std::optional(at->second.answer) : std::nullopt;
  // As who times it would say.
  return time->total_s <= limit_s ? at->second.answer : TuneAnswer();
}

void TimedBefore::learn(const std::string& question, double limit_s, const TuneAnswer& answer) {
  if (!is_worth_keeping(answer)) return;
  known_.insert_or_assign(question, Known{limit_s, answer});
  is_new_ = true;
}

void TimedBefore::keep() {
  if (!std::exchange(is_new_, false)) return;
  // What cannot be written Workspace::wait() says.
  static_cast<void>(workspace_->keep(name_, text()));
}

std::string TimedBefore::text() const {
  json answers = json::object();
  for (const auto& [question, known] : known_) {
    const auto& [time, move] = known.answer;
    json& out = answers[question] = {number(known.limit_s), move.seconds, move.bytes};
    if (!*time) continue;
    const OptionTime& t = **time;
    for (const double part : {t.total_s, t.bandwidth_s, t.latency_s, t.rest_s}) out.push_back(part);
    out.push_back(t.peak_bytes);
  }
  return json({{"asked", question_}, {"answers", answers}}).dump();
}

// What does not read as written here, or is of another request, is as if it were not there.
void TimedBefore::read(const std::string& text) {
  constexpr size_t kWithoutTime = 3, kWithTime = 8;
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || all.value("asked", json()) != question_) return;
  const json answers = all.value("answers", json());
  for (const auto& [question, parts] : answers.items()) {
    const bool fits = parts.is_array() && (parts.size() == kWithoutTime || parts.size() == kWithTime);
    const auto is_number = [](const json& part) { return part.is_number() || part.is_null(); };
    if (!fits || !std::all_of(parts.begin(), parts.end(), is_number)) continue;
    Known known{number(parts[0]), {}};
    known.answer.move = {number(parts[2]), number(parts[1])};
    if (parts.size() == kWithTime && parts[7].is_number_integer()) {
      known.answer.time = std::optional(OptionTime{number(parts[3]), parts[7].get<int64_t>(),
                                                   number(parts[4]), number(parts[5]), number(parts[6])});
    }
    known_.insert_or_assign(question, std::move(known));
  }
}

}  // namespace shardscope::inline tuner

// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/calibrate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/measure/chip_fit.h"
#include "engine/measure/predict.h"

namespace shardscope::inline measure {
namespace {

// Points of a group by size, in blocks of neighbours; of each block as many are drawn as keeps to the share.
// So both halves reach from the smallest to the largest.
void hold_out(std::vector<size_t> group, const std::vector<MeasuredPoint>& points,
              const CalibrateRequest& request, std::vector<bool>& held) {
  if (request.holdout <= 0) return;
  std::ranges::stable_sort(group, {}, [&](size_t i) { return size_of(points[i]); });
  uint64_t salt = request.seed;
  for (const char c : group_of(points[group[0]]))
    salt = salt * 1099511628211ULL + static_cast<unsigned char>(c);
  Dice dice(salt);
  const double rarer = std::min(request.holdout, 1 - request.holdout);
  const auto block = static_cast<size_t>(std::clamp(std::round(1 / rarer), 2.0, 10.0));
  const double phase = dice.uniform();
  for (size_t first = 0; first < group.size(); first += block) {
    const size_t last = std::min(first + block, group.size());
    const auto up_to = [&](size_t end) {
      return std::floor(static_cast<double>(end) * request.holdout + phase);
    };
    auto wanted = static_cast<size_t>(up_to(last) - up_to(first));
    std::vector<size_t> left(group.begin() + static_cast<ptrdiff_t>(first),
                             group.begin() + static_cast<ptrdiff_t>(last));
    for (; wanted > 0; --wanted) {
      const auto drawn = left.begin() + static_cast<ptrdiff_t>(dice.below(left.size()));
      held[*drawn] = true;
      left.erase(drawn);
    }
  }
}

struct Chosen {
  std::vector<MeasuredPoint> points;  // the chip's that a rule times
  std::vector<bool> held;
  std::vector<std::string> left_out;
};

// Why a point is not fitted, empty: it is.
std::string why_left_out(const Hardware& chip, const MeasuredPoint& point) {
  if (point.kind == PointKind::attention) return "nothing of attention is fitted";
  if (point.kind == PointKind::unknown && collective_kind(point.op) && point.devices < 2)
    return "it is not said how many devices took part";
  if (point.kind == PointKind::unknown) return fmt::format("no cost rule for '{}'", point.op);
  return spans_nodes(chip, point) ? "of several nodes, nothing of the network is fitted" : "";
}

// Points of other chips, or none of this one that can be fitted.
Error nothing_to_fit(const std::string& chip, const std::set<std::string>& chips,
                     const std::map<std::string, int64_t>& causes) {
  if (causes.empty())
    return invalid(
        fmt::format("no point is of {}", chip), "points",
        fmt::format("their chips are {}", join(std::vector<std::string>(chips.begin(), chips.end()), ", ")));
  std::vector<std::string> words;
  for (const auto& [cause, count] : causes) words.push_back(fmt::format("{} ({})", cause, count));
  return invalid(fmt::format("no point of {} can be fitted: {}", chip, join(words, "; ")), "points",
                 "give collectives of one node and their number of devices, products, or elementwise work");
}

Result<Chosen> choose_points(const CalibrateRequest& request) {
  Chosen out;
  std::set<std::string> chips;
  std::map<std::string, int64_t> causes;
  for (const MeasuredPoint& point : request.points) {
    chips.insert(point.chip);
    if (point.chip != request.preset.name) continue;
    const std::string why = why_left_out(request.preset, point);
    if (why.empty()) {
      out.points.push_back(point);
      continue;
    }
    ++causes[why];
    out.left_out.push_back(fmt::format("{}: {}", point.id, why));
  }
  if (out.points.empty()) return nothing_to_fit(request.preset.name, chips, causes);
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < out.points.size(); ++i) groups[group_of(out.points[i])].push_back(i);
  out.held.assign(out.points.size(), false);
  for (const auto& [name, group] : groups) hold_out(group, out.points, request, out.held);
  return out;
}

PointList training(const Chosen& chosen, PointKind kind) {
  PointList out;
  for (size_t i = 0; i < chosen.points.size(); ++i)
    if (!chosen.held[i] && chosen.points[i].kind == kind) out.push_back(&chosen.points[i]);
  return out;
}

std::vector<PointList> by_collective(const PointList& points) {
  std::map<CollectiveKind, PointList> kinds;
  for (const MeasuredPoint* point : points) kinds[point->collective].push_back(point);
  std::vector<PointList> out;
  for (auto& [kind, list] : kinds) out.push_back(std::move(list));
  return out;
}

std::string sources_of(const Chosen& chosen) {
  std::set<std::string> sources;
  for (const MeasuredPoint& point : chosen.points)
    if (!point.source.empty()) sources.insert(point.source);
  return join(std::vector<std::string>(sources.begin(), sources.end()), "; ");
}

// Rates of single types and kinds give way to what is fitted to all of them, and so do their sources.
void give_up_rows(Hardware& chip) {
  chip.products.clear();
  chip.work.clear();
  std::erase_if(chip.sources, [](const auto& source) {
    return source.first.starts_with("product.") || source.first.starts_with("work.");
  });
}

Result<void> fit_all(ChipFit& fit, const Chosen& chosen, const FitMeans& means,
                     const CalibrateExecution& execution) {
  const std::vector<PointList> collectives = by_collective(training(chosen, PointKind::collective));
  const auto parts = static_cast<double>(collectives.size() + 2);
  double done = 0;
  const auto say = [&](const char* what) {
    if (execution.progress) execution.progress(what, done++ / parts);
  };
  say("products");
  TRY_VOID(fit_products(fit, training(chosen, PointKind::product), means));
  say("elementwise work");
  TRY_VOID(fit_elementwise(fit, training(chosen, PointKind::elementwise), means));
  for (const PointList& points : collectives) {
    say(name(points[0]->collective));
    TRY_VOID(fit_collective(fit, points, means));
  }
  return {};
}

Result<std::vector<CalibratedPoint>> judge(const Chosen& chosen, const Hardware& before,
                                           const Hardware& after, const std::stop_token& stop) {
  std::vector<CalibratedPoint> out;
  for (size_t i = 0; i < chosen.points.size(); ++i) {
    const MeasuredPoint& point = chosen.points[i];
    CalibratedPoint judged{point.id,   point.source,   group_of(point), what_of(point),
                           point.note, size_of(point), point.measured_s};
    TRY(judged.before_s, predicted_seconds(before, point, stop));
    TRY(judged.after_s, predicted_seconds(after, point, stop));
    judged.held_out = chosen.held[i];
    out.push_back(std::move(judged));
  }
  return out;
}

CalibratedGroup summary(const std::string& name, const std::vector<const CalibratedPoint*>& points) {
  CalibratedGroup out;
  out.group = name;
  double train = 0, test = 0, before = 0;
  for (const CalibratedPoint* point : points) {
    const double error = error_of(point->after_s, point->measured_s);
    (point->held_out ? test : train) += error;
    out.held_out += point->held_out ? 1 : 0;
    before += error_of(point->before_s, point->measured_s);
    if (error < out.worst) continue;
    out.worst = error;
    out.worst_point = point->id;
  }
  out.points = static_cast<int64_t>(points.size());
  const int64_t trained = out.points - out.held_out;
  out.train_error = trained > 0 ? train / static_cast<double>(trained) : 0;
  out.test_error = out.held_out > 0 ? test / static_cast<double>(out.held_out) : 0;
  out.before_error = out.points > 0 ? before / static_cast<double>(out.points) : 0;
  return out;
}

// Each group; then collectives by size, and all of them.
std::vector<CalibratedGroup> summaries(const Chosen& chosen, const std::vector<CalibratedPoint>& judged) {
  std::vector<std::pair<std::string, std::vector<const CalibratedPoint*>>> groups;
  const auto add = [&](const std::string& name, const CalibratedPoint& point) {
    auto found =
        std::ranges::find(groups, name, &std::pair<std::string, std::vector<const CalibratedPoint*>>::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
    found->second.push_back(&point);
  };
  for (const CalibratedPoint& point : judged) add(point.group, point);
  constexpr double mib = 1 << 20;
  const std::tuple<const char*, double, double> sizes[] = {{"collectives < 1 MiB", 0, mib},
                                                           {"collectives 1–64 MiB", mib, 64 * mib},
                                                           {"collectives ≥ 64 MiB", 64 * mib, 1e300},
                                                           {"collectives", 0, 1e300}};
  for (const auto& [name, from, to] : sizes) {
    for (size_t i = 0; i < judged.size(); ++i)
      if (chosen.points[i].kind == PointKind::collective && judged[i].size >= from && judged[i].size < to)
        add(name, judged[i]);
  }
  std::vector<CalibratedGroup> out;
  for (const auto& [name, points] : groups) out.push_back(summary(name, points));
  return out;
}

std::string range_key(const MeasuredPoint& point) {
  if (point.kind == PointKind::product) return "product";
  return point.kind == PointKind::elementwise ? "elementwise" : name(point.collective);
}

Hardware::Calibrated calibrated(const Chosen& chosen, const std::vector<CalibratedPoint>& judged,
                                const CalibrateRequest& request) {
  Hardware::Calibrated out;
  out.source = sources_of(chosen);
  out.date = request.date;
  std::vector<const CalibratedPoint*> all;
  for (size_t i = 0; i < judged.size(); ++i) {
    all.push_back(&judged[i]);
    const auto [place, first] =
        out.range.try_emplace(range_key(chosen.points[i]), std::array{judged[i].size, judged[i].size});
    place->second = {std::min(place->second[0], judged[i].size), std::max(place->second[1], judged[i].size)};
  }
  const CalibratedGroup sum = summary("", all);
  out.points = sum.points - sum.held_out;
  if (out.points > 0) out.train_error = sum.train_error;
  if (sum.held_out > 0) out.test_error = sum.test_error;
  return out;
}

}  // namespace

Result<void> check_holdout(double share) {
  if (share >= 0 && share <= 0.9) return {};
  return invalid(fmt::format("holdout must be from 0 to 0.9, got {:g}", share), "holdout",
                 "0.5 holds half of the points out");
}

Result<Calibration> calibrate(const CalibrateRequest& request, const CalibrateExecution& execution,
                              const std::stop_token& stop) {
  TRY_VOID(check_holdout(request.holdout));
  TRY(const Chosen chosen, choose_points(request));
  const Workers workers(execution.threads);
  FitEffort effort;
  effort.seed = request.seed;
  effort.resamples = request.resamples;
  ChipFit fit{request.preset, {}};
  give_up_rows(fit.chip);
  for (const MeasuredPoint& point : chosen.points) {
    if (point.kind == PointKind::collective) continue;
    TRY_VOID([&]() -> Result<void> {
      TRY([[maybe_unused]] const double s, predicted_seconds(fit.chip, point));
      return {};
    }());
  }
  TRY_VOID(fit_all(fit, chosen, {effort, workers, stop}, execution));
  Calibration out;
  out.chip = request.preset.name;
  out.before = request.preset;
  out.parameters = std::move(fit.parameters);
  out.after = std::move(fit.chip);
  TRY(out.points, judge(chosen, out.before, out.after, stop));
  out.groups = summaries(chosen, out.points);
  out.after.calibration = calibrated(chosen, out.points, request);
  out.left_out = chosen.left_out;
  return out;
}

}  // namespace shardscope::inline measure

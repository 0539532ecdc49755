// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/measure/chip_fit.h"
#include "engine/measure/predict.h"

namespace shardscope::inline measure {
namespace {

constexpr Bounds kSeconds{1e-9, 1e-1}, kGamma{0.1, 0.75};
// A ramp is looked for by what it takes at this size: c alone means nothing without gamma.
constexpr double kRampBytes = 1 << 20;
// What it costs a number of a group to be another than its kind's by a factor of e.
constexpr double kPull = 0.2, kRatePull = 0.6;

// One size of groups of a kind.
struct Group {
  std::optional<int64_t> size;  // none: any, as of permutes
  GroupLoad load;
  PointList points;
  // Steps that its latency grows with: of an exchange, which sends to all at once, a step for each peer.
  int64_t latencies() const {
    const bool exchange = points[0]->collective == CollectiveKind::all_to_all && size;
    return exchange ? *size - 1 : load.steps;
  }
};

// What a row of link.op says, as it is fitted.
struct RowValues {
  double launch_s = 0, step_s = 0, bytes_per_s = 1, ramp_s = 0, gamma = 0.5;
};

RowValues values_of(const Hardware& chip, const LinkOp* row) {
  const Hardware::Link& link = chip.link;
  RowValues out{link.launch_overhead_s, link.latency_s.value_or(0),
                link.bytes_per_s.value_or(1) * link.efficiency};
  if (row == nullptr) return out;
  out.launch_s = row->launch_s.value_or(out.launch_s);
  out.step_s = row->step_s.value_or(out.step_s);
  out.bytes_per_s = row->bytes_per_s.value_or(out.bytes_per_s);
  if (row->ramp) {
    out.gamma = row->ramp->gamma;
    out.ramp_s = row->ramp->c * std::pow(kRampBytes, row->ramp->gamma);
  }
  return out;
}

LinkOp row_of(const std::string& kind, std::optional<int64_t> group, const RowValues& values) {
  LinkOp row{kind, group, values.launch_s, values.step_s, values.bytes_per_s, std::nullopt, false};
  if (values.ramp_s > 0) row.ramp = {values.ramp_s / std::pow(kRampBytes, values.gamma), values.gamma};
  return row;
}

std::vector<Group> groups_of(const PointList& points) {
  const bool permutes = points[0]->collective == CollectiveKind::permute;
  std::map<int64_t, Group> by_size;
  for (const MeasuredPoint* point : points) {
    Group& group = by_size[permutes ? 0 : point->group];
    group.points.push_back(point);
    group.load = load_of(point->collective, point->group);
    if (!permutes) group.size = point->group;
  }
  std::vector<Group> out;
  for (auto& [size, group] : by_size) out.push_back(std::move(group));
  return out;
}

// The time of the smallest arrays, the best rate of the largest: where to begin.
RowValues first_guess(const std::vector<Group>& groups) {
  RowValues out;
  std::vector<double> fixed;
  for (const Group& group : groups) {
    double least = 1;
    for (const MeasuredPoint* point : group.points) {
      least = std::min(least, point->measured_s);
      out.bytes_per_s = std::max(
          out.bytes_per_s, static_cast<double>(point->bytes) * group.load.busiest_share / point->measured_s);
    }
    fixed.push_back(least);
  }
  std::ranges::sort(fixed);
  out.launch_s = fixed[0] * 0.8;
  out.step_s = fixed[0] * 0.05;
  out.ramp_s = fixed[0] * 0.3;
  return out;
}

// Places of parameters: launch, step, ramp, gamma, the kind's rate, then each group's. Of a group alone there
// is one rate. Where all groups take equally many steps, the points do not tell a step from the launch: there
// is no step, and both grow by one factor from what they are to begin with.
class KindTask {
 public:
  KindTask(const Hardware& chip, std::vector<Group> groups, const RowValues& preset, bool drawn_to_preset)
      : groups_(std::move(groups)), preset_(preset), drawn_to_preset_(drawn_to_preset), chip_(bare(chip)) {
    chip_.link.ops.clear();
    if (preset_.launch_s + preset_.step_s <= 0) preset_.launch_s = 1e-6;
  }

  FitTask task() const {
    const RowValues guess = first_guess(groups_);
    FitTask out;
    const auto add = [&](const char* unit, double preset, const Bounds& bounds, double start) {
      out.parameters.push_back({"", unit, preset, bounds, start, false});
    };
    add("s", tied() ? fixed_preset() : preset_.launch_s, kSeconds, guess.launch_s);
    if (!tied()) add("s", preset_.step_s, kSeconds, guess.step_s);
    add("s", preset_.ramp_s, kSeconds, guess.ramp_s);
    add("", preset_.gamma, kGamma, 0.5);
    add("B/s", preset_.bytes_per_s, rates(), guess.bytes_per_s);
    for (const Group& group : groups_) {
      if (!alone()) add("B/s", preset_.bytes_per_s, rates(), first_guess({group}).bytes_per_s);
      for (const MeasuredPoint* point : group.points) {
        out.measured.push_back(point->measured_s);
        out.sizes.push_back(size_of(*point));
      }
    }
    out.predict = [*this](std::span<const double> v, std::span<double> seconds) { predict(v, seconds); };
    out.penalty = [*this](std::span<const double> v) { return penalty(v); };
    return out;
  }

  bool alone() const { return groups_.size() == 1; }
  const RowValues& preset() const { return preset_; }
  bool tied() const {
    return std::ranges::all_of(groups_,
                               [&](const Group& g) { return g.latencies() == groups_[0].latencies(); });
  }
  // Whether groups have a launch of their own each.
  bool launches_apart() const {
    return !tied() &&
           std::ranges::any_of(groups_, [](const Group& g) { return g.latencies() != g.load.steps; });
  }
  size_t ramp() const { return tied() ? 1 : 2; }
  size_t rate() const { return ramp() + 2; }  // of the kind
  size_t rate_of(size_t group) const { return alone() ? rate() : rate() + 1 + group; }

  // What the values of the task say for a group, or with kAnyGroup for the kind.
  static constexpr size_t kAnyGroup = SIZE_MAX;
  RowValues row_values(std::span<const double> values, size_t group) const {
    RowValues out;
    out.ramp_s = values[ramp()];
    out.gamma = values[ramp() + 1];
    out.bytes_per_s = values[group == kAnyGroup ? rate() : rate_of(group)];
    const double grown = values[0] / fixed_preset();
    out.launch_s = tied() ? preset_.launch_s * grown : values[0];
    out.step_s = tied() ? preset_.step_s * grown : values[1];
    if (tied()) return out;
    // A row has as many steps as its schedule: what an exchange waits for its other peers is in the launch.
    const Group& of = groups_[group == kAnyGroup ? groups_.size() / 2 : group];
    out.launch_s += out.step_s * static_cast<double>(of.latencies() - of.load.steps);
    return out;
  }

 private:
  double fixed_preset() const {
    return preset_.launch_s + static_cast<double>(groups_[0].load.steps) * preset_.step_s;
  }

  // No port sends faster than it is; one whose switch adds seems to, by less than two.
  Bounds rates() const {
    const bool adds = groups_[0].points[0]->collective == CollectiveKind::all_reduce;
    return {1e6, chip_.link.bytes_per_s.value_or(1e15) * (adds ? 2 : 1)};
  }

  void predict(std::span<const double> values, std::span<double> seconds) const {
    size_t i = 0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      const LinkOp row = row_of("", std::nullopt, row_values(values, g));
      for (const MeasuredPoint* point : groups_[g].points)
        seconds[i++] = row_seconds(chip_, row, groups_[g].load, *point);
    }
  }

  // Groups are alike unless their points say otherwise; a group alone is like its kind.
  double penalty(std::span<const double> values) const {
    const auto apart = [](double a, double b) { return std::abs(std::log(a / b)); };
    double sum = 0;
    for (size_t g = 0; g < groups_.size() && !alone(); ++g)
      sum += kRatePull * apart(values[rate_of(g)], values[rate()]);
    if (!drawn_to_preset_) return sum;
    return sum +
           kPull * (apart(values[0], fixed_preset()) + apart(values[ramp()], preset_.ramp_s) +
                    apart(values[ramp() + 1], preset_.gamma) + apart(values[rate()], preset_.bytes_per_s));
  }

  std::vector<Group> groups_;
  RowValues preset_;
  bool drawn_to_preset_;
  Hardware chip_;
};

std::vector<double> values_of(const Fitted& fitted) {
  std::vector<double> out;
  for (const FittedParameter& p : fitted.parameters) out.push_back(p.value);
  return out;
}

FittedParameter scaled(const FittedParameter& p, double by) {
  return {p.value * by, p.low * by, p.high * by, p.identified};
}

void list(ChipFit& out, const std::string& name, const char* unit, double preset,
          const FittedParameter& fitted, size_t points) {
  FitParameter parameter;
  parameter.name = name;
  parameter.unit = unit;
  parameter.preset = preset;
  list_parameter(out, parameter, fitted, points);
}

// What the groups of a task share, by its key in the file.
void list_shared(ChipFit& out, const std::string& key, const KindTask& task, const Fitted& fitted,
                 size_t points) {
  const RowValues& preset = task.preset();
  const RowValues values = task.row_values(values_of(fitted), KindTask::kAnyGroup);
  const FittedParameter& first = fitted.parameters[0];
  list(out, key + ".launch_s", "s", preset.launch_s, scaled(first, values.launch_s / first.value), points);
  list(out, key + ".step_s", "s", preset.step_s,
       task.tied() ? scaled(first, values.step_s / first.value) : fitted.parameters[1], points);
  const double to_c = 1 / std::pow(kRampBytes, values.gamma);
  list(out, key + ".ramp.c", "s", preset.ramp_s * to_c, scaled(fitted.parameters[task.ramp()], to_c), points);
  list(out, key + ".ramp.gamma", "", preset.gamma, fitted.parameters[task.ramp() + 1], points);
}

// A port cannot send faster than it is: what seems to be is a switch that adds, so that less is sent.
void find_adding_switch(const Hardware& chip, const Group& group, LinkOp& row) {
  if (row.kind != name(CollectiveKind::all_reduce) || !row.group || !chip.link.bytes_per_s) return;
  if (*row.bytes_per_s <= *chip.link.bytes_per_s) return;
  row.in_switch = true;
  *row.bytes_per_s *= (1 + 1 / static_cast<double>(*row.group)) / group.load.busiest_share;
}

// Whether rows of their own explain the groups better than their number of parameters is worth (H. Akaike,
// 1974, for errors of Laplace's distribution).
bool worth_it(double shared_loss, double own_loss, size_t points, size_t more_parameters) {
  const auto n = static_cast<double>(points);
  return n * std::log(std::max(shared_loss, 1e-9) / std::max(own_loss, 1e-9)) >
         static_cast<double>(more_parameters);
}

// A kind's fits: of all groups together, and of each alone where it has points enough.
struct KindFit {
  std::string key;  // "link.op.all-reduce"
  std::vector<Group> groups;
  KindTask together;
  Fitted shared;
  size_t points = 0;
  struct Own {
    KindTask task;
    Fitted fitted;
  };
  std::vector<std::optional<Own>> own;

  std::string key_of(size_t group) const {
    return groups[group].size ? fmt::format("{}.{}", key, *groups[group].size) : key;
  }
};

double loss_of(const Hardware& chip, const Group& group, const LinkOp& row) {
  double sum = 0;
  for (const MeasuredPoint* point : group.points)
    sum += std::abs(std::log(row_seconds(chip, row, group.load, *point) / point->measured_s));
  return sum;
}

// Fits each group alone, drawn to what its kind has, and forgets that where it is not worth its parameters.
Result<void> fit_groups(KindFit& fit_of, const ChipFit& out, const FitMeans& means) {
  double shared_loss = 0, own_loss = 0;
  size_t more = 0;
  const std::vector<double> values = values_of(fit_of.shared);
  for (size_t g = 0; g < fit_of.groups.size(); ++g) {
    const Group& group = fit_of.groups[g];
    const RowValues of_kind = fit_of.together.row_values(values, g);
    const double loss = loss_of(out.chip, group, row_of("", std::nullopt, of_kind));
    shared_loss += loss;
    if (static_cast<int64_t>(group.points.size()) < means.effort.least_points) {
      own_loss += loss;
      continue;
    }
    KindTask task(out.chip, {group}, of_kind, true);
    TRY(Fitted fitted, fit(task.task(), means.effort, means.workers, means.stop));
    own_loss += fitted.loss * static_cast<double>(group.points.size());
    more += 3;
    fit_of.own[g] = KindFit::Own{std::move(task), std::move(fitted)};
  }
  if (!worth_it(shared_loss, own_loss, fit_of.points, more))
    fit_of.own.assign(fit_of.groups.size(), std::nullopt);
  return {};
}

void forget_rows(Hardware& chip, const std::string& kind, const std::string& key) {
  std::erase_if(chip.link.ops, [&](const LinkOp& op) { return op.kind == kind && !op.axis; });
  std::erase_if(chip.sources, [&](const auto& source) {
    return source.first == key || source.first.starts_with(key + ".");
  });
}

void write_row(ChipFit& out, const KindFit& fit_of, size_t g, const std::string& kind) {
  const std::optional<KindFit::Own>& own = fit_of.own[g];
  const KindTask& task = own ? own->task : fit_of.together;
  const Fitted& fitted = own ? own->fitted : fit_of.shared;
  const size_t place = own ? 0 : g;
  const size_t points = own ? fit_of.groups[g].points.size() : fit_of.points;
  LinkOp row = row_of(kind, fit_of.groups[g].size, task.row_values(values_of(fitted), place));
  const double rate = *row.bytes_per_s;
  find_adding_switch(out.chip, fit_of.groups[g], row);
  const std::string key = fit_of.key_of(g);
  if (own) list_shared(out, key, task, fitted, points);
  const FittedParameter& launch = fitted.parameters[0];
  if (!own && task.launches_apart())
    list(out, key + ".launch_s", "s", task.preset().launch_s, scaled(launch, *row.launch_s / launch.value),
         points);
  list(out, key + ".bytes_per_s", "B/s", fit_of.together.preset().bytes_per_s,
       scaled(fitted.parameters[task.rate_of(place)], *row.bytes_per_s / rate), points);
  out.chip.link.ops.push_back(std::move(row));
}

}  // namespace

Result<void> fit_collective(ChipFit& out, const PointList& points, const FitMeans& means) {
  const std::string kind = name(points[0]->collective);
  TRY(const bool in_parts, fit_parts(out, points, means));
  if (in_parts) return {};
  std::vector<Group> groups = groups_of(points);
  const RowValues preset = values_of(out.chip, link_op(out.chip, kind, 0));
  KindTask together(out.chip, groups, preset, false);
  TRY(Fitted shared, fit(together.task(), means.effort, means.workers, means.stop));
  KindFit fit_of{"link.op." + kind, std::move(groups), std::move(together),
                 std::move(shared), points.size(),     {}};
  const bool enough = static_cast<int64_t>(points.size()) >= means.effort.least_points;
  if (enough) forget_rows(out.chip, kind, fit_of.key);
  const bool one = fit_of.groups.size() == 1;
  list_shared(out, one ? fit_of.key_of(0) : fit_of.key, fit_of.together, fit_of.shared, points.size());
  fit_of.own.resize(fit_of.groups.size());
  // Too few points for any row: the chip keeps what it has.
  if (!enough) return {};
  if (!one) {
    TRY_VOID(fit_groups(fit_of, out, means));
    list(out, fit_of.key + ".bytes_per_s", "B/s", preset.bytes_per_s,
         fit_of.shared.parameters[fit_of.together.rate()], points.size());
  }
  for (size_t g = 0; g < fit_of.groups.size(); ++g) write_row(out, fit_of, g, kind);
  if (!fit_of.groups[0].size) return {};
  out.chip.link.ops.push_back(
      row_of(kind, std::nullopt, fit_of.together.row_values(values_of(fit_of.shared), KindTask::kAnyGroup)));
  return {};
}

}  // namespace shardscope::inline measure

// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/calibrate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "engine/measure/fit.h"
#include "engine/measure/predict.h"

namespace shardscope::calibrate_test {
namespace {

Hardware plain_chip() {
  return parse_hardware(
             "name = \"made\"\ntopology = \"switch\"\n[compute]\npeak_flops_per_s = { bf16 = 1e15, f16 = "
             "1e15 }\n"
             "efficiency = 0.9\n[memory]\nhbm_bytes_per_s = 3e12\nhbm_efficiency = 0.85\n"
             "[link]\nbytes_per_s = 450e9\nlatency_s = 1e-6\nlaunch_overhead_s = 4e-6\n",
             "made.toml")
      .value();
}

// Which wait for each of their peers.
bool exchanges(const std::string& kind) {
  return kind == name(CollectiveKind::all_to_all);
}

// What a chip is to be found as. Launch and step stand to each other as in the plain chip, where all groups
// of a kind take equally many steps: no measurement tells them apart.
Hardware true_chip() {
  Hardware chip = plain_chip();
  chip.compute.efficiency = 0.73;
  chip.compute.launch_overhead_s = 6.5e-6;
  chip.compute.elementwise_launch_s = 3.2e-6;
  chip.memory.hbm_efficiency = 0.91;
  const LinkOp::Ramp ramp{4e-10, 0.6};
  const std::tuple<const char*, double, double, std::vector<std::pair<int, double>>> kinds[] = {
      {"all-gather", 11e-6, 0.8e-6, {{2, 250e9}, {4, 310e9}, {8, 350e9}}},
      {"all-reduce", 17e-6, 1.1e-6, {{2, 200e9}, {4, 260e9}, {8, 300e9}}},
      {"all-to-all", 8e-6, 2e-6, {{4, 280e9}, {8, 330e9}}}};
  for (const auto& [kind, launch, step, rates] : kinds)
    for (const auto& [group, rate] : rates)
      chip.link.ops.push_back(
          {kind, group, launch + (exchanges(kind) ? step * (group - 4) : 0), step, rate, ramp, false});
  chip.link.ops.push_back({"collective-permute", std::nullopt, 8e-6, 2e-6, 290e9, ramp, false});
  return chip;
}

MeasuredPoint product(int64_t m, int64_t k, int64_t n) {
  MeasuredPoint p;
  p.op = "matmul";
  p.kind = PointKind::product;
  p.size = {1, m, k, n};
  p.dtype = ElementType::bf16;
  return p;
}

MeasuredPoint collective(CollectiveKind kind, int64_t group, int64_t bytes) {
  MeasuredPoint p;
  p.op = name(kind);
  p.kind = PointKind::collective;
  p.collective = kind;
  p.devices = p.group = group;
  p.bytes = bytes;
  return p;
}

// Measured on `chip`, each time off by `noise` one way or the other.
std::vector<MeasuredPoint> measured_on(const Hardware& chip, std::vector<MeasuredPoint> points,
                                       double noise = 0, uint64_t seed = 7) {
  Dice dice(seed);
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].id = fmt::format("p{}", i);
    points[i].chip = chip.name;
    points[i].measured_s =
        predicted_seconds(chip, points[i]).value() * std::exp(noise * (2 * dice.uniform() - 1));
  }
  return points;
}

std::vector<MeasuredPoint> products() {
  std::vector<MeasuredPoint> out;
  for (const int64_t m : {16, 128, 512, 2048, 8192})
    for (const int64_t k : {256, 1024, 4096})
      for (const int64_t n : {256, 4096}) out.push_back(product(m, k, n));
  return out;
}

std::vector<MeasuredPoint> everything() {
  std::vector<MeasuredPoint> out = products();
  for (int64_t bytes = 1 << 12; bytes <= int64_t{1} << 32; bytes <<= 1) {
    MeasuredPoint gelu;
    gelu.op = "gelu";
    gelu.kind = PointKind::elementwise;
    gelu.bytes = bytes;
    out.push_back(gelu);
    for (const int64_t group : {2, 4, 8})
      for (const auto kind :
           {CollectiveKind::all_gather, CollectiveKind::all_reduce, CollectiveKind::all_to_all})
        if (group > 2 || kind != CollectiveKind::all_to_all) out.push_back(collective(kind, group, bytes));
    out.push_back(collective(CollectiveKind::permute, 8, bytes));
  }
  return out;
}

// Products and all-reduces: what the fit of a chip is made of.
std::vector<MeasuredPoint> some() {
  std::vector<MeasuredPoint> out = everything();
  std::erase_if(out, [](const MeasuredPoint& p) {
    return p.kind == PointKind::elementwise ||
           (p.kind == PointKind::collective && p.collective != CollectiveKind::all_reduce);
  });
  return out;
}

CalibrateRequest request_for(std::vector<MeasuredPoint> points) {
  CalibrateRequest out;
  out.preset = plain_chip();
  out.resamples = 40;
  out.points = std::move(points);
  return out;
}

Calibration calibrated(const CalibrateRequest& request, int threads = 0) {
  return calibrate(request, {threads, {}}, {}).value();
}

const CalibratedParameter& parameter(const Calibration& c, const std::string& name) {
  const auto found = std::ranges::find(c.parameters, name, &CalibratedParameter::name);
  CHECK(found != c.parameters.end(), name);
  return *found;
}

const CalibratedGroup& group(const Calibration& c, const std::string& name) {
  const auto found = std::ranges::find(c.groups, name, &CalibratedGroup::group);
  CHECK(found != c.groups.end(), name);
  return *found;
}

void expect_within_a_percent(const Calibration& c, const std::string& name, double truth) {
  const CalibratedParameter& p = parameter(c, name);
  EXPECT_NEAR(p.value / truth, 1, 0.01) << name;
  EXPECT_TRUE(p.identified) << name;
  EXPECT_LE(p.low, p.value) << name;
  EXPECT_GE(p.high, p.value) << name;
}

TEST(Calibrate, finds_every_number_of_a_made_chip_again) {
  const Calibration c = calibrated(request_for(measured_on(true_chip(), everything())));
  expect_within_a_percent(c, "compute.efficiency", 0.73);
  expect_within_a_percent(c, "memory.hbm_efficiency", 0.91);
  expect_within_a_percent(c, "compute.launch_overhead_s", 6.5e-6);
  expect_within_a_percent(c, "compute.elementwise_launch_s", 3.2e-6);
  for (const LinkOp& row : true_chip().link.ops) {
    const std::string key = "link.op." + row.kind;
    expect_within_a_percent(c, (exchanges(row.kind) ? key_of(row) : key) + ".launch_s", *row.launch_s);
    expect_within_a_percent(c, key + ".step_s", *row.step_s);
    expect_within_a_percent(c, key + ".ramp.c", row.ramp->c);
    expect_within_a_percent(c, key + ".ramp.gamma", row.ramp->gamma);
    expect_within_a_percent(c, key_of(row) + ".bytes_per_s", *row.bytes_per_s);
  }
  for (const CalibratedGroup& g : c.groups) EXPECT_LT(g.test_error, 0.002) << g.group;
}

TEST(Calibrate, the_chip_that_comes_of_it_reads_back_and_gives_the_listed_times) {
  const Calibration c = calibrated(request_for(measured_on(true_chip(), everything())));
  const auto read = parse_hardware(hardware_toml(c.after), "after.toml");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(*read, c.after);
  ASSERT_TRUE(read->calibration.has_value());
  const std::vector<MeasuredPoint> points = measured_on(true_chip(), everything());
  ASSERT_EQ(c.points.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i)
    EXPECT_DOUBLE_EQ(predicted_seconds(*read, points[i]).value(), c.points[i].after_s) << points[i].id;
}

TEST(Calibrate, intervals_hold_the_truth_nearly_always_when_measurements_scatter) {
  std::map<std::string, int> held;
  for (uint64_t noise = 1; noise <= 20; ++noise) {
    CalibrateRequest request = request_for(measured_on(true_chip(), products(), 0.08, noise));
    request.holdout = 0;
    request.resamples = 100;
    const Calibration c = calibrated(request);
    for (const auto& [name, truth] : {std::pair{"compute.efficiency", 0.73},
                                      {"memory.hbm_efficiency", 0.91},
                                      {"compute.launch_overhead_s", 6.5e-6}}) {
      const CalibratedParameter& p = parameter(c, name);
      EXPECT_LT(p.low, p.high) << name;
      EXPECT_NEAR(p.value / truth, 1, 0.1) << name;
      if (p.low <= truth && truth <= p.high) ++held[name];
    }
  }
  // A percentile interval of a fit with kinks is somewhat narrow with 30 points: 80 to 95 % of them hold the
  // truth.
  for (const auto& [name, times] : held) EXPECT_GE(times, 15) << name;
  EXPECT_EQ(held.size(), 3U);
}

TEST(Calibrate, half_of_each_group_is_held_out_and_judged) {
  const Calibration c = calibrated(request_for(measured_on(true_chip(), some(), 0.05)));
  for (const CalibratedGroup& g : c.groups)
    EXPECT_NEAR(static_cast<double>(g.held_out), g.points / 2.0, 4) << g.group;
  EXPECT_EQ(group(c, "matmul").points, 30);
  EXPECT_EQ(parameter(c, "compute.efficiency").points, 30 - group(c, "matmul").held_out);
  CalibrateRequest all = request_for(measured_on(true_chip(), products(), 0.05));
  all.holdout = 0;
  EXPECT_EQ(group(calibrated(all), "matmul").held_out, 0);
}

TEST(Calibrate, the_same_seed_gives_the_same_bits_on_any_number_of_threads) {
  CalibrateRequest request = request_for(measured_on(true_chip(), some(), 0.2));
  const Calibration first = calibrated(request, 1);
  EXPECT_EQ(first, calibrated(request, 3));
  request.seed = 2;
  EXPECT_NE(first.points, calibrated(request, 1).points) << "another half is held out";
}

TEST(Calibrate, fewer_than_six_points_leave_the_preset) {
  CalibrateRequest request = request_for(measured_on(
      true_chip(),
      {product(64, 64, 64), product(512, 512, 512), product(4096, 4096, 4096), product(8192, 64, 8192),
       product(128, 8192, 8192), collective(CollectiveKind::all_reduce, 8, 1 << 20),
       collective(CollectiveKind::all_reduce, 8, 1 << 28)}));
  request.holdout = 0;
  const Calibration c = calibrated(request);
  for (const CalibratedParameter& p : c.parameters) {
    EXPECT_FALSE(p.identified) << p.name;
    EXPECT_EQ(p.value, p.before) << p.name;
  }
  Hardware after = c.after;
  after.calibration.reset();
  EXPECT_EQ(after, request.preset);
}

TEST(Calibrate, what_makes_no_difference_to_any_point_is_not_identified) {
  std::vector<MeasuredPoint> all_compute;
  for (int64_t n = 8192; n <= 24576; n += 1024) all_compute.push_back(product(n, 8192, n));
  CalibrateRequest request = request_for(measured_on(true_chip(), all_compute, 0.01));
  request.holdout = 0;
  const Calibration c = calibrated(request);
  expect_within_a_percent(c, "compute.efficiency", 0.73);
  EXPECT_FALSE(parameter(c, "memory.hbm_efficiency").identified);
  EXPECT_EQ(c.after.memory.hbm_efficiency, 0.85);
  EXPECT_FALSE(parameter(c, "compute.launch_overhead_s").identified);
  EXPECT_EQ(c.after.compute.launch_overhead_s, 0);
}

// The preset has no launch; points that scatter by half tell that there is one, not how long it is.
TEST(Calibrate, what_the_points_speak_against_is_not_kept_though_they_do_not_identify_it) {
  CalibrateRequest request = request_for(measured_on(true_chip(), products(), 0.8));
  request.holdout = 0;
  const Calibration c = calibrated(request);
  const CalibratedParameter& launch = parameter(c, "compute.launch_overhead_s");
  EXPECT_FALSE(launch.identified);
  EXPECT_GT(launch.value, 3e-6);
  EXPECT_LT(launch.value, 13e-6);
  EXPECT_EQ(c.after.compute.launch_overhead_s, launch.value);
  EXPECT_NE(c.after.sources.at("compute.launch_overhead_s").find("not identified"), std::string::npos);
  // What they do not speak against stays.
  request.preset.compute.launch_overhead_s = 6e-6;
  EXPECT_EQ(calibrated(request).after.compute.launch_overhead_s, 6e-6);
}

TEST(Calibrate, rows_that_the_chip_gives_up_leave_no_sources_behind) {
  CalibrateRequest request = request_for(measured_on(true_chip(), products()));
  request.preset.products = {{.types = {ElementType::bf16}, .tiles = {{{128, 128, 64}, 1}}}};
  request.preset.work = {{.kind = "softmax"}};
  for (const char* key : {"product.bf16", "work.softmax", "memory.hbm_bytes_per_s"})
    request.preset.sources[key] = "somewhere";
  const Calibration c = calibrated(request);
  EXPECT_TRUE(c.after.products.empty());
  EXPECT_FALSE(c.after.sources.contains("product.bf16"));
  EXPECT_FALSE(c.after.sources.contains("work.softmax"));
  EXPECT_TRUE(c.after.sources.contains("memory.hbm_bytes_per_s"));
}

TEST(Calibrate, a_kind_of_collective_with_new_rows_has_no_source_of_the_old_ones) {
  CalibrateRequest request;
  request.points = published_points();
  request.preset = find_hardware("h100").value();
  ASSERT_TRUE(request.preset.sources.contains("link.op.collective-permute"));
  request.resamples = 1;
  const Calibration c = calibrated(request);
  EXPECT_FALSE(c.after.sources.contains("link.op.collective-permute"));
  EXPECT_TRUE(c.after.sources.contains("link.op.collective-permute.bytes_per_s"));
}

TEST(Calibrate, an_operation_that_no_rule_times_is_named_and_not_dropped) {
  std::vector<MeasuredPoint> points = measured_on(true_chip(), products());
  MeasuredPoint fft;
  fft.id = "p99";
  fft.chip = "made";
  fft.op = "fft";
  fft.measured_s = 1;
  points.push_back(fft);
  EXPECT_EQ(calibrated(request_for(points)).left_out,
            std::vector<std::string>{"p99: no cost rule for 'fft'"});
}

TEST(Calibrate, refuses_points_of_other_chips_a_holdout_of_all_and_stops_when_told) {
  CalibrateRequest request = request_for(measured_on(true_chip(), products()));
  request.preset.name = "other";
  EXPECT_EQ(calibrate(request, {}, {}).error().text(), "no point is of other; points; their chips are made");
  request.preset.name = "made";
  request.holdout = 1;
  EXPECT_EQ(calibrate(request, {}, {}).error().what, "holdout must be from 0 to 0.9, got 1");
  request.holdout = 0.5;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(calibrate(request, {}, stop.get_token()).error().kind, ErrorKind::cancelled);
}

TEST(Calibrate, names_the_number_that_the_chip_needs) {
  CalibrateRequest request = request_for(measured_on(true_chip(), products()));
  request.preset.memory.hbm_bytes_per_s.reset();
  EXPECT_EQ(calibrate(request, {}, {}).error().what, "memory.hbm_bytes_per_s of made is not published");
}

// A row in parts is fitted as one: the preset's is found again where it was measured with other numbers.
TEST(Calibrate, rows_in_parts_stay_rows_in_parts) {
  Hardware is = find_hardware("h100").value();
  is.name = "made";
  is.calibration.reset();
  CalibrateRequest request;
  request.preset = is;
  request.holdout = 0;
  request.resamples = 20;
  const auto permute = [](Hardware& of) -> LinkOp& {
    return *std::ranges::find(of.link.ops, std::string("collective-permute"), &LinkOp::kind);
  };
  permute(is).launch_s = 15e-6;
  permute(is).parts->bytes_per_s *= 0.8;
  permute(is).parts->launch_s = 14e-6;
  std::vector<MeasuredPoint> points;
  for (int e = 10; e < 31; ++e) points.push_back(collective(CollectiveKind::permute, 8, int64_t{1} << e));
  for (MeasuredPoint& point : points) point.op = "collective-permute ring shift";
  request.points = measured_on(is, points, 0.02);
  const Calibration done = calibrate(request, {}, {}).value();
  Hardware chip = done.after;
  ASSERT_TRUE(permute(chip).parts);
  EXPECT_NEAR(*permute(chip).launch_s, 15e-6, 0.05 * 15e-6);
  EXPECT_NEAR(permute(chip).parts->bytes_per_s, permute(is).parts->bytes_per_s, 0.1 * 2e10);
  EXPECT_TRUE(chip.sources.contains("link.op.collective-permute.parts.launch_s"));
  double off = 0;
  for (const MeasuredPoint& point : request.points)
    off += std::abs(predicted_seconds(chip, point).value() / point.measured_s - 1) / 21;
  EXPECT_LT(off, 0.03);
}

// An exchange waits for each of its peers: groups of all-to-alls have launches of their own.
TEST(Calibrate, exchanges_wait_for_each_of_their_peers) {
  Hardware is = plain_chip();
  for (const int group : {2, 4, 8})
    is.link.ops.push_back(
        {"all-to-all", group, 10e-6 + 3e-6 * (group - 2), 3e-6, 300e9, std::nullopt, false});
  CalibrateRequest request;
  request.preset = plain_chip();
  request.holdout = 0;
  request.resamples = 20;
  std::vector<MeasuredPoint> points;
  for (const int64_t group : {2, 4, 8})
    for (int e = 12; e < 31; e += 2)
      points.push_back(collective(CollectiveKind::all_to_all, group, int64_t{1} << e));
  request.points = measured_on(is, points, 0.01);
  const Hardware chip = calibrate(request, {}, {}).value().after;
  for (const int64_t group : {2, 4, 8}) {
    const LinkOp* row = link_op(chip, "all-to-all", group);
    ASSERT_TRUE(row != nullptr && row->group);
    EXPECT_NEAR(*row->launch_s + *row->step_s, 13e-6 + 3e-6 * static_cast<double>(group - 2), 2e-6) << group;
  }
}

}  // namespace
}  // namespace shardscope::calibrate_test

// SPDX-License-Identifier: Apache-2.0
// Measured beside predicted: what is shipped, one's own, and the figures that the manual prints.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/read_file.h"
#include "engine/measure/point_truth.h"
#include "engine/report/truth_report.h"
#include "engine/session/truth/module_truth.h"
#include "tests/temporary_folder.h"

namespace shardscope::truth_test {
namespace {

const Truth& shipped() {
  static const Truth truth = [] {
    std::vector<TruthPoint> points = truth_of_points(published_points(), 0, {}).value();
    const std::vector<TruthPoint> modules = truth_of_modules(shipped_modules().value(), {}).value();
    points.insert(points.end(), modules.begin(), modules.end());
    return truth_of(std::move(points));
  }();
  return truth;
}

TEST(Truth, GroupsHaveTheMeansOfTheirPoints) {
  const Truth t = truth_of({{"b", "c", "k", 1.0, 1.5, true},
                            {"a", "c", "k", 2.0, 1.0, false},
                            {"x", "c", "k", 1.0, std::nullopt, false, "why"},
                            {"z", "c", "l", 1.0, 1.0, true}});
  ASSERT_EQ(t.points.size(), 4u);
  EXPECT_EQ(t.points[0].id, "a");
  ASSERT_EQ(t.groups.size(), 2u);
  EXPECT_EQ(t.groups[0].n, 2);
  EXPECT_DOUBLE_EQ(t.groups[0].mean_error, 0.5);
  EXPECT_EQ(t.groups[0].held_out, 1);
  EXPECT_DOUBLE_EQ(t.groups[0].held_out_error.value(), 0.5);
  EXPECT_FALSE(t.groups[1].held_out_error);
}

TEST(Truth, EveryShippedPointIsThere) {
  const Truth& t = shipped();
  EXPECT_GE(t.points.size(), 1800u);
  EXPECT_EQ(t.points.size(), published_points().size() + 2 * shipped_modules()->size());
  for (const TruthPoint& p : t.points) EXPECT_NE(p.predicted_s.has_value(), !p.why.empty()) << p.id;
}

// Who calibrated a chip asks what its file is worth.
TEST(Truth, APointMayNameTheFileOfAChip) {
  const TemporaryFolder folder;
  Hardware chip = *find_hardware("h200");
  std::ofstream(folder.file("as-it-is.toml")) << hardware_toml(chip);
  chip.products.clear();
  chip.compute.efficiency /= 2;
  std::ofstream(folder.file("slower.toml")) << hardware_toml(chip);
  std::vector<MeasuredPoint> points;
  for (const char* name : {"h200", "as-it-is.toml", "slower.toml", "none.toml"}) {
    MeasuredPoint& p = points.emplace_back();
    p.id = name;
    p.chip = p.id == "h200" ? p.id : folder.file(p.id);
    p.op = "matmul";
    p.kind = PointKind::product;
    p.size = {4096, 4096, 4096};
    p.dtype = ElementType::bf16;
    p.measured_s = 1e-3;
  }
  const Truth t = truth_of(truth_of_points(points, 1, {}).value());
  std::map<std::string, TruthPoint> of;
  for (const TruthPoint& p : t.points) of[p.id] = p;
  EXPECT_EQ(of["h200"].predicted_s, of["as-it-is.toml"].predicted_s);
  EXPECT_GT(of["slower.toml"].predicted_s, of["h200"].predicted_s);
  EXPECT_NE(of["none.toml"].why.find("none.toml"), std::string::npos) << of["none.toml"].why;
}

// One line a reason, however many points have it.
TEST(Truth, EqualReasonsAreJoined) {
  std::vector<MeasuredPoint> points(2);
  for (size_t k = 0; k < points.size(); ++k) {
    points[k].id = "p" + std::to_string(k);
    points[k].chip = "h200";
    points[k].op = "fft";
    points[k].measured_s = 1e-3;
  }
  const std::string text = truth_text(truth_of(truth_of_points(points, 1, {}).value()));
  EXPECT_NE(text.find("not predicted: 2 points of fft: no cost rule for 'fft'\n"), std::string::npos) << text;
}

TEST(Truth, IsTheSameBytesOnAnyNumberOfThreads) {
  const auto text = [](int threads) {
    return truth_json(truth_of(truth_of_points(published_points(), threads, {}).value()));
  };
  EXPECT_EQ(text(1), text(2));
}

TEST(Truth, JsonHasWhatItPromises) {
  const auto json = nlohmann::json::parse(truth_json(shipped()));
  for (const char* key : {"id", "chip", "kind", "measured_s", "predicted_s", "fitted"})
    EXPECT_TRUE(json["points"][0].contains(key)) << key;
  for (const char* key : {"chip", "kind", "n", "mean_error"})
    EXPECT_TRUE(json["groups"][0].contains(key)) << key;
}

double held_out_error(const std::string& kind) {
  for (const TruthGroup& g : shipped().groups)
    if (g.chip == "h200" && g.kind.starts_with(kind)) return g.held_out_error.value_or(0);
  ADD_FAILURE() << kind;
  return 1;
}

// Of one card two tables were measured, cold and warm: its numbers were fitted to a part of each.
TEST(Truth, AnH200IsAsNearToWhatItWasNotFittedToAsItsFileSays) {
  EXPECT_LT(held_out_error("matmul bf16, 10 GFLOP and more"), 0.06);
  EXPECT_LT(held_out_error("matmul bf16, below 10 GFLOP"), 0.10);
  EXPECT_LT(held_out_error("matmul f32, 10 GFLOP and more"), 0.06);
  EXPECT_LT(held_out_error("matmul f8e4m3fn, 10 GFLOP and more"), 0.08);
  EXPECT_LT(held_out_error("matmul f8e4m3fn, below 10 GFLOP"), 0.08);
  EXPECT_LT(held_out_error("matmul f32, below 10 GFLOP"), 0.06);
  EXPECT_LT(held_out_error("sliced matmul bf16"), 0.08);
  EXPECT_LT(held_out_error("copy"), 0.12);
  EXPECT_LT(held_out_error("gelu"), 0.12);
}

TEST(Truth, AFolderOfModulesIsReadAndItsMistakesAreNamed) {
  const TemporaryFolder folder;
  const std::string root = folder.path();
  std::filesystem::create_directories(root + "/m");
  const auto write = [&](const std::string& file, const std::string& text) {
    std::ofstream(root + file) << text;
  };
  write("/times.csv", "module,chip,measured_us\nm,h200,10\n");
  EXPECT_NE(read_measured_modules(root).error().text().find("neither compiled.hlo nor stablehlo.mlir"),
            std::string::npos);
  write("/m/compiled.hlo",
        "HloModule m, is_scheduled=true\nENTRY e {\nx = bf16[4096,4096] parameter(0)\n"
        "ROOT d = bf16[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  const auto modules = read_measured_modules(root);
  ASSERT_TRUE(modules.ok()) << modules.error().text();
  const auto points = truth_of_modules(*modules, {});
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ((*points)[0].kind, "module, compiled");
  EXPECT_GT((*points)[0].predicted_s.value_or(0), 1e-4);
  EXPECT_FALSE((*points)[0].fitted);
  write("/times.csv", "module,chip,measured_us\nm,h200,none\n");
  EXPECT_NE(read_measured_modules(root).error().text().find("times.csv:2"), std::string::npos);
  write("/times.csv", "module,measured_us\nm,1\n");
  EXPECT_NE(read_measured_modules(root).error().text().find("'chip' is missing"), std::string::npos);
}

// The manual's figures are those of this table. SHARDSCOPE_UPDATE=1 writes them.
TEST(Truth, TheManualPrintsItsFigures) {
  const std::string path = std::string(SHARDSCOPE_SOURCE_DIR) + "/assets/help/truth.md";
  std::string text = read_file(path).value();
  const std::string begin = "```truth\n", end = "```\n";
  const size_t from = text.find(begin), to = text.find(end, from + begin.size());
  ASSERT_NE(from, std::string::npos);
  const std::string figures = truth_text(shipped());
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) {
    text.replace(from + begin.size(), to - from - begin.size(), figures);
    std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(text.substr(from + begin.size(), to - from - begin.size()), figures);
}

TEST(Truth, TheReadmeSaysHowManyPointsThereAre) {
  const std::string readme = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/README.md").value();
  EXPECT_NE(readme.find(fmt::format("{} measured points", shipped().points.size())), std::string::npos)
      << shipped().points.size();
}

}  // namespace
}  // namespace shardscope::truth_test

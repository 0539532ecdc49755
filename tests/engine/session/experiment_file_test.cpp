// SPDX-License-Identifier: Apache-2.0
#include "engine/request/experiment_file.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "engine/session/preset_catalogue.h"
#include "engine/session/session.h"

namespace shardscope::experiment_file_test {
namespace {

const std::string kHead = "[mesh]\naxes = [ { name = 'row', size = 2 }, { name = 'col', size = 4 } ]\n";
const std::string kProblem = "[problem]\nm = 8\nk = 8\nn = 8\n";

std::string error_of(const std::string& toml) {
  const auto experiment = parse_experiment(toml, "e.toml");
  return experiment.ok() ? "no error" : experiment.error().text();
}

TEST(ExperimentFile, what_is_not_said_has_its_default) {
  const auto e = parse_experiment(kHead + kProblem, "e.toml");
  ASSERT_TRUE(e.ok()) << e.error().text();
  EXPECT_EQ(e->hardware, "tpu-v5e");
  EXPECT_EQ(e->problem.dtype, ElementType::f32);
  EXPECT_EQ(e->fill, Fill::integers);
  EXPECT_TRUE(e->overlap);
  EXPECT_TRUE(e->mesh.axes()[0].wrap);
  EXPECT_TRUE(e->runs.empty());
}

TEST(ExperimentFile, a_dtype_brings_its_accumulate) {
  EXPECT_EQ(parse_experiment(kHead + kProblem + "dtype = 'bf16'\n", "e")->problem.accumulate,
            ElementType::f32);
  EXPECT_EQ(parse_experiment(kHead + kProblem + "dtype = 's32'\n", "e")->problem.accumulate,
            ElementType::s32);
  EXPECT_EQ(
      parse_experiment(kHead + kProblem + "dtype = 'bf16'\naccumulate = 'bf16'\n", "e")->problem.accumulate,
      ElementType::bf16);
}

TEST(ExperimentFile, an_experiment_that_uses_everything_reads_back_equal) {
  Experiment e;
  e.title = "a \"quoted\" title\nwith two lines \\ and µ";
  e.source = "source";
  e.notes = "tab\tand \x01";
  e.warnings = {"one", "two"};
  e.hardware = "chips/mine.toml";
  e.mesh = *Mesh::make({{"x", 2, false}, {"y", 2, true}}, {3, 1, 2, 0});
  e.problem = {4, 8, 16, ElementType::bf16, ElementType::bf16};
  e.fill = Fill::normal;
  e.seed = UINT64_MAX;
  e.overlap = false;
  e.collective = CollectiveAlgorithm::ring;
  RunRequest run;
  run.strategy = "meshslice.os";
  run.options.slices = 2;
  run.options.block = 4;
  run.options.axes = {{"row", "y"}, {"col", "x"}};
  run.options.in_lhs = *PartitionSpec::parse("P('x',None)");
  run.options.in_rhs = *PartitionSpec::parse("P(None,('x','y'))");
  run.options.out = *PartitionSpec::parse("P()");
  run.label = "dX";
  run.mesh = *Mesh::make({{"x", 4, true}}, {3, 2, 1, 0});
  run.problem = MatmulProblem{1, 2, 3, ElementType::f64, ElementType::f64};
  e.runs = {run, RunRequest{}};
  e.runs[1].strategy = "gspmd.os";
  const auto back = parse_experiment(experiment_toml(e), "back.toml");
  ASSERT_TRUE(back.ok()) << back.error().text() << "\n" << experiment_toml(e);
  EXPECT_EQ(*back, e) << experiment_toml(e);
}

TEST(ExperimentFile, mistakes_name_their_place) {
  EXPECT_EQ(error_of("titel = 'x'\n" + kHead + kProblem),
            "unknown key 'titel'; e.toml:1:1; did you mean 'title'?");
  EXPECT_EQ(error_of("title = 4\n"), "'title' must be a string, got a whole number; e.toml:1:9");
  EXPECT_EQ(error_of("overlap = 'off'\n"), "'overlap' must be true or false, got a string; e.toml:1:11");
  EXPECT_EQ(error_of(kProblem),
            "[mesh] is missing; e.toml:1:1; write [mesh] axes = [{ name = \"row\", size = 2 }]");
  EXPECT_EQ(error_of(kHead), "[problem] is missing; e.toml:1:1; write [problem] with m, k and n");
  EXPECT_EQ(error_of(kHead + "[problem]\nm = -8\n"), "'m' must be at least 1, got -8; e.toml:4:5");
  EXPECT_EQ(error_of(kHead + "[problem]\nm = 8\nk = 8\n"), "'n' is missing; e.toml:3:1");
  EXPECT_EQ(error_of(kHead + "[problem]\nm = 1.5\n"),
            "'m' must be a whole number, got a number with a fraction; e.toml:4:5");
  EXPECT_EQ(error_of(kHead + kProblem + "dtype = 'f31'\n"),
            "unknown dtype 'f31'; e.toml:7:9; use f32, bf16, f16, f64, s32, s8 or f8e4m3fn");
  EXPECT_EQ(error_of(kHead + kProblem + "seed = -1\n"), "'seed' must not be negative, got -1; e.toml:7:8");
  EXPECT_EQ(error_of(kHead + kProblem + "fill = 'ones'\n"),
            "unknown fill 'ones'; e.toml:7:8; use integers, normal, arange, jax or ramp");
  EXPECT_EQ(error_of(kHead + kProblem + "[[run]]\nstrategy = 'wang.so'\n"),
            "unknown strategy 'wang.so'; e.toml:8:12; did you mean wang.os?");
  EXPECT_EQ(error_of(kHead + kProblem + "[[run]]\nslices = 2\n"), "'strategy' is missing; e.toml:7:1");
  EXPECT_EQ(error_of(kHead + kProblem + "[[run]]\nstrategy = 'psum'\nslices = 0\n"),
            "'slices' must be at least 1, got 0; e.toml:9:10");
  EXPECT_EQ(error_of(kHead + kProblem + "[[run]]\nstrategy = 'psum'\nin_lhs = \"P('row'\"\n"),
            "expected ',' or ')', got the end of the text; e.toml:9:10, spec column 8");
  EXPECT_EQ(error_of(kHead + kProblem + "[[run]]\nstrategy = 'psum'\nslcies = 2\n"),
            "unknown key 'slcies'; e.toml:9:1; did you mean 'slices'?");
  EXPECT_EQ(error_of("[mesh]\naxes = [ { name = 'a', size = 1099511627776 } ]\n"),
            "the mesh has more than 1,048,576 devices; e.toml:2:8, mesh axis 'a'=1099511627776; use a "
            "smaller mesh");
  EXPECT_EQ(error_of("[mesh]\naxes = [ { name = 'a', size = 0 } ]\n"),
            "'size' must be at least 1, got 0; e.toml:2:31");
  EXPECT_EQ(error_of("[mesh]\naxes = [ { name = 'a', size = 2 } ]\ndevice_order = [0, 4294967296]\n"),
            "device 4294967296 in the device order, expected 0 to 1048575; e.toml:3:16");
  EXPECT_EQ(error_of("mesh = 'row=2'\n"), "'mesh' must be a table, got a string; e.toml:1:8");
  EXPECT_EQ(
      parse_experiment(kHead + "[problem]\nm = 4611686018427387904\nk = 4611686018427387904\nn = 1\n", "e")
          .error()
          .kind,
      ErrorKind::too_big);
  EXPECT_EQ(parse_experiment(kHead + "[problem\n", "e.toml").error().where.substr(0, 9), "e.toml:3:");
}

TEST(ExperimentFile, a_damaged_file_is_an_error_and_never_more) {
  const std::string good = experiment_toml(*find_experiment("chain_meshslice"));
  std::mt19937 random(6);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int k = 0; k < 2; ++k) text[random() % text.size()] = static_cast<char>(random() % 128);
    if (random() % 4 == 0) text.resize(random() % text.size());
    const auto experiment = parse_experiment(text, "x.toml");
    if (experiment.ok()) {
      EXPECT_EQ(*parse_experiment(experiment_toml(*experiment), "y.toml"), *experiment);
    } else {
      EXPECT_EQ(experiment.error().where.substr(0, 7), "x.toml:");
    }
  }
}

TEST(ExperimentPresets, each_reads_back_equal_and_names_real_hardware) {
  const auto presets = experiment_presets();
  ASSERT_FALSE(presets.empty());
  EXPECT_EQ(presets[0].name, "default");
  EXPECT_EQ(presets[0].title, "All strategies, 2x4, tpu-v5e");
  for (const ExperimentPreset& preset : presets) {
    const auto e = find_experiment(preset.name);
    ASSERT_TRUE(e.ok()) << e.error().text();
    EXPECT_FALSE(e->title.empty());
    EXPECT_EQ(preset.title, e->title) << preset.name;
    EXPECT_FALSE(e->notes.empty());
    EXPECT_EQ(*parse_experiment(experiment_toml(*e), "again.toml"), *e) << preset.name;
    EXPECT_TRUE(find_hardware(e->hardware).ok());
  }
}

TEST(ExperimentPresets, each_file_says_its_topic_and_passes_the_filters_that_it_should) {
  const auto& all = preset_catalogue();
  ASSERT_EQ(all.size(), experiment_presets().size());
  for (const CataloguedPreset& preset : all) {
    EXPECT_FALSE(preset.topic.empty()) << preset.name;
    EXPECT_TRUE(passes(preset, {preset.name, preset.topic, "", false}));
    EXPECT_FALSE(passes(preset, {"no such words", "", "", false}));
    EXPECT_FALSE(passes(preset, {"", "no such topic", "", false}));
    EXPECT_EQ(passes(preset, {"", "", "", true}), !preset.experiment.source.empty());
    int sizes = 0;
    for (const PresetSize& size : preset_sizes()) sizes += passes(preset, {"", "", size.name, false}) ? 1 : 0;
    EXPECT_EQ(sizes, 1) << preset.name;
  }
  EXPECT_LE(preset_topics().size(), 10U) << "few enough to choose from";
  const auto wrong =
      parse_experiment("[preset]\ntopics = \"x\"\n[mesh]\naxes = [{ name = \"a\", size = 2 }]\n", "x.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().text().find("topics"), std::string::npos);
}

TEST(ExperimentPresets, every_run_can_be_planned) {
  for (const ExperimentPreset& preset : experiment_presets()) {
    const Experiment e = *find_experiment(preset.name);
    for (const RunRequest& run : e.runs) {
      const auto program =
          (*find_strategy(run.strategy))
              ->plan(run.mesh.value_or(e.mesh), run.problem.value_or(e.problem), run.options);
      EXPECT_TRUE(program.ok()) << preset.name << ": " << program.error().text();
    }
  }
}

TEST(ExperimentPresets, strategies_of_one_preset_share_a_mesh_but_where_it_warns) {
  int mixed = 0;
  for (const ExperimentPreset& preset : experiment_presets()) {
    const Experiment e = *find_experiment(preset.name);
    const bool own =
        std::any_of(e.runs.begin(), e.runs.end(), [](const RunRequest& r) { return r.mesh.has_value(); });
    EXPECT_TRUE(!own || !e.warnings.empty()) << preset.name;
    mixed += own;
  }
  EXPECT_EQ(mixed, 1);
}

TEST(ExperimentPresets, s32_ramps_say_that_they_wrap) {
  for (const char* name : {"gspmd_os_4x2", "gspmd_is_4x2", "gspmd_ws_4x2"}) {
    const Experiment e = *find_experiment(name);
    EXPECT_EQ(e.problem.dtype, ElementType::s32);
    EXPECT_EQ(e.fill, Fill::arange);
    ASSERT_EQ(e.warnings.size(), 1u);
    EXPECT_EQ(e.warnings[0].substr(0, 9), "s32 wraps");
  }
}

TEST(FindExperiment, a_name_a_path_or_the_nearest_name) {
  EXPECT_EQ(find_experiment("defualt").error().text(), "unknown preset 'defualt'; did you mean 'default'?");
  EXPECT_EQ(find_experiment("collective.os").error().text(),
            "'collective.os' is a strategy, not a preset; say --strategy collective.os");
  EXPECT_EQ(find_experiment("/nowhere/x.toml").error().kind, ErrorKind::io);
  EXPECT_EQ(find_experiment("/tmp/").error().kind, ErrorKind::io);
  const std::string path = ::testing::TempDir() + "/mine.toml";
  std::ofstream(path) << "title = 'mine'\n" << kHead << kProblem;
  EXPECT_EQ(find_experiment(path)->title, "mine");
}

TEST(ExperimentFile, TheCheckIsReadBackEqualAndAnUnknownReferenceIsRefused) {
  Experiment e = *find_experiment("default");
  e.check = {"psum", 1e-2, 0.5, {}};
  EXPECT_EQ(*parse_experiment(experiment_toml(e), "a.toml"), e);
  EXPECT_EQ(experiment_toml(*find_experiment("default")).find("[check]"), std::string::npos);
  e.check.reference = "psam";
  const auto bad = parse_experiment(experiment_toml(e), "a.toml");
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().text().find("psam"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::experiment_file_test

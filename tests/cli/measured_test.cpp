// SPDX-License-Identifier: Apache-2.0
// compare --measured and render --measured: a trace of a workspace beside one of its runs.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/trace/measured_record.h"
#include "engine/trace/workspace.h"
#include "tests/cli/process.h"
#include "tests/engine/report/made_trace.h"

namespace shardscope::cli_measured_test {
namespace {

using nlohmann::json;

struct Measured {
  TemporaryFolder folder;
  std::string db = folder.file("w.shardscope");
  std::string slow;  // instruction that takes twice its time
  Picoseconds simulated = 0;
};

// A run, and the trace of it in which the first product takes twice its time.
void record(Measured& out) {
  const ProcessOutcome made =
      run_program({"sweep", "--mesh", "row=2,col=2", "--m", "256", "--k", "256", "--n", "256", "--strategies",
                   "wang.os,collective.os", "--db", out.db});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto workspace = Workspace::open(out.db, true);
  ASSERT_TRUE(workspace.ok());
  const RunPtr run = *(*workspace)->load(1);
  MeasuredTrace trace = made_trace(*run);
  const auto product = static_cast<int32_t>(
      std::ranges::find(trace.operations, MeasuredKind::product, &MeasuredOperation::kind) -
      trace.operations.begin());
  out.slow = trace.operations[static_cast<size_t>(product)].instruction;
  out.simulated = run->timeline.total;
  slow_down(trace, product, 2);
  const auto id = record_measured(out.db, trace);
  ASSERT_TRUE(id.ok()) << id.error().text();
  ASSERT_EQ(*id, 1);
}

ProcessOutcome compare(const Measured& m, std::vector<std::string> more) {
  std::vector<std::string> words{"compare", "--db", m.db, "--run", "1", "--measured", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(CliMeasured, TheJsonHasItsFieldsAndTheSlowProductOnTop) {
  Measured m;
  record(m);
  const ProcessOutcome out = compare(m, {"--json"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const json got = json::parse(out.out);
  EXPECT_EQ(got["run_id"], 1);
  EXPECT_EQ(got["measured_id"], 1);
  EXPECT_EQ(got["matched_share"], 1.0);
  EXPECT_NEAR(got["simulated_s"].get<double>(), to_seconds(m.simulated), 1e-12);
  EXPECT_GT(got["measured_s"], got["simulated_s"]);
  EXPECT_EQ(got["terms"].size(), 7U);
  EXPECT_EQ(got["terms"].back()["term"], "unmatched");
  const json& top = got["operations"][0];
  EXPECT_EQ(top["instruction"], m.slow);
  EXPECT_EQ(top["kind"], "product");
  EXPECT_EQ(top["residual"], 1.0);
  EXPECT_EQ(top["residual_s"], top["simulated_s"]);
  EXPECT_TRUE(got["unmatched"].is_array());
}

TEST(CliMeasured, WithoutAFormatItIsATableThatSaysWhichTimeIsWhich) {
  Measured m;
  record(m);
  const ProcessOutcome out = compare(m, {});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  EXPECT_TRUE(out.out.starts_with("Measured ")) << out.out;
  for (const char* word : {"simulated", "measured", "residual", "unmatched"})
    EXPECT_NE(out.out.find(word), std::string::npos) << word;
}

TEST(CliMeasured, EveryReportHasTheSectionAndThePrintedCsvIsTheSame) {
  Measured m;
  record(m);
  for (const std::string format : {"html", "md", "tex", "json", "csv", "pdf"}) {
    const std::string file = m.folder.file("r." + format);
    const ProcessOutcome out = compare(m, {"--format", format, "-o", file});
    ASSERT_EQ(out.exit_code, 0) << format << ": " << out.err;
    const std::string text = read_text(file);
    ASSERT_GT(text.size(), 100U) << format;
    if (format == "json") {
      EXPECT_EQ(json::parse(text)["measured"]["measured_id"], 1);
    } else if (format == "csv") {
      EXPECT_TRUE(text.starts_with("instruction,op,kind")) << text;
      EXPECT_NE(text.find(m.slow), std::string::npos);
    } else if (format != "pdf") {
      EXPECT_NE(text.find("Measured beside simulated"), std::string::npos) << format;
    }
  }
}

TEST(CliMeasured, ASectionOfOneRunStandsInAReportOfSeveral) {
  Measured m;
  record(m);
  const ProcessOutcome out = run_program(
      {"compare", "--db", m.db, "--runs", "2,1", "--run", "1", "--measured", "1", "--format", "json"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const json got = json::parse(out.out);
  EXPECT_EQ(got["measured"]["run_id"], 1);
  EXPECT_EQ(got["runs"].size(), 2U);
}

TEST(CliMeasured, ThePictureIsDrawnAsItIsAskedFor) {
  Measured m;
  record(m);
  const std::string file = m.folder.file("b.svg");
  const ProcessOutcome out =
      run_program({"render", "--db", m.db, "--run", "1", "--measured", "1", "--view", "beside", "-o", file});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const std::string svg = read_text(file);
  EXPECT_NE(svg.find("measured: trace of wang.os"), std::string::npos);
  EXPECT_NE(svg.find("simulated: wang.os (run 1)"), std::string::npos);
}

TEST(CliMeasured, WhatCannotBeIsRefusedInOneLine) {
  Measured m;
  record(m);
  const std::string png = m.folder.file("x.png");
  const std::vector<std::vector<std::string>> wrong{
      {"compare", "--db", m.db, "--run", "1", "--measured", "7"},
      {"compare", "--db", m.db, "--run", "1", "--measured", "1", "--step", "9"},
      {"compare", "--db", m.db, "--run", "1"},
      {"compare", "--db", m.db},
      {"compare", "--db", m.db, "--runs", "2", "--run", "1", "--measured", "1"},
      {"compare", "--db", m.db, "--runs", "1", "--json"},
      {"render", "--db", m.db, "--run", "1", "--view", "beside", "-o", png},
      {"render", "--db", m.db, "--run", "1", "--view", "ring", "--measured", "1", "-o", png}};
  for (const auto& words : wrong) {
    const ProcessOutcome out = run_program(words);
    EXPECT_EQ(out.exit_code, 2) << out.err;
    EXPECT_TRUE(out.err.starts_with("error: ")) << out.err;
    EXPECT_EQ(std::ranges::count(out.err, '\n'), 1) << out.err;
  }
}

TEST(CliMeasured, AnEndingOfNoFormatIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("trace.json"))
      << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":9}]})";
  for (const auto& [name, exit] : {std::pair("x.pdf", 2), {"x.txt", 0}, {"x", 0}, {"x.html", 0}}) {
    const ProcessOutcome out = run_program({"beside", folder.file("trace.json"), "-o", folder.file(name)});
    EXPECT_EQ(out.exit_code, exit) << name << out.err;
    EXPECT_EQ(std::filesystem::exists(folder.file(name)), exit == 0) << name;
  }
}

TEST(CliMeasured, ACalibrationSaysOnWhichOtherChipItsPointsWereMeasured) {
  const TemporaryFolder folder;
  std::string text;
  for (int rank = 0; rank < 4; ++rank)
    text += "#  Rank  " + std::to_string(rank) +
            " Group  0 Pid  1 on  node0 device  0 [0x07] Tesla V100-SXM2-32GB\n";
  text +=
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "  1048576  262144  float  sum  -1  33.46  31.34  47.01  0  32.46  32.30  48.45  0\n"
      "  2097152  524288  float  sum  -1  45.91  45.68  68.52  0  44.00  47.66  71.49  0\n";
  std::ofstream(folder.file("log.txt")) << "# nThread 1 nGpus 4 all_reduce_perf\n" << text;
  const auto fit = [&](const char* chip) {
    return run_program(
               {"calibrate", "--points", folder.file("log.txt"), "--hardware", chip, "--holdout", "0"})
        .err;
  };
  EXPECT_NE(fit("h100").find("measured on Tesla V100-SXM2-32GB, and are fitted to h100"), std::string::npos)
      << fit("h100");
}

}  // namespace
}  // namespace shardscope::cli_measured_test

// SPDX-License-Identifier: Apache-2.0
// The command line as a user types it: JSON fields, exit codes, one line per error.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/help/topics.h"
#include "tests/cli/process.h"

namespace shardscope::cli_test {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall = {"--mesh", "row=2,col=4", "--m", "32", "--k", "64", "--n", "96"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json run_small(const std::vector<std::string>& more) {
  const ProcessOutcome outcome = run_program(with(with({"run", "--json"}, kSmall), more));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

struct Refusal {
  std::vector<std::string> words;
  int exit_code;
  std::string says;
};

TEST(Cli, RefusesBadInputWithOneLineThatNamesIt) {
  const std::vector<Refusal> refusals = {
      {{"run", "--strategy", "wang.so", "--mesh", "row=2,col=4", "--m", "8", "--k", "8", "--n", "8"},
       2,
       "did you mean"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=0,col=4", "--m", "8", "--k", "8", "--n", "8"},
       2,
       "at least 1, got 0"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=-2,col=4", "--m", "8", "--k", "8", "--n", "8"},
       2,
       "got -2"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=1048576,col=1048576", "--m", "8", "--k", "8", "--n",
        "8"},
       2,
       "devices"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "0", "--k", "8", "--n", "8"},
       2,
       "m is 0"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "4611686018427387904", "--k",
        "4611686018427387904", "--n", "8"},
       2,
       "error: "},
      {{"run", "--strategy", "wang.ls", "--mesh", "row=1,col=2", "--m", "8", "--k", "8", "--n", "6"},
       2,
       "got 3"},
      {{"run", "--strategy", "wang.os", "--mesh", "x=4", "--m", "8", "--k", "8", "--n", "8"}, 2, "x=4"},
      {{"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "8", "--k", "8"}, 2, "n is missing"},
      {{"run", "--strategy", "wang.os", "--m", "8", "--k", "8", "--n", "8"}, 2, "mesh is missing"},
      {{"run", "default"}, 2, "--strategy"},
      {{"run", "no_such_preset", "--strategy", "wang.os"}, 2, "no_such_preset"},
      {{"run", "/no/such/file.toml"}, 4, "/no/such/file.toml"},
      {{"sweep", "--mesh", "row=2,col=4", "--m", "7", "--k", "7", "--n", "7", "--strategies",
        "wang.os,cannon.os"},
       2,
       "nothing could run"},
      {{"sharding", "--mesh", "a=4", "--shape", "10", "--spec", "P('a')"}, 2, "10"},
      {{"sharding", "--mesh", "a=4", "--shape", "16", "--spec", "P('z')"}, 2, "z"},
      {{"sharding", "--mesh", "a=4", "--shape", "16", "--spec", "P('a'"}, 2, "--spec"},
      {{"compare", "--db", "/no/such.shardscope", "--runs", "1"}, 4, "/no/such.shardscope"},
      {{"compare", "--db", "/no/such.shardscope", "--runs", "one"}, 2, "one"},
      {{"frobnicate"}, 2, "frobnicate"},
      {{"swep"}, 2, "did you mean sweep"},
      {{"run", "--frobnicate"}, 2, "frobnicate"},
  };
  for (const Refusal& refusal : refusals) {
    std::string said;
    for (const std::string& word : refusal.words) said += word + " ";
    const ProcessOutcome outcome = run_program(refusal.words);
    EXPECT_EQ(outcome.exit_code, refusal.exit_code) << said << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << said << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << said << outcome.err;
    EXPECT_NE(outcome.err.find(refusal.says), std::string::npos) << said << outcome.err;
    EXPECT_EQ(outcome.out, "") << said;
  }
}

TEST(Cli, RunGivesTheFixedFieldsAndExactNumbers) {
  const json run = run_small({"--strategy", "systolic.os", "--slices", "2", "--block", "2"});
  EXPECT_EQ(run["strategy"], "meshslice.os");
  EXPECT_EQ(run["numerics"]["allclose"], true);
  EXPECT_EQ(run["numerics"]["max_abs"], 0.0);
  EXPECT_EQ(run["mesh"]["devices"], 8);
  EXPECT_GT(run["simulated"]["total_s"], 0.0);
  // algorithms: (C-1)MK/p + (R-1)KN/p elements of 4 bytes.
  EXPECT_EQ(run["per_device"]["bytes_sent"], (3.0 * 32 * 64 + 1.0 * 64 * 96) / 8 * 4);
  EXPECT_EQ(run["per_device"]["flops"], 2.0 * 32 * 64 * 96 / 8);
  EXPECT_GT(run["measured"]["wall_s"], 0.0);
  EXPECT_EQ(run["options"]["slices"], 2);
}

TEST(Cli, IgnoredOptionsAreListed) {
  EXPECT_EQ(run_small({"--strategy", "collective.os", "--slices", "4"})["ignored_options"], json({"slices"}));
}

TEST(Cli, SweepRanksEverythingThatRunsAndGivesReasonsForTheRest) {
  const ProcessOutcome outcome = run_program(with({"sweep", "--json"}, kSmall));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json sweep = json::parse(outcome.out);
  std::set<std::string> seen;
  double last = 0;
  for (const auto& id : sweep["ranking"]) {
    const auto run = std::find_if(sweep["runs"].begin(), sweep["runs"].end(),
                                  [&](const json& r) { return r["strategy"] == id; });
    ASSERT_NE(run, sweep["runs"].end());
    EXPECT_EQ((*run)["numerics"]["allclose"], true) << id;
    const double priced = (*run)["simulated"]["total_s"].get<double>() + (*run)["price_s"].get<double>();
    EXPECT_GE(priced, last);
    last = priced;
    seen.insert(id);
  }
  for (const char* id : {"collective.os", "collective.ls", "collective.rs", "wang.os", "wang.ls", "wang.rs",
                         "meshslice.os", "meshslice.ls", "meshslice.rs"}) {
    EXPECT_TRUE(seen.count(id)) << id;
  }
  for (const auto& skipped : sweep["skipped"]) EXPECT_NE(skipped["reason"], "");
}

TEST(Cli, StrategiesJsonListsIdsAliasesAndKinds) {
  const json list = json::parse(run_program({"strategies", "--json"}).out)["strategies"];
  const auto of = [&](const std::string& id) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const json& s) { return s["id"] == id; });
    return found == list.end() ? json() : *found;
  };
  EXPECT_EQ(of("collective.os")["aliases"], json({"gspmd.os"}));
  EXPECT_EQ(of("gather.lhs")["kind"], "part");
  EXPECT_EQ(of("blockwise.gram")["kind"], "example");
  EXPECT_EQ(of("wang.rs.isplit")["kind"], "matmul");
}

TEST(Cli, PresetsAreListedByTopicSizeAndPaper) {
  const json list = json::parse(run_program({"presets", "--json"}).out)["presets"];
  ASSERT_GT(list.size(), 30U);
  EXPECT_EQ(list[0]["name"], "default");
  for (const json& preset : list) {
    EXPECT_NE(preset["topic"], "") << preset["name"];
    EXPECT_GT(preset["devices"], 0) << preset["name"];
    EXPECT_NE(preset["notes"], "") << preset["name"];
  }
  const json cannon = json::parse(run_program({"presets", "Cannon 1969 lcm", "--json"}).out)["presets"];
  ASSERT_EQ(cannon.size(), 1U);
  EXPECT_EQ(cannon[0]["name"], "cannon_2x3");
  EXPECT_EQ(cannon[0]["devices"], 6);
  EXPECT_EQ(cannon[0]["paper"], "Cannon 1969, on a virtual torus of lcm(rows, cols)");
  EXPECT_NE(run_program({"presets", "--topic", "Collectives"}).out.find("collectives"), std::string::npos);
  EXPECT_EQ(run_program({"presets", "--topic", "Cooking"}).exit_code, 2);
}

TEST(Cli, ShardingJsonSaysWhoHoldsWhat) {
  const json s = json::parse(
      run_program({"sharding", "--mesh", "a=4,b=2", "--shape", "16,4", "--spec", "P('a',None)", "--json"})
          .out);
  EXPECT_EQ(s["hlo_sharding"], "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(s["shard_shape"], json({4, 4}));
  EXPECT_EQ(s["bytes_per_device"], 64);
  EXPECT_EQ(s["replicas"], 2);
  EXPECT_EQ(s["shards"][3], json({{"device", 3}, {"coords", {1, 1}}, {"slices", {{4, 8}, {0, 4}}}}));
}

TEST(Cli, ARecordedRunCanBeComparedDrawnAndExported) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope");
  EXPECT_EQ(run_small({"--strategy", "wang.os", "--db", db})["run_id"], 1);
  EXPECT_EQ(run_small({"--strategy", "collective.os", "--db", db})["run_id"], 2);
  for (const char* format : {"md", "html", "csv", "json", "pdf", "tex"}) {
    const std::string file = folder.file(std::string("report.") + format);
    const ProcessOutcome outcome =
        run_program({"compare", "--db", db, "--runs", "1,2", "--format", format, "-o", file});
    EXPECT_EQ(outcome.exit_code, 0) << format << outcome.err;
    EXPECT_GT(std::filesystem::file_size(file), 100U) << format;
  }
  EXPECT_NE(read_text(folder.file("report.md")).find("wang.os"), std::string::npos);
  for (const char* view : {"timeline", "grid", "ring"}) {
    for (const char* ending : {"png", "svg", "pdf"}) {
      const std::string file = folder.file(std::string(view) + "." + ending);
      const ProcessOutcome outcome =
          run_program({"render", "--db", db, "--run", "1", "--view", view, "--size", "800x450", "-o", file});
      EXPECT_EQ(outcome.exit_code, 0) << view << ending << outcome.err;
      EXPECT_GT(std::filesystem::file_size(file), 500U) << file;
    }
  }
  const json trace =
      json::parse(run_program({"export", "--db", db, "--run", "1", "--format", "chrome-trace"}).out);
  EXPECT_GT(trace.is_array() ? trace.size() : trace["traceEvents"].size(), 20U);
  EXPECT_NE(run_program({"export", "--db", db, "--run", "1", "--format", "csv"}).out.find("start"),
            std::string::npos);
  EXPECT_EQ(run_program({"render", "--db", db, "--run", "9", "-o", folder.file("x.png")}).exit_code, 2);
  EXPECT_EQ(run_program({"render", "--db", db, "--run", "1", "--view", "nope", "-o", folder.file("x.png")})
                .exit_code,
            2);
  EXPECT_EQ(run_program({"render", "--db", db, "--run", "1", "-o", "/no/such/folder/x.png"}).exit_code, 4);
}

TEST(Cli, AForeignFileIsNeverTouched) {
  const TemporaryFolder folder;
  const std::string file = folder.file("notes.shardscope");
  write_text(file, "these are my notes");
  const ProcessOutcome outcome =
      run_program(with(with({"run", "--strategy", "wang.os"}, kSmall), {"--db", file}));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_EQ(read_text(file), "these are my notes");
}

TEST(Cli, ResultsDoNotDependOnThreads) {
  const auto without_measured = [](json run) {
    run.erase("measured");
    return run;
  };
  const json one =
      without_measured(run_small({"--strategy", "wang.rs", "--fill", "normal", "--threads", "1"}));
  EXPECT_EQ(one,
            without_measured(run_small({"--strategy", "wang.rs", "--fill", "normal", "--threads", "2"})));
  EXPECT_EQ(one,
            without_measured(run_small({"--strategy", "wang.rs", "--fill", "normal", "--threads", "8"})));
}

TEST(Cli, TheUsersOwnArraysAreMultipliedInTheStoredOrientation) {
  const TemporaryFolder folder;
  // X[2,4] and W stored [N,K] = [2,4] for an input-stationary strategy; f4, C order.
  const auto npy = [&](const std::string& name, const std::vector<float>& values, const std::string& shape) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    write_text(folder.file(name), bytes);
  };
  npy("x.npy", {1, 2, 3, 4, 5, 6, 7, 8}, "(2, 4)");
  npy("w.npy", {1, 0, 0, 1, 0, 1, 1, 0}, "(2, 4)");
  const ProcessOutcome outcome = run_program({"run", "--strategy", "collective.ls", "--mesh", "row=2,col=2",
                                              "--lhs", folder.file("x.npy"), "--rhs", folder.file("w.npy"),
                                              "--out", folder.file("y.npy"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = json::parse(outcome.out);
  EXPECT_EQ(run["problem"]["m"], 2);
  EXPECT_EQ(run["problem"]["k"], 4);
  EXPECT_EQ(run["problem"]["n"], 2);
  const std::string y = read_text(folder.file("y.npy"));
  ASSERT_GE(y.size(), 16U);
  float values[4];
  std::copy_n(y.data() + y.size() - sizeof values, sizeof values, reinterpret_cast<char*>(values));
  EXPECT_EQ((std::vector<float>(values, values + 4)), (std::vector<float>{5, 5, 13, 13}));
}

TEST(Cli, HelpAndManPageComeFromOneSource) {
  const std::string help = run_program({"--help"}).out;
  const std::string man = run_program({"--man"}).out;
  for (const char* command : {"strategies", "run", "sweep", "sharding", "compare", "render", "export"}) {
    EXPECT_NE(help.find(command), std::string::npos);
    EXPECT_NE(man.find(std::string(".SS ") + command), std::string::npos);
  }
  const std::string version = run_program({"--version"}).out;
  EXPECT_TRUE(version.starts_with("shardscope " SHARDSCOPE_VERSION)) << version;
  EXPECT_NE(man.find(version.substr(0, version.size() - 1)), std::string::npos) << version;
}

TEST(Cli, TheManPageHasEveryTopicOfTheHelp) {
  const std::string man = run_program({"--man"}).out;
  for (const HelpGroup& group : help_groups()) {
    for (const HelpTopic& topic : group.topics)
      EXPECT_NE(man.find(roff_section(topic)), std::string::npos) << topic.id;
  }
  for (const HelpPage& page : help_guides())
    EXPECT_NE(man.find(".SS " + roff_text(page.title)), std::string::npos) << page.id;
  EXPECT_EQ(man.find("```"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::cli_test

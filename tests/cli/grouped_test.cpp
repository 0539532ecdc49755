// SPDX-License-Identifier: Apache-2.0
// gmm and tgmm: their schedule and numbers as JSON, files in and out, and what is refused.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/numerics/array/array.h"
#include "tests/cli/process.h"

namespace shardscope::grouped_test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json made(const Words& words) {
  const ProcessOutcome outcome = run_program(joined(words, {"--json"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

const Words kStraddle = {"--m", "16", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile", "4,8,8"};

TEST(CliGrouped, GmmGivesTheScheduleAndProvesItsNumbers) {
  const json result = made(joined({"gmm"}, kStraddle));
  EXPECT_EQ(result["group_offsets"], json({0, 3, 9, 16}));
  EXPECT_EQ(result["group_ids"], json({0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(result["m_tile_ids"], json({0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(result["num_tiles"], 6);
  EXPECT_EQ(result["tiles_m"], 4);
  EXPECT_DOUBLE_EQ(result["efficiency"], 16.0 / 24);
  EXPECT_EQ(result["wasted_rows"], 8);
  EXPECT_EQ(result["flops"], 2048);
  EXPECT_EQ(result["bytes_estimate"], 2560);
  EXPECT_EQ(result["bytes_exact"], 1792);
  EXPECT_EQ(result["numerics"]["checked"], true);
  EXPECT_EQ(result["numerics"]["allclose"], true);
  EXPECT_EQ(result["numerics"]["max_abs"], 0);
}

TEST(CliGrouped, TgmmMultipliesNothingForEmptyGroups) {
  const Words sizes = {"--m",    "8",    "--k", "4", "--n", "4", "--group-sizes", "8,0,0,0,0,0,0,0",
                       "--tile", "8,4,4"};
  const json result = made(joined({"tgmm"}, sizes));
  EXPECT_EQ(result["num_tiles"], 8);
  EXPECT_EQ(result["flops_issued"], 256);
  EXPECT_EQ(result["wasted_rows"], 0);
  EXPECT_EQ(result["efficiency"], 1.0);
  const std::string text = run_program(joined({"tgmm"}, sizes)).out;
  EXPECT_NE(text.find("skipped"), std::string::npos) << text;
  EXPECT_EQ(made(joined({"gmm", "--visit-empty", "on"}, sizes))["flops_issued"], 2048);
}

TEST(CliGrouped, TgmmVisitsEmptyGroupsUnlessToldNotTo) {
  const Words words = {"tgmm", "--m",           "8",     "--k",    "3",    "--n",
                       "5",    "--group-sizes", "4,0,4", "--tile", "4,2,2"};
  const json visited = made(words);
  EXPECT_EQ(visited["num_tiles"], 3);
  EXPECT_EQ(visited["group_ids"][1], 1);
  EXPECT_EQ(visited["output"], json::parse(R"([{"start":0,"stop":3,"state":"computed"}])"));
  const json skipped = made(joined(words, {"--visit-empty", "off"}));
  EXPECT_EQ(skipped["num_tiles"], 2);
  EXPECT_EQ(skipped["output"][1]["state"], "unwritten");
  EXPECT_EQ(made({"gmm", "--m", "8", "--k", "3", "--n", "5", "--group-sizes", "4,0,4", "--tile", "4,2,2",
                  "--visit-empty", "on"})["num_tiles"],
            3);
}

TEST(CliGrouped, EveryOptionRunsAndIsProved) {
  const std::vector<Words> variants = {{"--dtype", "bf16"},
                                       {"--dtype", "bf16", "--out-dtype", "bf16"},
                                       {"--lhs-dtype", "bf16"},
                                       {"--transpose-rhs"},
                                       {"--group-offset", "1", "--local-groups", "1"},
                                       {"--fill", "normal", "--seed", "3"},
                                       {"--fill", "normal", "--dtype", "bf16", "--out-dtype", "bf16"},
                                       {"--threads", "1"}};
  for (const Words& more : variants) {
    const json gmm = made(joined(joined({"gmm"}, kStraddle), more));
    EXPECT_EQ(gmm["numerics"]["allclose"], true) << more[0];
    if (more[0] == "--transpose-rhs") continue;
    EXPECT_EQ(made(joined(joined({"tgmm"}, kStraddle), more))["numerics"]["allclose"], true) << more[0];
  }
}

class CliGroupedFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::vector<int64_t> dims,
                   const std::function<float(int64_t)>& value) {
    Array array = Array::allocate(ElementType::f32, std::move(dims));
    for (int64_t i = 0; i < array.element_count(); ++i)
      array.mutable_as<float>()[static_cast<size_t>(i)] = value(i);
    const std::string path = folder_.file(name);
    EXPECT_TRUE(write_npy(path, array).ok());
    return path;
  }
  const TemporaryFolder folder_;
};

// Groups 3, 6, 4, 3; the shard has groups 2 and 3: rows 9 to 15 are replaced, the others stay 100.
TEST_F(CliGroupedFiles, AShardReplacesItsRowsOfAnExistingOutput) {
  const std::string lhs = file("lhs.npy", {16, 2}, [](int64_t i) { return static_cast<float>(i % 5 - 2); });
  const std::string all = file("rhs.npy", {4, 2, 2}, [](int64_t i) { return static_cast<float>(i % 7 - 3); });
  const std::string own =
      file("own.npy", {2, 2, 2}, [](int64_t i) { return static_cast<float>((i + 8) % 7 - 3); });
  const std::string old = file("old.npy", {16, 2}, [](int64_t) { return 100.0f; });
  const std::vector<float> expected = {-2, 1, 4, 1, 0, 1, -4, -4, -2, -3, -4, -1, -1, -4};
  for (const std::string& rhs : {all, own}) {
    const json result =
        made({"gmm", "--lhs", lhs, "--rhs", rhs, "--existing-out", old, "--out", folder_.file("out.npy"),
              "--group-sizes", "3,6,4,3", "--group-offset", "2", "--local-groups", "2", "--tile", "4,2,2"});
    EXPECT_EQ(result["numerics"]["allclose"], true);
    EXPECT_EQ(result["output"][0]["state"], "aliased");
    EXPECT_EQ(result["output"][1]["state"], "kept");
    const auto out = read_npy(folder_.file("out.npy"));
    ASSERT_TRUE(out.ok());
    for (int64_t i = 0; i < 18; ++i) EXPECT_EQ(out->at(i), 100);
    for (int64_t i = 18; i < 32; ++i) EXPECT_EQ(out->at(i), expected[static_cast<size_t>(i - 18)]) << i;
  }
}

TEST_F(CliGroupedFiles, TgmmAddsToAnExistingOutput) {
  const std::string lhs = file("lhs.npy", {1, 4}, [](int64_t) { return 1.0f; });
  const std::string rhs = file("rhs.npy", {4, 1}, [](int64_t i) { return static_cast<float>(i); });
  const std::string old = file("old.npy", {2, 1, 1}, [](int64_t) { return 10.0f; });
  made({"tgmm", "--lhs", lhs, "--rhs", rhs, "--existing-out", old, "--out", folder_.file("out.npy"),
        "--group-sizes", "1,3", "--tile", "2,1,1"});
  const auto out = read_npy(folder_.file("out.npy"), std::nullopt, 3);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->at(0), 10);
  EXPECT_EQ(out->at(1), 16);
}

TEST_F(CliGroupedFiles, AnExistingOutputOfAnotherTypeIsRefused) {
  const std::string old = file("old.npy", {16, 8}, [](int64_t) { return 100.0f; });
  const Words words = joined({"gmm", "--existing-out", old}, kStraddle);
  EXPECT_EQ(run_program(words).exit_code, 0);
  const ProcessOutcome other = run_program(joined(words, {"--out-dtype", "bf16"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("expected bf16, got f32; --existing-out"), std::string::npos) << other.err;
}

TEST_F(CliGroupedFiles, TilesAreLookedUpInATable) {
  const std::string table = folder_.file("tiles.csv");
  write_text(table, "# m,k,n,tm,tk,tn\n16,8,8, 4,8,8\n32,8,8,8,8,8  # tuned by hand\n");
  const Words sizes = {"gmm", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile-table", table};
  EXPECT_EQ(made(joined(sizes, {"--m", "16"}))["tile"], json({4, 8, 8}));
  const ProcessOutcome untuned =
      run_program({"gmm", "--m", "16", "--k", "8", "--n", "9", "--group-sizes", "16", "--tile-table", table});
  EXPECT_EQ(untuned.exit_code, 2);
  EXPECT_NE(untuned.err.find("no tuned tiling found for (m, k, n) = (16, 8, 9); --tile"), std::string::npos)
      << untuned.err;
  write_text(table, "16,8,8,4,8\n");
  EXPECT_NE(run_program(joined(sizes, {"--m", "16"})).err.find("tiles.csv:1"), std::string::npos);
  EXPECT_EQ(run_program(joined(sizes, {"--m", "16", "--tile", "4,8,8"})).exit_code, 2);
  EXPECT_EQ(run_program({"gmm", "--m", "16", "--k", "8", "--n", "8", "--group-sizes", "16", "--tile-table",
                         folder_.file("none.csv")})
                .exit_code,
            4);
}

// out = lhs·w of the row's group, so the gradient of lhs is grad·wᵀ and that of w the group's lhsᵀ·grad.
TEST_F(CliGroupedFiles, GradientsAreAGmmAndATgmm) {
  const std::string lhs = file("lhs.npy", {4, 1}, [](int64_t i) { return static_cast<float>(i + 1); });
  const std::string rhs = file("rhs.npy", {2, 1, 1}, [](int64_t i) { return i == 0 ? 10.0F : 100.0F; });
  const std::string grad = file("grad.npy", {4, 1}, [](int64_t i) { return static_cast<float>(i % 2 + 1); });
  const Words words = {"gmm",
                       "--lhs",
                       lhs,
                       "--rhs",
                       rhs,
                       "--group-sizes",
                       "1,3",
                       "--tile",
                       "2,1,1",
                       "--vjp",
                       "--grad",
                       grad,
                       "--lhs-grad-out",
                       folder_.file("dl.npy"),
                       "--rhs-grad-out",
                       folder_.file("dr.npy")};
  const json result = made(words);
  for (const char* of : {"lhs", "rhs"})
    EXPECT_EQ(result["gradients"][of]["numerics"]["allclose"], true) << of;
  EXPECT_EQ(result["gradients"]["lhs"]["op"], "gmm");
  EXPECT_EQ(result["gradients"]["rhs"]["op"], "tgmm");
  EXPECT_EQ(result["gradients"]["rhs"]["shape"], json({2, 1, 1}));
  const auto of_lhs = read_npy(folder_.file("dl.npy"));
  const auto of_rhs = read_npy(folder_.file("dr.npy"), std::nullopt, 3);
  ASSERT_TRUE(of_lhs.ok() && of_rhs.ok());
  const double rows[] = {10, 200, 100, 200};
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(of_lhs->at(i), rows[i]);
  EXPECT_EQ(of_rhs->at(0), 1);
  EXPECT_EQ(of_rhs->at(1), 2 * 2 + 3 * 1 + 4 * 2);
  EXPECT_NE(run_program(words).out.find("gradient of rhs: tgmm"), std::string::npos);
}

TEST(CliGrouped, GradientsOfEveryVariantAreProved) {
  for (const Words& more : std::vector<Words>{{},
                                              {"--transpose-rhs"},
                                              {"--dtype", "bf16"},
                                              {"--lhs-dtype", "bf16", "--out-dtype", "bf16"},
                                              {"--group-offset", "1", "--local-groups", "1"},
                                              {"--fill", "normal"}}) {
    const json result = made(joined(joined(joined({"gmm"}, kStraddle), {"--vjp"}), more));
    EXPECT_EQ(result["gradients"]["lhs"]["numerics"]["allclose"], true);
    EXPECT_EQ(result["gradients"]["rhs"]["numerics"]["allclose"], true);
  }
}

TEST(CliGrouped, ShortGroupsShowWhatNobodyWrites) {
  const Words words = {"gmm", "--m", "8", "--k", "2", "--n", "2", "--group-sizes", "3,2", "--tile", "4,2,2"};
  EXPECT_EQ(run_program(words).exit_code, 2);
  const json result = made(joined(words, {"--allow-short"}));
  EXPECT_EQ(result["num_tiles"], 3);
  EXPECT_EQ(result["output"][1], json::parse(R"({"start":5,"stop":8,"state":"unwritten"})"));
  EXPECT_NE(run_program(joined(words, {"--allow-short"})).out.find("5–7 unwritten"), std::string::npos);
}

TEST(CliGrouped, AMeshSharesTheGroupsAndShowsTheImbalance) {
  const Words words = {"gmm",      "--m",    "32",    "--k",    "4",          "--n",    "4", "--group-sizes",
                       "20,4,5,3", "--tile", "4,4,4", "--mesh", "data=2,e=2", "--axis", "e"};
  const json experts = made(words)["experts"];
  EXPECT_EQ(experts["axis"], "e");
  EXPECT_EQ(experts["shards"][1]["devices"], json({1, 3}));
  EXPECT_EQ(experts["shards"][0]["rows"], 24);
  EXPECT_DOUBLE_EQ(experts["row_imbalance"], 1.5);
  EXPECT_EQ(experts["equal"], true);
  EXPECT_NE(run_program(words).out.find("busiest e 0 · 1.5"), std::string::npos) << run_program(words).out;
  EXPECT_EQ(run_program({"gmm", "--m", "8", "--k", "1", "--n", "1", "--group-sizes", "4,4", "--tile", "4,1,1",
                         "--mesh", "e=3"})
                .exit_code,
            2);
}

TEST(CliGrouped, TheTextIsATableOfVisits) {
  const std::string text = run_program(joined({"gmm"}, kStraddle)).out;
  EXPECT_NE(text.find("   1     0      1      3    1       3  ···█\n"), std::string::npos) << text;
  EXPECT_NE(text.find("6 to 4 tiles · 8 wasted rows · efficiency 67 %"), std::string::npos) << text;
}

TEST(CliGrouped, WithoutNumericsAnySizeIsPlannedAtOnce) {
  const json result = made({"gmm", "--m", "1048576", "--k", "7168", "--n", "2048", "--group-sizes",
                            "524289,524287", "--numerics", "off"});
  EXPECT_EQ(result["num_tiles"], 8193);
  EXPECT_EQ(result["numerics"]["checked"], false);
}

TEST(CliGrouped, RefusesBadInputWithOneLine) {
  const auto gmm = [](const std::string& sizes, const std::string& tile, const Words& more = {}) {
    return joined({"gmm", "--m", "10", "--k", "2", "--n", "2", "--group-sizes", sizes, "--tile", tile}, more);
  };
  struct Refusal {
    Words words;
    int exit_code;
    std::string says;
  };
  const std::vector<Refusal> refusals = {
      {gmm("5,5", "4,2,2"), 2, "10 must be divisible by x-dimension tile size (4); --tile"},
      {gmm("5,6", "5,2,2"), 2, "the group sizes sum to 11, expected m = 10; --group-sizes"},
      {gmm("5,4", "5,2,2"), 2, "--allow-short"},
      {gmm("5,x", "5,2,2"), 2, "'x' is not a group size"},
      {gmm("15,-5", "5,2,2"), 2, "got -5 for group 1"},
      {gmm("5,5", "5,2"), 2, "expected three whole numbers tm,tk,tn"},
      {gmm("5,5", "5,0,2"), 2, "expected tile sizes of 1 or more"},
      {gmm("5,5", "5,2,2", {"--group-offset", "2"}), 2, "--group-offset"},
      {gmm("5,5", "5,2,2", {"--local-groups", "3"}), 2, "--local-groups"},
      {gmm("5,5", "5,2,2", {"--dtype", "f64"}), 2, "expected bf16 or f32, got 'f64'"},
      {gmm("5,5", "5,2,2", {"--fill", "ones"}), 2, "unknown fill 'ones'"},
      {gmm("5,5", "5,2,2", {"--lhs", "/no/such.npy"}), 4, "/no/such.npy"},
      {gmm("5,5", "5,2,2", {"--numerics", "off", "--out", "y.npy"}), 2, "--numerics on"},
      {gmm("5,5", "5,2,2", {"--numerics", "off", "--vjp"}), 2, "--numerics on"},
      {gmm("5,5", "5,2,2", {"--grad", "/no/such.npy"}), 2, "say --vjp"},
      {gmm("5,5", "5,2,2", {"--vjp", "--grad", "/no/such.npy"}), 4, "/no/such.npy"},
      {gmm("5,5", "5,2,2", {"--group-offset", "-1"}), 2, "--group-offset"},
      {gmm("5,5", "5,-2,2"), 2, "expected tile sizes of 1 or more"},
      {gmm("5,5", "20,2,2"), 2, "10 must be divisible by x-dimension tile size (20)"},
      {{"gmm", "--m", "8", "--k", "2", "--group-sizes", "8", "--tile", "4,2,2"}, 2, "n is missing"},
      {{"gmm", "--m", "8", "--k", "2", "--n", "2"}, 2, "--group-sizes"},
      {{"tgmm", "--m", "0", "--k", "2", "--n", "2", "--group-sizes", "0"}, 2, "expected m from 1"},
      {{"gmm", "--m", "2147483647", "--k", "2147483647", "--n", "2147483647", "--group-sizes", "2147483647",
        "--tile", "1,1,1"},
       2,
       "expected at most"},
      {{"gmm", "--m", "2147483648", "--k", "2", "--n", "2", "--group-sizes", "1"}, 2, "expected m from 1"},
  };
  for (const Refusal& refusal : refusals) {
    const ProcessOutcome outcome = run_program(refusal.words);
    EXPECT_EQ(outcome.exit_code, refusal.exit_code) << refusal.says << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(refusal.says), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(CliGroupedFiles, FilesThatDisagreeAreRefused) {
  const std::string lhs = file("lhs.npy", {8, 2}, [](int64_t) { return 1.0f; });
  const std::string rhs = file("rhs.npy", {2, 3, 2}, [](int64_t) { return 1.0f; });
  const ProcessOutcome k = run_program({"gmm", "--lhs", lhs, "--rhs", rhs, "--group-sizes", "4,4"});
  EXPECT_EQ(k.exit_code, 2);
  EXPECT_NE(k.err.find("expected k = 2, got 3"), std::string::npos) << k.err;
  const ProcessOutcome rank = run_program({"gmm", "--lhs", rhs, "--group-sizes", "4,4", "--n", "2"});
  EXPECT_EQ(rank.exit_code, 2);
  EXPECT_NE(rank.err.find("expected an array of 2 dimensions"), std::string::npos) << rank.err;
}

}  // namespace
}  // namespace shardscope::grouped_test

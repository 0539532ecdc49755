// SPDX-License-Identifier: Apache-2.0
// Every type of problems through every door of the command line.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/numerics/array/array.h"
#include "engine/numerics/array/element.h"
#include "engine/program/ir/problem.h"
#include "tests/cli/process.h"

namespace shardscope::dtypes_test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kSizes = {"--mesh", "row=2,col=2", "--m", "8", "--k", "16", "--n", "12"};
const Words kRun = {"run", "--strategy", "wang.os", "--json"};

json made(const Words& words) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out, nullptr, false);
}

// [rows, columns] of 1, 2, 3, … in a file.
std::string counted(const TemporaryFolder& folder, ElementType type, int64_t rows, int64_t columns) {
  Array array = Array::allocate(type, {rows, columns});
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    for (int64_t i = 0; i < rows * columns; ++i)
      array.mutable_as<typename Tag::Stored>()[static_cast<size_t>(i)] =
          Tag::store(static_cast<typename Tag::Computed>(i % 7 + 1));
  });
  const std::string path = folder.file(std::to_string(rows) + ".npy");
  EXPECT_TRUE(write_npy(path, array).ok());
  return path;
}

TEST(CliDtypes, EveryTypeRunsAndIsProved) {
  for (const ElementType type : problem_types()) {
    const json run = made(joined(joined(kRun, kSizes), {"--dtype", name(type)}));
    EXPECT_EQ(run["problem"]["dtype"], name(type));
    EXPECT_EQ(run["numerics"]["allclose"], true) << name(type);
    EXPECT_EQ(run["numerics"]["max_abs"], 0) << name(type);
    EXPECT_EQ(run["numerics"]["rtol"], 0) << name(type);
    EXPECT_GT(run["simulated"]["total_s"], 0) << name(type);
    // tpu-v5e publishes peaks of bf16 and s8.
    const bool published = type == ElementType::bf16 || type == ElementType::s8;
    EXPECT_EQ(run["simulated"]["assumptions"].dump().find("publishes no") == std::string::npos, published)
        << run["simulated"]["assumptions"];
  }
}

TEST(CliDtypes, EveryTypeIsSweptAndVaried) {
  std::string over = "dtype=";
  for (const ElementType type : problem_types()) {
    over += (over.back() == '=' ? "" : ",") + std::string(name(type));
    const json sweep =
        made(joined(joined({"sweep", "--json", "--strategies", "wang.os,collective.os"}, kSizes),
                    {"--dtype", name(type)}));
    EXPECT_EQ(sweep["ranking"].size(), 2u) << name(type);
  }
  const json points = made(joined(
      joined({"sweep", "--json", "--strategies", "wang.os", "--numerics", "off"}, kSizes), {"--over", over}));
  EXPECT_EQ(points["points"].size(), problem_types().size());
}

TEST(CliDtypes, PresetsAndRecordsKeepTheType) {
  const TemporaryFolder folder;
  for (const ElementType type : problem_types()) {
    const std::string preset = folder.file(std::string(name(type)) + ".toml");
    write_text(preset,
               "title = \"t\"\n[mesh]\naxes = [{name = \"row\", size = 2}, {name = \"col\", size = 2}]\n"
               "[problem]\nm = 8\nk = 16\nn = 12\ndtype = \"" +
                   std::string(name(type)) + "\"\n[[run]]\nstrategy = \"wang.os\"\n");
    const std::string db = folder.file(std::string(name(type)) + ".shardscope");
    const json run = made({"run", preset, "--json", "--db", db});
    EXPECT_EQ(run["problem"]["dtype"], name(type));
    EXPECT_EQ(run["problem"]["accumulate"], name(default_accumulate(type)));
    const ProcessOutcome table = run_program({"compare", "--db", db, "--runs", "1", "--format", "csv"});
    EXPECT_NE(table.out.find("," + std::string(name(type)) + ","), std::string::npos) << table.out;
  }
}

TEST(CliDtypes, FilesGoInAndComeOut) {
  for (const ElementType type : problem_types()) {
    const TemporaryFolder folder;
    const json run = made(
        joined(kRun, {"--mesh", "row=2,col=2", "--dtype", name(type), "--lhs", counted(folder, type, 4, 8),
                      "--rhs", counted(folder, type, 8, 6), "--out", folder.file("y.npy")}));
    EXPECT_EQ(run["problem"]["k"], 8) << name(type);
    EXPECT_EQ(run["numerics"]["allclose"], true) << name(type);
    const auto y = read_npy(folder.file("y.npy"));
    ASSERT_TRUE(y.ok()) << y.error().text();
    double sum = 0;
    for (int64_t i = 0; i < 8; ++i) sum += static_cast<double>((i % 7 + 1) * (i * 6 % 7 + 1));
    EXPECT_EQ(y->at(0), sum) << name(type);
  }
}

}  // namespace
}  // namespace shardscope::dtypes_test

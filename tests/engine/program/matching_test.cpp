// SPDX-License-Identifier: Apache-2.0
// Instructions of two modules matched: by what they are there for, and by what they compute.
#include "engine/program/stages/matching.h"

#include <gtest/gtest.h>

#include "engine/program/stages/columns.h"

namespace shardscope::matching_test {
namespace {

Program read(const std::string& text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}
Program entry_of(const std::string& lines) {
  return read("HloModule m\nENTRY e {\n" + lines + "}\n");
}

const std::string kTwo = "p = f32[8] parameter(0)\nq = f32[8] parameter(1)\n";

// What became of an instruction of `program`, by its name.
Fate fate_of(const Program& program, const MatchedSide& side, const std::string& name) {
  for (int32_t k = 0; k < program.instruction_count(); ++k)
    if (program.by_global_index(k).name == name) return side.fate[static_cast<size_t>(k)];
  ADD_FAILURE() << name;
  return Fate::alone;
}

TEST(Matching, NamesNumbersAndOrderMakeNoDifference) {
  const Program a =
      entry_of(kTwo + "n = f32[8] negate(p)\nm = f32[8] negate(q)\nROOT s = f32[8] add(n, m)\n");
  const Program b = entry_of(
      "y = f32[8]{0} parameter(1)\nx = f32[8] parameter(0)\nneg.7 = f32[8] negate(y)\nneg.2 = f32[8] "
      "negate(x), metadata={op_name=\"f\"}\nROOT add.1 = f32[8] add(neg.2, neg.7)\n");
  const auto found = match_modules(a, b);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->equal());
  EXPECT_EQ(found->before.counterpart, (std::vector<int32_t>{1, 0, 3, 2, 4}));
}

// Several that read the one changed array are told apart by what they say, and else stay in their order.
TEST(Matching, WhatReadsAChangedArrayIsTheOneThatSaysTheSame) {
  const auto with = [](const std::string& target, const std::string& parts) {
    return entry_of(
        "p = f32[8] parameter(0)\nt = (f32[8], f32[8], f32[8]) custom-call(p), "
        "custom_call_target=\"" +
        target + "\"\n" + parts);
  };
  const auto part = [](const std::string& name, int index) {
    return name + " = f32[8] get-tuple-element(t), index=" + std::to_string(index) + "\n";
  };
  const std::string sum = "s = f32[8] add(g1, g2)\nROOT r = f32[8] multiply(s, g2)\n";
  const Program a = with("x", part("g0", 0) + part("g1", 1) + part("g2", 2) + sum);
  const auto found = match_modules(a, with("y", part("g0", 0) + part("g1", 1) + part("g2", 2) + sum));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->before.count(Fate::changed), 1) << "the call alone";
  EXPECT_EQ(found->before.counterpart, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6}));
  const auto fewer = match_modules(a, with("y", part("g1", 1) + part("g2", 2) + sum));
  ASSERT_TRUE(fewer.ok());
  EXPECT_EQ(fewer->before.counterpart, (std::vector<int32_t>{0, 1, -1, 2, 3, 4, 5}));
}

// An instruction that is put in early leaves all others what they were.
TEST(Matching, AnEditIsWhatItTouchesAndNoMore) {
  const Program a = entry_of(kTwo +
                             "n = f32[8] negate(p)\ns = f32[8] add(n, q)\nt = f32[8] add(s, q)\nROOT u = "
                             "f32[8] add(t, q)\n");
  const Program b = entry_of(kTwo +
                             "e = f32[8] exponential(p)\nn = f32[8] negate(e)\ns = f32[8] add(n, q)\nt = "
                             "f32[8] add(s, q)\nROOT u = f32[8] add(t, q)\n");
  const auto found = match_modules(a, b);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(fate_of(b, found->after, "e"), Fate::alone);
  EXPECT_EQ(fate_of(b, found->after, "n"), Fate::changed) << "it reads another array";
  for (const char* same : {"p", "q", "s", "t", "u"})
    EXPECT_EQ(fate_of(b, found->after, same), Fate::same) << same;
  EXPECT_EQ(found->before.count(Fate::alone), 0);
  EXPECT_FALSE(found->equal());
}

// Other shapes all the way, and something new at the end: what reads the same in the same place is found.
TEST(Matching, APartitionedModuleIsFoundInTheWholeOne) {
  const Program a = entry_of(
      "p = f32[8] parameter(0)\nz = f32[] constant(0)\nb = f32[8] broadcast(z), "
      "dimensions={}\nn = f32[8] negate(p)\nROOT m = f32[8] maximum(n, b)\n");
  const Program b = entry_of(
      "x = f32[4] parameter(0)\nn.1 = f32[4] negate(x)\nzero = f32[] constant(0), sharding={replicated}\nbr "
      "= "
      "f32[4] broadcast(zero), dimensions={}\nmax = f32[4] maximum(n.1, br)\nROOT c = f32[4] copy(max)\n");
  const auto found = match_modules(a, b);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->before.count(Fate::alone), 0);
  EXPECT_EQ(fate_of(b, found->after, "c"), Fate::alone);
}

TEST(Matching, OperandsThatChangedPlacesAreAChange) {
  const Program a = entry_of(kTwo + "ROOT s = f32[8] subtract(p, q)\n");
  const Program b = entry_of(kTwo + "ROOT s = f32[8] subtract(q, p)\n");
  const auto found = match_modules(a, b);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(fate_of(b, found->after, "s"), Fate::changed);
}

// Called computations are told by what they do, and matched by who calls them.
TEST(Matching, ReducersOfOtherNamesAreTheSame) {
  const auto module = [](const std::string& reducer, const std::string& operation) {
    return read("HloModule m\n" + reducer + " {\na = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT r." +
                reducer + " = f32[] " + operation +
                "(a, b)\n}\nENTRY e {\np = f32[8] parameter(0)\nz = f32[] constant(0)\nROOT s = f32[] "
                "reduce(p, z), dimensions={0}, to_apply=" +
                reducer + "\n}\n");
  };
  const Program plain = module("region_0", "add");
  const auto same = match_modules(plain, module("other", "add"));
  ASSERT_TRUE(same.ok());
  EXPECT_TRUE(same->equal());
  EXPECT_EQ(same->computations.size(), 2U);
  const Program largest = module("other", "maximum");
  const auto differs = match_modules(plain, largest);
  ASSERT_TRUE(differs.ok());
  EXPECT_EQ(fate_of(largest, differs->after, "s"), Fate::changed);
}

TEST(Matching, OfWhatAStageMadeOneIsWhatItWasAndTheOthersAreNew) {
  const StagePtr module = read_stage(entry_of(kTwo + "ROOT s = f32[8] add(p, q)\n"));
  const ModuleStage made{
      StageKind::partitioned,
      SharedProgram(entry_of("p = f32[4] parameter(0)\nq = f32[8] parameter(1)\nc = f32[4] "
                             "slice(q), slice={[0:4]}\nROOT s.1 = f32[4] add(p, c)\n")),
      module, StageLinks({{0, 0}, {1, 1}, {2, 2}, {3, 2}})};
  const auto found = match_stages(*module, made);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->before.counterpart, (std::vector<int32_t>{0, 1, 3}));
  using enum Fate;
  EXPECT_EQ(found->after.fate, (std::vector<Fate>{changed, same, alone, changed}));
  EXPECT_EQ(found->links.made(2), (std::vector<int32_t>{2, 3}));
}

TEST(Matching, StopsWhenTold) {
  std::stop_source stop;
  stop.request_stop();
  const Program a = entry_of(kTwo + "ROOT s = f32[8] subtract(p, q)\n");
  const auto found = match_modules(a, a, stop.get_token());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
}

ModuleColumns three_versions() {
  std::vector<ModuleColumn> modules;
  for (const std::string middle :
       {"n = f32[8] negate(p)\n", "c = f32[8] copy(p)\nn = f32[8] negate(c)\n", "n = f32[8] negate(p)\n"})
    modules.push_back({"v" + std::to_string(modules.size() + 1),
                       SharedProgram(entry_of(kTwo + middle + "ROOT s = f32[8] add(n, q)\n"))});
  auto columns = columns_of(std::move(modules));
  EXPECT_TRUE(columns.ok());
  return *std::move(columns);
}

TEST(ModuleColumns, CounterpartsStandInOneRow) {
  const ModuleColumns columns = three_versions();
  const auto rows = aligned_rows(columns);
  ASSERT_TRUE(rows.ok());
  std::vector<std::vector<std::string>> names;
  for (const ColumnRow& row : *rows) {
    names.emplace_back();
    for (size_t k = 0; k < row.size(); ++k)
      names.back().push_back(row[k].instruction < 0 ? cell_text(columns, k, row[k])
                                                    : columns.modules[k].program.at(row[k].instruction).name);
  }
  using Names = std::vector<std::vector<std::string>>;
  EXPECT_EQ(names, (Names{{"ENTRY e", "ENTRY e", "ENTRY e"},
                          {"p", "p", "p"},
                          {"q", "q", "q"},
                          {"", "c", ""},
                          {"n", "n", "n"},
                          {"s", "s", "s"}}));
  EXPECT_TRUE(same_in_all(columns, (*rows)[1]));
  EXPECT_FALSE(same_in_all(columns, (*rows)[3]));
  EXPECT_FALSE(same_in_all(columns, (*rows)[4]));
  EXPECT_EQ((*rows)[4][0].group, (*rows)[4][2].group);
  EXPECT_NE((*rows)[4][0].group, (*rows)[5][0].group);
  const std::vector<DifferentLine> lines = different_lines(columns, 0, *rows);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].before.empty()) << "the copy is only in the second";
  EXPECT_FALSE(lines[1].before.empty() || lines[1].after.empty());
}

// Whose order differs stand in rows of their own, and still belong together.
TEST(ModuleColumns, CrossedCounterpartsKeepTheirGroup) {
  std::vector<ModuleColumn> modules;
  for (const std::string lines : {"a = f32[8] negate(p)\nb = f32[8] exponential(q)\n",
                                  "b = f32[8] exponential(q)\na = f32[8] negate(p)\n"})
    modules.push_back({"m", SharedProgram(entry_of(kTwo + lines + "ROOT s = f32[8] add(a, b)\n"))});
  const auto columns = columns_of(std::move(modules));
  ASSERT_TRUE(columns.ok());
  EXPECT_TRUE(columns->between[0].equal());
  const auto rows = aligned_rows(*columns);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->size(), 7U) << "a head, five lines, one of them in two rows";
  EXPECT_TRUE(different_lines(*columns, 0, *rows).empty());
}

}  // namespace
}  // namespace shardscope::matching_test

// SPDX-License-Identifier: Apache-2.0
// The registry: names, aliases, kinds, and which mesh axis plays which role.
#include <set>

#include "tests/engine/strategies/planned.h"

namespace shardscope::strategy_test {
namespace {

TEST(Strategies, HaveTheNamesThatUsersRelyOn) {
  std::set<std::string> ids;
  for (const Strategy& s : strategies()) ids.emplace(s.id);
  for (const char* id :
       {"collective.os", "collective.ls", "collective.rs", "wang.os", "wang.ls", "wang.rs", "wang.rs.osplit",
        "wang.rs.isplit", "meshslice.os", "meshslice.ls", "meshslice.rs", "psum", "pjit.inner",
        "pjit.mismatch", "pjit.outer", "pjit.full", "gather.lhs", "gather.rhs", "blockwise.gram"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

TEST(Strategies, NamesAndAliasesAreUnique) {
  std::set<std::string_view> seen;
  for (const Strategy& s : strategies()) {
    EXPECT_TRUE(seen.insert(s.id).second) << s.id;
    for (const auto alias : s.aliases) EXPECT_TRUE(seen.insert(alias).second) << alias;
    EXPECT_FALSE(s.title.empty());
    EXPECT_FALSE(s.paper.empty());
    EXPECT_EQ(needs_of(s).empty(), s.id == "collective.all_reduce") << s.id;  // whose arrays are whole everywhere
  }
}

TEST(Strategies, AreFoundByAlias) {
  const std::map<std::string, std::string> expected = {
      {"gspmd.os", "collective.os"},   {"gspmd.is", "collective.ls"},   {"gspmd.ws", "collective.rs"},
      {"systolic.os", "meshslice.os"}, {"systolic.is", "meshslice.ls"}, {"systolic.ws", "meshslice.rs"},
      {"wang.is", "wang.ls"},          {"wang.ws", "wang.rs"},          {"wang.os", "wang.os"}};
  for (const auto& [alias, id] : expected) {
    const auto found = find_strategy(alias);
    ASSERT_TRUE(found.ok()) << alias;
    EXPECT_EQ((*found)->id, id);
  }
}

TEST(Strategies, AnUnknownNameOffersTheNearest) {
  EXPECT_EQ(find_strategy("wang.oss").error().text(), "unknown strategy 'wang.oss'; did you mean wang.os?");
  EXPECT_EQ(find_strategy("strassen").error().text(),
            "unknown strategy 'strassen'; list them with: shardscope strategies");
}

TEST(Strategies, PartsAndExamplesAreMarked) {
  EXPECT_EQ((*find_strategy("gather.lhs"))->kind, StrategyKind::part);
  EXPECT_EQ((*find_strategy("gather.rhs"))->kind, StrategyKind::part);
  EXPECT_EQ((*find_strategy("blockwise.gram"))->kind, StrategyKind::example);
  EXPECT_EQ((*find_strategy("pjit.full"))->kind, StrategyKind::matmul);
}

TEST(Strategies, NeedWhatTheirBuilderWasRequiredToCheck) {
  using Needs = std::vector<std::string>;
  const auto needs = [](const char* id) { return needs_of(**find_strategy(id)); };
  EXPECT_EQ(needs("wang.os"),
            (Needs{"rows divide m", "cols divide k", "rows divide k", "cols divide n", "k/cols even"}));
  EXPECT_EQ(needs("wang.rs"), (Needs{"rows divide k", "cols divide m", "cols divide n", "rows divide m",
                                     "m/cols even on some meshes", "m/rows even on some meshes"}));
  EXPECT_EQ(needs("2.5d"), (Needs{"rows = cols", "depth divides rows", "rows divide m", "cols divide k",
                                  "rows divide k", "cols divide n"}));
  EXPECT_EQ(needs("summa.ls").back(), "block divides n/cols and n/rows");
  EXPECT_EQ(needs("cannon.rect").front(), "lcm(rows,cols) divides m");
  EXPECT_EQ(needs("blockwise.gram").front(), "n equals m");
  EXPECT_EQ(needs("pjit.inner"), (Needs{"a divides k"}));
  EXPECT_EQ(needs("chain.reshard")[4], "operand W2[n,k]");
}

// A strategy's row names the options that it reads; the others change nothing.
TEST(Strategies, ReadNoOptionThatTheyDoNotName) {
  const std::vector<std::pair<std::string_view, StrategyOptions>> settings = [] {
    std::vector<std::pair<std::string_view, StrategyOptions>> all{
        {"slices", {}}, {"block", {}},  {"prefetch", {}}, {"experts", {}},
        {"in-lhs", {}}, {"in-rhs", {}}, {"out-spec", {}}};
    all[0].second.slices = 2;
    all[1].second.block = 4;
    all[2].second.prefetch = 1;
    all[3].second.experts = 8;
    all[4].second.in_lhs = all[5].second.in_rhs = all[6].second.out = P("", "");
    return all;
  }();
  for (const Strategy& s : strategies()) {
    std::string mesh;
    for (const auto role : s.roles) mesh += (mesh.empty() ? "" : ",") + std::string(role) + "=2";
    const auto plain = s.plan(testing::mesh_of(mesh), {64, 64, 64}, {});
    ASSERT_TRUE(plain.ok()) << s.id;
    for (const auto& [option, set] : settings) {
      const auto program = s.plan(testing::mesh_of(mesh), {64, 64, 64}, set);
      const bool named = std::ranges::count(s.options, option) > 0;
      EXPECT_TRUE(named || (program.ok() && *program == *plain)) << s.id << " " << option;
    }
  }
}

TEST(AssignRoles, FillsByPositionThenAsAsked) {
  const Mesh mesh = testing::mesh_of("a=4,b=2,c=3");
  using Roles = std::map<std::string, std::string>;
  EXPECT_EQ(*assign_roles("s", {"row", "col"}, mesh, {}), (Roles{{"row", "a"}, {"col", "b"}}));
  StrategyOptions options;
  options.axes = {{"row", "b"}, {"col", "a"}};
  EXPECT_EQ(*assign_roles("s", {"row", "col"}, mesh, options), (Roles{{"row", "b"}, {"col", "a"}}));
  options.axes = {{"col", "c"}};
  EXPECT_EQ(*assign_roles("s", {"row", "col"}, mesh, options), (Roles{{"row", "a"}, {"col", "c"}}));
}

TEST(AssignRoles, RefusesWhatCannotBe) {
  const auto refuse = [](const char* mesh, std::map<std::string, std::string> axes) {
    StrategyOptions options;
    options.axes = std::move(axes);
    return assign_roles("wang.os", {"row", "col"}, testing::mesh_of(mesh), options).error().text();
  };
  EXPECT_EQ(refuse("x=4", {}), "wang.os: needs 2 mesh axes (row, col), got x=4");
  EXPECT_EQ(refuse("x=4,y=2", {{"depth", "x"}}), "wang.os: has no role 'depth', its roles are row, col");
  EXPECT_EQ(refuse("x=4,y=2", {{"row", "z"}}),
            "wang.os: role row needs an axis of the mesh x=4,y=2, got 'z'");
  EXPECT_EQ(refuse("x=4,y=2", {{"row", "y"}}),
            "wang.os: axis y cannot be both col and row; give each role an axis of its own");
}

TEST(AssignRoles, SwappedAxesGiveTheTransposedMesh) {
  StrategyOptions swapped;
  swapped.axes = {{"row", "b"}, {"col", "a"}};
  const auto program = testing::plan("wang.os", testing::mesh_of("a=4,b=2"), {16, 32, 64}, swapped);
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(program->inputs[0].spec, P("b", "a"));
  const auto sent = testing::sent_by_axis(*program);
  EXPECT_EQ(sent.at("a"), 3 * 16 * 32 / 8);
  EXPECT_EQ(sent.at("b"), 1 * 32 * 64 / 8);
}

TEST(Strategies, EndInTheMiddleWhenTheyAreToldToStop) {
  std::stop_source stop;
  stop.request_stop();
  int stopped = 0;
  for (const Strategy& s : strategies()) {
    const auto mesh = testing::mesh_of("row=4,col=4,depth=1");
    const MatmulProblem problem{64, 64, 64};
    const auto whole = s.plan(mesh, problem, {}), ended = s.plan(mesh, problem, {}, stop.get_token());
    if (!ended.ok() && ended.error().kind == ErrorKind::cancelled) {
      EXPECT_TRUE(whole.ok()) << s.id;
      ++stopped;
      continue;
    }
    ASSERT_EQ(whole.ok(), ended.ok()) << s.id;
    if (!whole.ok()) continue;
    EXPECT_EQ(*whole, *ended) << s.id << " has no steps";
  }
  EXPECT_GE(stopped, 15);
}

TEST(Strategies, UnusedAxesReplicate) {
  for (const Strategy& s : strategies()) {
    const auto program = s.plan(testing::mesh_of("row=2,col=2,depth=3"),
                                {8, 16, s.kind == StrategyKind::example ? 8 : 24}, {});
    if (!program.ok() || s.roles.size() > 2) continue;
    EXPECT_FALSE(testing::sent_by_axis(*program).contains("depth")) << s.id;
  }
}

}  // namespace
}  // namespace shardscope::strategy_test

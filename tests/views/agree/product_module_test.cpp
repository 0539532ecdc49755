// SPDX-License-Identifier: Apache-2.0
// The picture of a product of arrays with a batch, with several rows and with several summed dimensions: what
// is outlined is what the device multiplies, all of it, and it has that.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "tests/views/agree/told_run.h"
#include "views/scene/grid/product_now.h"

namespace shardscope::product_module_test {
namespace {

using agree_test::RunWithStory;

std::unique_ptr<RunWithStory> run_of(const std::string& entry) {
  const std::string text = "HloModule m, num_partitions=4\n\nENTRY main {\n" + entry + "}\n";
  const auto module = read_hlo(text, "m.hlo");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  ModuleRunOptions options;
  options.check = CheckMode::off;
  options.asked["compile-as"] = "none";
  const auto made = execute_module(module->program, options, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  std::string why;
  return agree_test::told_run("m", made->run, &why);
}

struct Seen {
  ProductPicture picture;
  ProductParts parts;
};

// One picture for each event that multiplies, at the batch that it begins with.
std::vector<Seen> pictures_of(const RunWithStory& told) {
  std::vector<Seen> out;
  const Story& story = *told.story;
  std::set<int32_t> seen;
  for (const Event& event : told.events()) {
    const auto now = products_at(story, event.end);
    for (const ProductNow& each : now) {
      if (!seen.insert(each.event).second) continue;
      auto picture = picture_of_product(story, array_multiplied(story, {each}, event.end));
      if (!picture) {
        ADD_FAILURE() << "no picture of what device " << each.device << " multiplies";
        continue;
      }
      look_at_batch(story, each, *picture);
      out.push_back({*picture, parts_of(story, *picture, each)});
      int64_t batches = 1, corner = 0, k = 0;
      for (const PieceId id : each.made)
        for (size_t d = 0; d < picture->batch.size(); ++d)
          batches *= story.piece(id).index.front()[picture->corner.batch[d]].size();
      for (const MatrixPart& part : out.back().parts.corner) corner += part.down.size() * part.right.size();
      for (const IndexRange& range : out.back().parts.k) k += range.size();
      const Event& of = told.events()[static_cast<size_t>(each.event)];
      EXPECT_EQ(2 * batches * corner * k, static_cast<int64_t>(of.flops))
          << out.back().parts.wordings.front();
      for (const auto& [matrix, parts] :
           {std::pair{picture->left, out.back().parts.left}, {picture->above, out.back().parts.above}})
        for (const MatrixPart& part : parts) {
          int64_t inside = 0;
          for (const PieceId id : story.held(each.device, of.start)) {
            if (story.piece(id).array != matrix.array) continue;
            for (const IndexBox& box : story.piece(id).index)
              for (const MatrixPart& has : parts_of_box(story, *picture, matrix, box))
                inside +=
                    count_of(common({has.down}, {part.down})) * count_of(common({has.right}, {part.right}));
          }
          EXPECT_GE(inside, part.down.size() * part.right.size()) << "it multiplies what it has not";
        }
    }
  }
  EXPECT_FALSE(out.empty());
  return out;
}

TEST(ProductOfModules, SeveralSummedDimensionsAreLaidOneAfterTheOther) {
  const auto told = run_of(
      "  x = f32[8,4,6] parameter(0), sharding={devices=[1,2,2]<=[4]}\n"
      "  w = f32[4,6,10] parameter(1), sharding={devices=[2,2,1]<=[4]}\n"
      "  ROOT y = f32[8,10] dot(x, w), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}\n");
  ASSERT_TRUE(told);
  const auto all = pictures_of(*told);
  ASSERT_EQ(all.size(), 4U) << "one a device";
  EXPECT_EQ(all[0].picture.k_sizes, (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(all[0].picture.k, 24);
  EXPECT_EQ(all[0].picture.m, 8);
  EXPECT_EQ(all[0].picture.n, 10);
  // Device 1 has k1 0–1 and k2 3–5: indices 3–5 and 9–11 of 24.
  EXPECT_EQ(all[1].parts.k, (std::vector<IndexRange>{{3, 6}, {9, 12}}));
  Selection now;
  now.time = told->story->beats()[1].end;
  now.selected = {.kind = ItemId::Kind::device, .device = 1};
  const Canvas canvas{1400, 900, light_theme(), {}};
  const Scene scene = layout_product(told->input(), {}, now, canvas);
  const auto shows = [&](const std::string& what) {
    return std::ranges::any_of(scene.texts(),
                               [&](const TextItem& t) { return t.text.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(shows("k = 4·6"));
  EXPECT_TRUE(shows("8 down, 4·6 right"));
}

TEST(ProductOfModules, SummedDimensionsAreLaidInTheOrderOfTheProduct) {
  const auto told = run_of(
      "  x = f32[6,8,4] parameter(0), sharding={devices=[2,1,2]<=[4]}\n"
      "  w = f32[4,6,10] parameter(1), sharding={devices=[2,2,1]<=[2,2]T(1,0)}\n"
      "  ROOT y = f32[8,10] dot(x, w), lhs_contracting_dims={2,0}, rhs_contracting_dims={0,1}\n");
  ASSERT_TRUE(told);
  for (const Seen& seen : pictures_of(*told)) EXPECT_EQ(seen.picture.k, 24);
}

TEST(ProductOfModules, OfABatchOneIndexIsDrawnAndTheTitleSaysWhich) {
  const auto told = run_of(
      "  q = f32[4,6,8] parameter(0), sharding={devices=[2,2,1]<=[4]}\n"
      "  k = f32[4,10,8] parameter(1), sharding={devices=[2,1,1,2]<=[4] last_tile_dim_replicate}\n"
      "  ROOT s = f32[4,6,10] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}, sharding={devices=[2,2,1]<=[4]}\n");
  ASSERT_TRUE(told);
  const auto all = pictures_of(*told);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].picture.batch, (std::vector<int64_t>{4}));
  EXPECT_EQ(all[0].picture.batch_at, (std::vector<int64_t>{0}));
  EXPECT_EQ(all[2].picture.batch_at, (std::vector<int64_t>{2})) << "the second half of the batch";
  Selection now;
  now.time = told->story->beats()[1].end;
  now.selected = {.kind = ItemId::Kind::device, .device = 2};
  const Scene scene = layout_product(told->input(), {}, now, {1400, 900, light_theme(), {}});
  EXPECT_TRUE(std::ranges::any_of(
      scene.texts(), [](const TextItem& t) { return t.text.find("batch 3 of 4") != std::string::npos; }));
}

TEST(ProductOfModules, RowsOfSeveralDimensionsAreLaidOneAfterTheOther) {
  const auto told = run_of(
      "  x = f32[4,6,8] parameter(0), sharding={devices=[2,2,1]<=[4]}\n"
      "  w = f32[8,10] parameter(1), sharding={replicated}\n"
      "  ROOT y = f32[4,6,10] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}, "
      "sharding={devices=[2,2,1]<=[4]}\n");
  ASSERT_TRUE(told);
  const auto all = pictures_of(*told);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].picture.m, 24);
  EXPECT_EQ(all[1].parts.corner.size(), 2U) << "rows 3–5 and 9–11";
}

TEST(ProductOfModules, BuiltInOnesAreDrawn) {
  for (const char* preset : {"batch_matmul", "attention_scores"}) {
    SCOPED_TRACE(preset);
    const auto told = agree_test::told_module(preset);
    ASSERT_TRUE(told);
    pictures_of(*told);
  }
}

}  // namespace
}  // namespace shardscope::product_module_test

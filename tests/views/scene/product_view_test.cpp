// SPDX-License-Identifier: Apache-2.0
// The picture of the product: what is outlined is what a device multiplies, on one scale.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/grid/product_now.h"

namespace shardscope::product_view_test {
namespace {

constexpr const char* kStrategies[] = {"collective.os", "collective.ls", "collective.rs",
                                       "wang.os",       "wang.ls",       "meshslice.os",
                                       "meshslice.ls",  "psum",          "summa.os"};

Selection at(Picoseconds time, int32_t device = -1) {
  Selection out;
  out.time = time;
  if (device >= 0) out.selected = {.kind = ItemId::Kind::device, .device = device};
  return out;
}

int64_t elements(const std::vector<MatrixPart>& parts) {
  int64_t out = 0;
  for (const MatrixPart& part : parts) out += part.down.size() * part.right.size();
  return out;
}

// Every product of the run, and what the picture says of it.
template <class Check>
void each_product(const SampleRun& run, const Check& check) {
  const Story& story = run.story();
  std::set<int32_t> seen;
  for (const Event& event : story.timeline().events) {
    const std::vector<ProductNow> now = products_at(story, event.end);
    const auto picture = picture_of_product(story, array_multiplied(story, now, event.end));
    for (const ProductNow& each : now) {
      ASSERT_TRUE(picture.has_value());
      if (seen.insert(each.event).second) check(each, *picture, parts_of(story, *picture, each));
    }
  }
  const auto& events = run.input().run.timeline.events;
  const auto products = std::ranges::count_if(events, [](const Event& e) { return e.flops > 0; });
  EXPECT_EQ(static_cast<int64_t>(seen.size()), products) << "one is never seen";
}

TEST(ProductView, ShowsEachProductOfARunWithAllThatItMultiplies) {
  for (const char* strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    const SampleRun run(strategy, "row=2,col=2");
    each_product(run, [&](const ProductNow& now, const ProductPicture& picture, const ProductParts& parts) {
      const Event& event = run.input().run.timeline.events[static_cast<size_t>(now.event)];
      int64_t k = 0;
      for (const IndexRange& range : parts.k) k += range.size();
      EXPECT_EQ(2 * k * elements(parts.corner), static_cast<int64_t>(event.flops)) << parts.wordings.front();
      EXPECT_EQ(picture.m, run.input().run.problem.m);
      EXPECT_EQ(picture.k, run.input().run.problem.k);
      EXPECT_EQ(picture.n, run.input().run.problem.n);
    });
  }
}

// What it multiplies it has.
TEST(ProductView, OutlinesWhatItsDeviceHolds) {
  for (const char* strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    const SampleRun run(strategy, "row=2,col=2");
    const Story& story = run.story();
    each_product(run, [&](const ProductNow& now, const ProductPicture& picture, const ProductParts& parts) {
      const Event& event = run.input().run.timeline.events[static_cast<size_t>(now.event)];
      const std::vector<PieceId> held = story.held(now.device, event.start);
      for (const auto& [matrix, all] : {std::pair{picture.left, parts.left}, {picture.above, parts.above}})
        for (const MatrixPart& part : all) {
          int64_t inside = 0;
          for (const PieceId id : held) {
            if (story.piece(id).array != matrix.array) continue;
            for (const IndexBox& box : story.piece(id).index) {
              const auto common = [](const IndexRange& a, const IndexRange& b) {
                return std::max<int64_t>(0, std::min(a.stop, b.stop) - std::max(a.start, b.start));
              };
              for (const MatrixPart& has : parts_of_box(story, picture, matrix, box))
                inside += common(has.down, part.down) * common(has.right, part.right);
            }
          }
          EXPECT_GE(inside, part.down.size() * part.right.size()) << parts.wordings.front();
        }
    });
  }
}

// The box that encloses what is drawn of an array.
Rect around(const Scene& scene, int32_t array) {
  float left = 1e9F, top = 1e9F, right = -1, bottom = -1;
  for (const RectItem& item : scene.rects()) {
    if (item.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(item.id)];
    if (id.kind != ItemId::Kind::block || id.lane != array) continue;
    left = std::min(left, item.rect.x), top = std::min(top, item.rect.y);
    right = std::max(right, item.rect.right()), bottom = std::max(bottom, item.rect.bottom());
  }
  return {left, top, right - left, bottom - top};
}

TEST(ProductView, TheSameIndexIsAsLongInBothMatricesThatHaveIt) {
  for (const char* strategy : {"collective.os", "wang.ls", "collective.rs"}) {
    SCOPED_TRACE(strategy);
    const SampleRun run(strategy, "row=2,col=4");
    const Story& story = run.story();
    const auto picture = picture_of_product(story, array_multiplied(story, {}, 0));
    ASSERT_TRUE(picture);
    const Scene scene = layout_product(run.input(), {}, at(0), canvas(1400, 900));
    const Rect left = around(scene, picture->left.array), above = around(scene, picture->above.array),
               corner = around(scene, picture->corner.array);
    EXPECT_NEAR(left.w, above.h, 1.5F) << "k";
    EXPECT_NEAR(left.h, corner.h, 1.5F) << "m";
    EXPECT_NEAR(above.w, corner.w, 1.5F) << "n";
    EXPECT_NEAR(left.w / static_cast<float>(picture->k), left.h / static_cast<float>(picture->m), 0.01F);
    EXPECT_LT(left.right(), corner.x);
    EXPECT_LT(above.bottom(), corner.y);
  }
}

TEST(ProductView, ListsWhoMultipliesWhatWhereItIsAdded) {
  const SampleRun run("collective.os", "row=2,col=2");
  const Scene scene = layout_product(run.input(), {}, at(run.story().beats().back().end), canvas(1400, 900));
  EXPECT_TRUE(shows(scene, "(0,0)  a0 a1 × w0 w2 → y0"));
  EXPECT_TRUE(shows(scene, "(1,1)  a2 a3 × w1 w3 → y3"));
  const Scene before = layout_product(run.input(), {}, at(0), canvas(1400, 900));
  EXPECT_TRUE(shows(before, "Nothing is multiplied just now"));
}

// Elements that say where they are: their sums differ.
SmallFactors factors(const MatmulProblem& p) {
  SmallFactors out;
  for (int64_t i = 0; i < p.m * p.k; ++i) out.lhs.push_back(static_cast<double>(i % 5));
  for (int64_t i = 0; i < p.k * p.n; ++i) out.rhs.push_back(static_cast<double>(i % 7) - 3);
  return out;
}

std::multiset<std::string> numbers_in(const Scene& scene, const Rect& place) {
  std::multiset<std::string> out;
  for (const TextItem& text : scene.texts())
    if (place.contains(text.at) && is_mono(text.face)) out.insert(text.text);
  return out;
}

TEST(ProductView, WritesTheElementsAndTheSumsAsFarAsTheyAreMade) {
  const MatmulProblem problem{4, 4, 4, ElementType::f32, ElementType::f32};
  const SampleRun run("psum", "row=1,col=2", problem);
  const SmallFactors small = factors(problem);
  ViewInput input = run.input();
  input.factors = &small;
  const auto y_at = [&](Picoseconds time, int32_t device) {
    const Scene scene = layout_product(input, {1, {}, true}, at(time, device), canvas(1400, 900));
    const auto picture = picture_of_product(run.story(), array_multiplied(run.story(), {}, time));
    return numbers_in(scene, around(scene, picture->corner.array));
  };
  const auto sums = [&](int64_t from, int64_t to) {
    std::multiset<std::string> out;
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (int64_t k = from; k < to; ++k)
          sum += small.lhs[static_cast<size_t>(i * 4 + k)] * small.rhs[static_cast<size_t>(k * 4 + j)];
        out.insert(fmt::format("{:.0f}", sum));
      }
    return out;
  };
  EXPECT_TRUE(y_at(0, 0).empty());
  const Picoseconds multiplied = run.story().beats()[1].end;
  EXPECT_EQ(y_at(multiplied, 0), sums(0, 2)) << "what chip 0 has summed";
  EXPECT_EQ(y_at(multiplied, 1), sums(2, 4));
  EXPECT_EQ(y_at(run.story().beats().back().end, 0), sums(0, 4));
}

TEST(ProductView, IsWholeInFrontOfAClass) {
  for (const char* strategy : kStrategies) {
    const SampleRun run(strategy, "row=2,col=4");
    for (const Beat& beat : run.story().beats()) {
      const Scene scene =
          layout_product(run.input(), {}, at(beat.end), canvas(1280, 560, presented(light_theme(), 720)));
      expect_words_inside(scene);
      for (const TextItem& text : scene.texts()) EXPECT_GE(text.px, 22) << text.text;
    }
  }
}

}  // namespace
}  // namespace shardscope::product_view_test

// SPDX-License-Identifier: Apache-2.0
// The picture of a product writes the elements on request: a click on "numbers", and away again.
#include <QTest>
#include <algorithm>
#include <set>

#include "tests/app/window_fixture.h"

namespace shardscope::product_numbers_test {
namespace {

class ProductNumbersTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    Experiment small = *find_experiment("teaching");
    small.problem.m = small.problem.k = small.problem.n = 8;
    for (RunRequest& request : small.runs) request.problem.reset();
    window->bench().document().open(small);
    runAll();
    showRunOf("collective.os");
    window->docks().go("product");
    clock().setBeat(clock().beatCount());
    window->resize(1600, 1000);
    settle();
  }
  RunCanvas* product() { return window->canvas("product"); }
  // Digits of the picture, drawn with room for all.
  std::multiset<std::string> numbers() {
    std::multiset<std::string> out;
    const Scene scene = product()->sceneAt({1800, 1400, light_theme(), {}});
    for (const TextItem& text : scene.texts())
      if (is_mono(text.face)) out.insert(text.text);
    return out;
  }
  void clickNumbers() {
    const Scene& scene = product()->scene();
    for (const RectItem& item : scene.rects()) {
      if (item.id < 0 || scene.ids()[static_cast<size_t>(item.id)].lane != kNumbersHandle) continue;
      const Rect& box = item.rect;
      QTest::mouseClick(product(), Qt::LeftButton, Qt::NoModifier,
                        QPoint(static_cast<int>(box.x + box.w / 2), static_cast<int>(box.y + box.h / 2)));
      return settle();
    }
    FAIL() << "there is nothing to click";
  }
};

TEST_F(ProductNumbersTest, AClickWritesXWAndWhatIsSummedOfY) {
  EXPECT_TRUE(numbers().empty());
  clickNumbers();
  const SmallFactors of = *clock().shown()->factors;
  std::multiset<std::string> wanted;
  const auto add = [&](double value) { wanted.insert(std::to_string(static_cast<int64_t>(value))); };
  for (const double x : of.lhs) add(x);
  for (const double w : of.rhs) add(w);
  // At the end of a device's own product: its block of Y, and of the others what their devices have.
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 8; ++k) sum += of.lhs[i * 8 + k] * of.rhs[k * 8 + j];
      add(sum);
    }
  EXPECT_EQ(numbers(), wanted);
  clickNumbers();
  EXPECT_TRUE(numbers().empty());
}

}  // namespace
}  // namespace shardscope::product_numbers_test

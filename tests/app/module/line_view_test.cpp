// SPDX-License-Identifier: Apache-2.0
// Texts of any size: their lines and names, what is drawn and selected of them, and searching.
#include "app/window/text/line_view.h"

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

#include "app/window/text/find_bar.h"
#include "tests/app/module/big_module.h"
#include "tests/app/window_fixture.h"

namespace shardscope::line_view_test {
namespace {

constexpr const char* kText =
    "HloModule m\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  ROOT %s = f32[] "
    "add(%a, "
    "%a)\n}\n\nENTRY %main {\n  %a = f32[8] parameter(0), sharding={replicated}\n  ROOT %all = f32[8] "
    "all-reduce(f32[8] %a), to_apply=%sum, metadata={op_name=\"x\"}\n}\n";

IndexedTextPtr text_of(const std::string& text) {
  return std::make_shared<const IndexedText>(text);
}

TEST(IndexedTexts, FindTheLinesOfInstructionsAndComputations) {
  const IndexedText text(kText);
  EXPECT_EQ(text.lineCount(), 12);
  EXPECT_EQ(text.line(0), "HloModule m");
  EXPECT_EQ(text.line(11), "");
  EXPECT_EQ(text.line(99), "");
  EXPECT_EQ(text.lineOf("all"), 9);
  EXPECT_EQ(text.lineOf("a"), 3);  // of two the first
  EXPECT_EQ(text.lineOf("nowhere"), -1);
  EXPECT_EQ(text.openings(), (std::vector<int>{2, 7}));
  EXPECT_EQ(IndexedText("").lineCount(), 1);
  EXPECT_EQ(IndexedText("a\r\nb").line(0), "a");
}

TEST(IndexedTexts, AChangedLineLeavesTheRestAndComesBack) {
  const IndexedText text(kText);
  const IndexedText changed = text.withLine(8, "  %a = f32[8] parameter(0)");
  EXPECT_EQ(changed.line(8), "  %a = f32[8] parameter(0)");
  EXPECT_EQ(text.text(), kText);
  std::string expected = kText;
  const std::string gone = ", sharding={replicated}";
  expected.erase(expected.find(gone), gone.size());
  EXPECT_EQ(changed.text(), expected);
  EXPECT_EQ(changed.changed().size(), 1U);
  EXPECT_TRUE(changed.withLine(8, std::string(text.line(8))).changed().empty());
}

TEST(IndexedTexts, KnowWhatOpensAComputation) {
  EXPECT_EQ(computation_on("ENTRY %mlp (x: f32[16,32]) -> f32[16,32] {"), "mlp");
  EXPECT_EQ(computation_on("ENTRY main {"), "main");
  EXPECT_EQ(computation_on("%region_0.12 (a: f32[]) -> f32[] {"), "region_0.12");
  EXPECT_EQ(computation_on("  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {"), "main");
  EXPECT_EQ(computation_on("HloModule m, attributes={"), "");
  EXPECT_EQ(computation_on("module @jit_f attributes {mhlo.num_partitions = 8 : i32} {"), "");
  EXPECT_EQ(computation_on("  %x = f32[] add(%a, %b)"), "");
}

TEST(HloParts, StandOutOfALine) {
  const auto parts = [](std::string_view line) {
    std::vector<std::pair<std::string, HloPart>> out;
    for (const HloSpan& s : hlo_spans(line)) out.emplace_back(line.substr(s.begin, s.end - s.begin), s.part);
    return out;
  };
  using Parts = std::vector<std::pair<std::string, HloPart>>;
  EXPECT_EQ(parts("// said"), (Parts{{"// said", HloPart::muted}}));
  EXPECT_EQ(
      parts(
          "  %x = (f32[8]{0:T(8,128)}, f32[8]) all-gather-start(%p), sharding={replicated}, metadata={a=1}"),
      (Parts{{"all-gather-start", HloPart::collective},
             {"{replicated}", HloPart::sharding},
             {", metadata={a=1}", HloPart::muted}}));
  EXPECT_EQ(parts("  %0 = stablehlo.dot_general %a, %b : (tensor<8x8xf32>) -> tensor<8x8xf32>"),
            (Parts{{"stablehlo.dot_general", HloPart::product}}));
  EXPECT_EQ(parts("func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {"),
            (Parts{{"#sdy.sharding<@mesh, [{\"x\"}]>", HloPart::sharding}}));
  EXPECT_TRUE(parts("  %x = f32[8] add(%a, %b)").empty());
}

TEST(LongLines, AreDrawnOnlyAsFarAsAnybodyReads) {
  const std::string line = "  %c = f32[9] constant({" + std::string(size_t{3} << 20, '1') + "})";
  const DrawnLine drawn = drawn_line(line);
  EXPECT_LT(drawn.text.size(), static_cast<qsizetype>(DrawnLine::kMost) + 8);
  EXPECT_TRUE(drawn.text.endsWith("…"));
  const DrawnLine other = drawn_line("// Größe\n  sharding");
  ASSERT_EQ(other.spans.size(), 1U);
  EXPECT_EQ(other.spans[0].end, static_cast<size_t>(other.text.size()));
}

TEST(LongLines, AreDecodedAsFarAsTheyAreInSight) {
  const std::string line =
      "  %c = f32[9] all-gather({" + std::string(70'000, '1') + "}), sharding={replicated}";
  const DrawnLine begins = drawn_line(line, 4096), whole = drawn_line(line);
  EXPECT_EQ(begins.text, whole.text.left(4096));
  ASSERT_EQ(begins.spans.size(), 1U);
  EXPECT_EQ(begins.spans[0].begin, whole.spans[0].begin);
  EXPECT_EQ(whole.spans.size(), 2U);
  EXPECT_EQ(drawn_line("aaaä", 4).text, "aaa") << "a letter is not cut";

  LineView view("text"), other("text");
  for (LineView* each : {&view, &other}) {
    each->resize(600, 200);
    each->setText(text_of(line + "\nend"));
  }
  other.setSelection({0, 70'010}, {0, 70'010});  // read to its end first
  for (const int column : {0, 69'990}) {
    for (LineView* each : {&view, &other}) each->horizontalScrollBar()->setValue(column);
    EXPECT_EQ(view.grab().toImage(), other.grab().toImage()) << column;
  }
  view.show();
  QTest::keyClick(&view, Qt::Key_End);
  EXPECT_EQ(view.cursor().column, static_cast<int>(line.size()));
}

TEST(Finding, IsBlindToCapitalsAndStopsWhenAsked) {
  const IndexedText text(kText);
  EXPECT_EQ(find_all(text, "PARAMETER", {}), (std::vector<TextPlace>{{3, 13}, {8, 14}}));
  EXPECT_EQ(find_all(text, "%a", {}).size(), 6U);
  EXPECT_TRUE(find_all(text, "", {}).empty());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(find_all(text, "%a", stopped.get_token()).empty());
  EXPECT_EQ(find_all(IndexedText(std::string(300'000, 'a')), "a", {}).size(), kMostFound);
}

TEST(LineViews, SelectAndCopyLikeAnyText) {
  LineView view("text");
  view.resize(400, 200);
  view.show();
  view.setText(text_of(kText));
  QString chosen;
  QObject::connect(&view, &LineView::instructionChosen, [&](const QString& name) { chosen = name; });
  view.setSelection({8, 0}, {8, 0});
  QTest::keyClick(&view, Qt::Key_Down);
  EXPECT_EQ(chosen, "all");
  QTest::keyClick(&view, Qt::Key_Home);
  QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
  EXPECT_EQ(view.selectedText(), QString::fromStdString(std::string(view.text()->line(9))) + '\n');
  QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QApplication::clipboard()->text(), QString(kText));
  view.setSelection({9, 0}, {9, 0});
  QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
  EXPECT_EQ(view.cursor(), (TextPlace{11, 0}));
  QTest::mouseDClick(view.viewport(), Qt::LeftButton, {},
                     view.placeOf(view.visibleLines().first, 3).center());
  EXPECT_EQ(view.selectedText(), "HloModule");
}

TEST(LineViews, ScrollToTheEndOfHalfAMillionLines) {
  LineView view("text");
  view.resize(900, 600);
  view.show();
  view.setText(text_of(big_module(500'000)));
  EXPECT_EQ(view.text()->lineCount(), 500'001);
  const int last = view.text()->lineOf("x.499995");
  ASSERT_GT(last, 499'000);
  view.reveal(last);
  const auto [from, to] = view.visibleLines();
  EXPECT_LE(from, last);
  EXPECT_GE(to, last);
  EXPECT_EQ(view.instructionAt(last), "x.499995");
  const QImage drawn = view.grab().toImage();  // the lines in sight and no other
  EXPECT_FALSE(drawn.isNull());
}

}  // namespace
}  // namespace shardscope::line_view_test

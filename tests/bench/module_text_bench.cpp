// SPDX-License-Identifier: Apache-2.0
// A module of half a million lines in the window: reading its lines, a frame of it while it scrolls,
// searching it, and a frame with lines of 77 kB. Argument: lines.
#include <QApplication>
#include <QScrollBar>
#include <benchmark/benchmark.h>

#include "app/window/text/find_bar.h"
#include "app/window/text/line_view.h"
#include "tests/app/module/big_module.h"

namespace {

using namespace shardscope;

void read_lines(benchmark::State& state) {
  const std::string text = big_module(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(IndexedText(text).lineCount());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(read_lines)->Arg(500'000)->Unit(benchmark::kMillisecond);

void scroll(benchmark::State& state, const IndexedTextPtr& text, int by) {
  LineView view("text");
  view.setTheme(light_theme());
  view.resize(900, 900);
  view.setText(text);
  QImage image(view.size(), QImage::Format_RGB32);
  int top = 0;
  for (auto _ : state) {
    top = (top + by) % (view.verticalScrollBar()->maximum() + 1);
    view.verticalScrollBar()->setValue(top);
    view.render(&image);
  }
}
void scroll_half_a_million_lines(benchmark::State& state) {
  scroll(state, std::make_shared<const IndexedText>(big_module(static_cast<int>(state.range(0)))), 4999);
}
BENCHMARK(scroll_half_a_million_lines)->Arg(500'000)->Unit(benchmark::kMillisecond);

void scroll_lines_of_77_kB(benchmark::State& state) {
  std::string text;
  for (int line = 0; line < static_cast<int>(state.range(0)); ++line)
    text += "  %c." + std::to_string(line) + " = f32[9000] constant({" + std::string(77'000, '1') +
            "}), sharding={replicated}\n";
  scroll(state, std::make_shared<const IndexedText>(text), 57);
}
BENCHMARK(scroll_lines_of_77_kB)->Arg(500)->Unit(benchmark::kMillisecond);

void search(benchmark::State& state) {
  const IndexedText text(big_module(static_cast<int>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(find_all(text, "x.499995,", {}).size());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.bytes()));
}
BENCHMARK(search)->Arg(500'000)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/pictures.h"

#include <QGuiApplication>
#include <QLoggingCategory>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/numerics/check/error_growth.h"
#include "engine/report/run_difference.h"
#include "views/draw/paint.h"
#include "views/scene/compare/compare.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/now.h"

namespace shardscope {
namespace {

constexpr PictureSize kReportPicture{1400, 620};

std::string file_stem(const std::string& name) {
  std::string out;
  for (char c : name)
    out += std::isalnum(static_cast<unsigned char>(c))
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  return out;
}

}  // namespace

void start_offscreen_gui() {
  if (QGuiApplication::instance() != nullptr) return;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  // Without a session Qt warns about its runtime folder; stderr belongs to our own errors.
  QLoggingCategory::setFilterRules("*.warning=false");
  static int argc = 1;
  static char name[] = "shardscope";
  static char* argv[] = {name, nullptr};
  static QGuiApplication application(argc, argv);
}

Result<PictureSize> parse_picture_size(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() == 2) {
    const auto width = parse_int(parts[0]);
    const auto height = parse_int(parts[1]);
    const auto fits = [](int64_t side) { return side >= 64 && side <= 16384; };
    if (width && height && fits(*width) && fits(*height)) {
      return PictureSize{static_cast<float>(*width), static_cast<float>(*height)};
    }
  }
  return invalid(fmt::format("'{}' is no picture size", text), "--size",
                 "write it as in 1600x900, each side 64 to 16384");
}

Result<Scene> picture_of(const RunPtr& run, std::string_view view, PictureSize size,
                         const std::stop_token& stop) {
  start_offscreen_gui();
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const Result<Story> story = tell(run->program, run->timeline, stop);
  if (!story.ok() && story.error().kind == ErrorKind::cancelled) return story.error();
  const ViewInput input{*run, *trace, story.ok() ? &*story : nullptr};
  Selection selection;
  if (story.ok()) selection.time = story->moment_of(telling_beat(*story));
  Canvas canvas{size.width, size.height, light_theme(), measure_text};
  return layout_named(view, input, selection, canvas);
}

namespace {

// The best of them under each other on one time axis, and the bars of what they differ in; none: there are
// not two.
std::optional<Scene> side_by_side(const std::vector<RunPtr>& runs) {
  const std::vector<ToldRun> best = best_of(runs);
  const Result<RunDifference> difference = difference_of(best);
  if (!difference.ok()) return std::nullopt;
  start_offscreen_gui();
  std::vector<std::unique_ptr<TraceSource>> traces;
  std::vector<ViewInput> inputs;
  for (const ToldRun& told : best) {
    traces.push_back(memory_trace(told.run));
    inputs.push_back({*told.run, *traces.back(), told.story.get()});
  }
  CompareMarks marks;
  marks.cursor = -1;  // nobody points at a moment
  return layout_compare({inputs, *difference}, {}, marks,
                        {kReportPicture.width, kReportPicture.height, light_theme(), measure_text});
}

}  // namespace

Result<std::vector<std::pair<std::string, Scene>>> report_pictures(const Comparison& comparison,
                                                                   const std::stop_token& stop) {
  std::vector<std::pair<std::string, Scene>> out;
  const std::vector<RankedRun> ranking = rank(comparison.runs);
  if (ranking.empty()) return out;
  const RunPtr best = ranking.front().run;
  if (auto together = side_by_side(comparison.runs))
    out.emplace_back("the best runs on one time axis", *std::move(together));
  for (const char* view : {"timeline", "grid", "ring", "memory"}) {
    TRY(Scene scene, picture_of(best, view, kReportPicture, stop));
    out.emplace_back(fmt::format("{} of {}", view, best->strategy), std::move(scene));
  }
  if (ranking.size() > 1 && ranking[1].ranked) {
    TRY(Scene scene, picture_of(ranking[1].run, "timeline", kReportPicture, stop));
    out.emplace_back(fmt::format("timeline of {}", ranking[1].run->strategy), std::move(scene));
  }
  if (best->numerics.checked) {
    TRY(Scene scene, picture_of(best, "numerics", kReportPicture, stop));
    out.emplace_back(fmt::format("numerics of {}", best->strategy), std::move(scene));
  }
  if (needs_sparse_integers(best->problem)) {
    TRY(const auto ks, parse_growth_lengths("16..16384"));
    TRY(const ErrorGrowth growth, measure_error_growth(ks, best->experiment.seed, Workers(), stop));
    out.emplace_back("error growth", layout_error_growth(growth, {kReportPicture.width, kReportPicture.height,
                                                                  light_theme(), measure_text}));
  }
  return out;
}

Result<std::vector<NamedPicture>> as_svg(const std::vector<std::pair<std::string, Scene>>& pictures) {
  start_offscreen_gui();
  std::vector<NamedPicture> out;
  for (const auto& [name, scene] : pictures) out.push_back({name, to_svg(scene, name)});
  return out;
}

Result<std::string> write_report_folder(const Comparison& comparison, const std::string& folder,
                                        const std::stop_token& stop) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return io_error("cannot make the folder: " + problem.message(), folder);
  const auto path = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  TRY(const auto pictures, report_pictures(comparison, stop));
  TRY(const auto svgs, as_svg(pictures));
  TRY_VOID(write_output(compare_html(comparison, svgs), path("report.html")));
  TRY_VOID(write_output(compare_markdown(comparison), path("report.md")));
  TRY_VOID(write_output(compare_csv(comparison), path("runs.csv")));
  std::string written =
      fmt::format("written: {}, {}, {}\n", path("report.html"), path("report.md"), path("runs.csv"));
  for (const auto& [name, scene] : pictures) {
    TRY_VOID(write_picture(scene, path(file_stem(name) + ".svg")));
    TRY_VOID(write_picture(scene, path(file_stem(name) + ".png")));
    written += fmt::format("         {} (and .png)\n", path(file_stem(name) + ".svg"));
  }
  return written;
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "app/report/paper_figure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/document/make_report.h"
#include "views/draw/paint.h"
#include "views/draw/picture_name.h"
#include "views/scene/core/crop.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/run_views.h"
#include "views/scene/ring/ring_in_sight.h"
#include "views/scene/story/now.h"

namespace shardscope::inline app_report {
namespace {

constexpr double kPixelsPerMm = 5.26;  // text of 13 px is 7 points high on paper
constexpr float kMargin = 4;
constexpr float kMostHeight = 1400;
constexpr double kDotsPerMm = 300 / 25.4;

// Those that show a moment; the others show the whole run.
bool of_moment(std::string_view view) {
  return view == "grid" || view == "ring" || view == "product";
}

float height_of(std::string_view view, const ViewInput& input, const Canvas& canvas) {
  if (view == "timeline") {
    return std::clamp(timeline_content_height(input, {}, canvas), 160.0F, kMostHeight);
  }
  if (view == "links") return std::min(kMostHeight, 100 + 24.0F * static_cast<float>(input.trace.devices()));
  return std::max(300.0F, canvas.width * 0.55F);
}

Canvas canvas_of(std::string_view view, const ViewInput& input, float width) {
  Canvas canvas{width, 300, light_theme(), measure_text};
  canvas.height = height_of(view, input, canvas);
  return canvas;
}

// In lines as wide as the picture.
Scene caption_of(const std::string& text, float width) {
  Scene scene;
  Canvas canvas{width, 0, light_theme(), measure_text};
  constexpr float kLine = 17, kSize = 0.92F;
  const auto lines = wrapped_lines(text, canvas.theme.base_px * kSize, width - 2 * kMargin, canvas.measure);
  canvas.height = kLine * static_cast<float>(lines.size()) + kMargin;
  Pen pen(scene, canvas);
  float y = kLine / 2;
  for (const std::string& line : lines) {
    pen.text({kMargin, y}, line, {pen.theme.text, kSize});
    y += kLine;
  }
  return scene;
}

Scene with_margin(const Scene& scene, float width) {
  Rect content = content_of(scene, measure_text);
  if (content.w <= 0) content = {0, 0, scene.width, scene.height};
  // As wide as the column, so that pictures of one width have text of one size.
  return part_of(scene, {0, content.y - kMargin, width, content.h + 2 * kMargin});
}

}  // namespace

std::string moment_words(const ViewInput& input, const Selection& selection) {
  return fmt::format("at {}, {}", format_picoseconds(selection.time),
                     sentence_now(input, selection, SentenceLevel::idea));
}

float whole_ring_width(const ViewInput& input, float width, float height_part) {
  for (const float times : {1.0F, 1.2F, 1.45F, 1.75F, 2.1F, 2.5F, 3.0F}) {
    const float wide = width * times;
    const Canvas canvas{wide, std::max(300.0F, wide * height_part), light_theme(), measure_text};
    if (ring_in_sight(input, {}, canvas)) return wide;
  }
  return width;
}

Result<double> parse_paper_width(const std::string& text) {
  std::string number(trim(text));
  if (number.ends_with("mm")) number.resize(number.size() - 2);
  const auto width = parse_double(trim(number));
  if (width && *width >= 20 && *width <= 400) return *width;
  return invalid(fmt::format("'{}' is not a width of a figure", text), "--width",
                 "write it as in 85mm or 178mm, 20 to 400");
}

Result<int32_t> shown_beat(const Story& story, const std::optional<int32_t>& asked) {
  if (!asked) return telling_beat(story);
  const auto last = static_cast<int32_t>(story.beats().size()) - 1;
  if (*asked >= 0 && *asked <= last) return *asked;
  return invalid(fmt::format("there is no step {}", *asked), "--beat",
                 fmt::format("say 0 to {}", std::max(0, last)));
}

Result<Scene> paper_figure(const RunPtr& run, std::string_view view, const PaperFigure& figure,
                           const std::stop_token& stop) {
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const Result<Story> story = tell(run->program, run->timeline, stop);
  if (!story.ok() && (story.error().kind == ErrorKind::cancelled || figure.beat)) return story.error();
  ViewInput input{*run, *trace, story.ok() ? &*story : nullptr};
  TRY(const RunSums sums, sum_run(*run, input.story, stop));
  input.sums = &sums;
  Selection selection;
  selection.time = -1;
  std::string moment = fmt::format("the whole run, {}", format_picoseconds(run->timeline.total));
  if (story.ok() && of_moment(view)) {
    TRY(const int32_t beat, shown_beat(*story, figure.beat));
    selection.time = story->moment_of(beat);
    moment = moment_words(input, selection);
  }
  float width = static_cast<float>(std::round(figure.width_mm * kPixelsPerMm));
  if (view == "ring") width = whole_ring_width(input, width, 0.55F);
  const Canvas canvas = canvas_of(view, input, width);
  TRY(const Scene drawn, layout_named(view, input, selection, canvas));
  const auto row = std::ranges::find_if(run_views(), [&](const RunView& v) { return view == v.id; });
  const std::string caption = fmt::format("{} of {} on {}, {}: {}.", row->title, run_name(*run),
                                          run->mesh.text(), run->hardware.name, moment);
  return stacked({with_margin(drawn, canvas.width), caption_of(caption, canvas.width)});
}

Result<std::string> paper_bytes(const Scene& scene, double width_mm, const std::string& path,
                                const std::string& date) {
  const std::string title = scene.texts().empty() ? "" : scene.texts().front().text;
  TRY(const PictureFormat format, picture_format_of(path));
  if (format == PictureFormat::svg) return to_paper_svg(scene, width_mm, title);
  if (format == PictureFormat::pdf) return to_pdf(scene, date, width_mm);
  return to_png(scene, width_mm * kDotsPerMm / scene.width, path, kDotsPerMm);
}

}  // namespace shardscope::inline app_report

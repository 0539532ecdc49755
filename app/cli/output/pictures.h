// SPDX-License-Identifier: Apache-2.0
// Pictures of finished runs, without a display: Qt Gui on its offscreen platform.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/report.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// Makes the process's QGuiApplication when there is none; every function here calls it.
void start_offscreen_gui();

struct PictureSize {
  float width = 1600;
  float height = 900;
};
// "1600x900", each side 64 to 16384.
Result<PictureSize> parse_picture_size(const std::string& text);

// One view of a run, laid out on white. The step shown is the one in the middle of the run. Told to stop: an
// error, cancelled; so everything here that draws runs.
Result<Scene> picture_of(const RunPtr& run, std::string_view view, PictureSize size,
                         const std::stop_token& stop);
// Timeline, ring, grid, memory and numerics of the best run, the timeline of its nearest rival, and for
// 16-bit types how the error of sums grows.
Result<std::vector<std::pair<std::string, Scene>>> report_pictures(const Comparison& comparison,
                                                                   const std::stop_token& stop);
Result<std::vector<NamedPicture>> as_svg(const std::vector<std::pair<std::string, Scene>>& pictures);

// report.html, report.md, runs.csv and the pictures as SVG and PNG; the folder is made. Gives what was
// written.
Result<std::string> write_report_folder(const Comparison& comparison, const std::string& folder,
                                        const std::stop_token& stop);
Result<void> write_pdf_report(const Comparison& comparison, const std::string& path,
                              const std::stop_token& stop);

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
// Pictures of finished runs, without a display: Qt Gui on its offscreen platform.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/document/audience.h"
#include "engine/report/report.h"
#include "engine/study/crossover.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline cli {

// Makes the process's QGuiApplication when there is none; every function here calls it. Nothing in a program
// that is built without the window.
void start_offscreen_gui();

struct PictureSize {
  float width = 1600;
  float height = 900;
};
// "1600x900", each side 64 to 16384.
Result<PictureSize> parse_picture_size(const std::string& text);

struct ReportTo {
  std::string path, format;
  std::string command;      // that makes it
  std::string csv_command;  // that prints its table as CSV
  Audience audience = Audience::engineer;
};
// Whether a report can be written there, before anything runs.
Result<void> check_report(const std::string& path);
std::string written_words(const std::vector<std::string>& files);  // "written: a, b, c"

// One view of a run, laid out on white. Shown is a beat, or the one that tells most. Told to stop: an
// error, cancelled; so everything here that draws runs.
Result<Scene> picture_of(const RunPtr& run, std::string_view view, PictureSize size,
                         std::optional<int32_t> beat, const std::stop_token& stop);
// A comparison as a report, by the ending of `path` (or as `format`, when that is not empty) into one file
// and, of formats that have their pictures beside them, those; to stdout without a path. With a folder for a
// path every format is written there. Gives the names of the files.
Result<std::vector<std::string>> write_report(Comparison comparison, const ReportTo& to,
                                              const std::stop_token& stop);
Result<std::vector<std::string>> write_report(const CrossoverTable& table, const ReportTo& to,
                                              const std::stop_token& stop);

}  // namespace shardscope::inline cli

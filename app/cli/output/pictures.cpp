// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/pictures.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "app/cli/output/output.h"
#include "app/report/made_now.h"
#include "app/report/paper_figure.h"
#include "app/report/report_files.h"
#include "engine/base/text.h"
#include "views/draw/paint.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline cli {
namespace {

bool is_folder(const std::string& path) {
  return std::filesystem::path(path).extension().empty();
}

Result<void> write_files(const std::vector<ReportFile>& files, const std::filesystem::path& folder,
                         std::vector<std::string>& written) {
  for (const ReportFile& file : files) {
    const std::filesystem::path path = folder / file.name;
    if (path.has_parent_path()) {
      std::error_code problem;
      std::filesystem::create_directories(path.parent_path(), problem);
      if (problem)
        return io_error("cannot make the folder: " + problem.message(), path.parent_path().string());
    }
    TRY_VOID(write_output(file.bytes, path.string()));
    written.push_back(path.string());
  }
  return {};
}

// The name of the report of a format in a folder: the table alone is no report.
std::string name_in_folder(const std::string& format) {
  return format == "csv" ? "runs.csv" : "report." + format;
}

}  // namespace

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
  return invalid(fmt::format("'{}' is not a picture size", text), "--size",
                 "write it as in 1600x900, each side 64 to 16384");
}

Result<Scene> picture_of(const RunPtr& run, std::string_view view, PictureSize size,
                         std::optional<int32_t> beat, const std::stop_token& stop) {
  start_offscreen_gui();
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const Result<Story> story = tell(run->program, run->timeline, stop);
  if (!story.ok() && story.error().kind == ErrorKind::cancelled) return story.error();
  ViewInput input{*run, *trace, story.ok() ? &*story : nullptr};
  TRY(const RunSums sums, sum_run(*run, input.story, stop));
  input.sums = &sums;
  Selection selection;
  if (!story.ok() && beat) return story.error();
  if (story.ok()) {
    TRY(const int32_t shown, shown_beat(*story, beat));
    selection.time = story->moment_of(shown);
  }
  Canvas canvas{size.width, size.height, light_theme(), measure_text};
  return layout_named(view, input, selection, canvas);
}

Result<void> check_report(const std::string& path) {
  if (is_folder(path)) return {};
  const Result<std::string> format = report_format_of(path);
  return format.ok() ? Result<void>() : Result<void>(format.error());
}

std::string written_words(const std::vector<std::string>& files) {
  constexpr size_t kMost = 8;
  std::string out = "written: ";
  for (size_t i = 0; i < files.size() && i < kMost; ++i) out += (i > 0 ? ", " : "") + files[i];
  if (files.size() > kMost) out += fmt::format(" and {} more", files.size() - kMost);
  return out + "\n";
}

static Result<std::vector<std::string>> write_finished(const FinishedReport& finished, const ReportTo& to,
                                                       const std::stop_token& stop) {
  std::vector<std::string> written;
  if (to.format.empty() && !to.path.empty() && is_folder(to.path)) {
    for (const std::string& format : report_format_ids()) {
      TRY(const auto files, report_files(finished, format, name_in_folder(format), stop));
      TRY_VOID(write_files(files, to.path, written));
    }
    return written;
  }
  std::string format = to.format;
  if (format.empty()) {
    TRY(format, report_format_of(to.path));
  }
  const std::filesystem::path path(to.path);
  TRY(const auto files, report_files(finished, format, path.filename().string(), stop));
  if (to.path.empty() || to.path == "-") {
    TRY_VOID(write_output(files.front().bytes, ""));
    return written;
  }
  TRY_VOID(write_files(files, path.parent_path(), written));
  return written;
}

Result<std::vector<std::string>> write_report(Comparison comparison, const ReportTo& to,
                                              const std::stop_token& stop) {
  start_offscreen_gui();
  HowMade made = made_now(comparison.runs, to.command, to.csv_command);
  TRY(const FinishedReport finished,
      finish_report(std::move(comparison), std::move(made), stop, extent_for(to.audience)));
  return write_finished(finished, to, stop);
}

Result<std::vector<std::string>> write_report(const CrossoverTable& table, const ReportTo& to,
                                              const std::stop_token& stop) {
  start_offscreen_gui();
  return write_finished(finish_report(table, made_now({}, to.command, to.csv_command)), to, stop);
}

}  // namespace shardscope::inline cli

// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/export.h"

#include <filesystem>

#include "app/report/made_now.h"
#include "app/report/report_files.h"
#include "app/window/document/language.h"
#include "app/window/settings/save_text.h"
#include "views/draw/paint.h"

namespace shardscope::inline window {

Result<void> export_picture(const CanvasView& canvas, const QString& path) {
  return write_picture(canvas.scene(), path.toStdString(), 2);
}

namespace {

Result<void> export_bytes(const QByteArray& bytes, const QString& path) {
  return save_text(path, {bytes.data(), static_cast<size_t>(bytes.size())});
}

// The folder of a new report's pictures that has some of their names; empty: nothing there is replaced
// unasked.
std::filesystem::path pictures_there(const std::filesystem::path& report,
                                     const std::vector<ReportFile>& files) {
  std::error_code none;
  if (std::filesystem::exists(report, none)) return {};
  for (const ReportFile& part : files) {
    const std::filesystem::path place = report.parent_path() / part.name;
    if (std::filesystem::exists(place, none)) return place.parent_path();
  }
  return {};
}

}  // namespace

Result<void> export_text(const QString& text, const QString& path) {
  return export_bytes(text.toUtf8(), path);
}

Result<void> export_report(const Comparison& comparison, const QString& path, const std::string& db,
                           const std::function<bool(const QString& folder)>& may_replace,
                           const ReportExtent& extent) {
  const std::string name = path.toStdString();
  TRY(const std::string format, report_format_of(name));
  const std::string command = csv_command(db, comparison.runs);
  TRY(const FinishedReport finished,
      finish_report(comparison, made_now(comparison.runs, command, command), {}, extent));
  const std::filesystem::path file(name);
  TRY(const auto files, report_files(finished, format, file.filename().string(), {}));
  const std::filesystem::path pictures = pictures_there(file, files);
  if (!pictures.empty() && !may_replace(QString::fromStdString(pictures.string()))) return cancelled();
  // What refers to the others last: where one of them cannot be written it stays as it was.
  for (auto part = files.rbegin(); part != files.rend(); ++part) {
    const std::filesystem::path place = file.parent_path() / part->name;
    std::error_code problem;
    std::filesystem::create_directories(place.parent_path(), problem);
    TRY_VOID(export_bytes(QByteArray::fromStdString(part->bytes), QString::fromStdString(place.string())));
  }
  return {};
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/report/report_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "app/report/pdf_report.h"
#include "app/report/report_figures.h"
#include "app/report/report_players.h"
#include "engine/base/text.h"
#include "engine/report/crossover_report.h"
#include "engine/report/document/writers.h"
#include "engine/report/residual/residual.h"
#include "engine/report/verdict.h"
#include "engine/session/what_if.h"
#include "views/draw/paint.h"

namespace shardscope::inline app_report {
namespace {

using Files = std::vector<ReportFile>;

std::vector<std::string> as_svg(const FinishedReport& finished) {
  std::vector<std::string> out(finished.pictures.size());
  for (const auto& [section, figure] : finished.parts.figures)
    out[figure.picture] = to_svg(finished.pictures[figure.picture], figure.title);
  return out;
}

// "report-figures/timelines-1.pdf", and their files.
template <class Draw>
Result<std::vector<std::string>> beside(const FinishedReport& finished, const std::string& name,
                                        const char* ending, Files& files, Draw draw) {
  std::vector<std::string> names(finished.pictures.size());
  if (name.empty() || name == "-") return names;
  const std::string folder = std::filesystem::path(name).stem().string() + "-figures";
  for (const auto& [section, figure] : finished.parts.figures) {
    names[figure.picture] = folder + "/" + figure.id + ending;
    TRY(std::string bytes, draw(finished.pictures[figure.picture]));
    files.push_back({names[figure.picture], std::move(bytes)});
  }
  return names;
}

Result<Files> html_files(const FinishedReport& finished, const std::string& name,
                         const std::stop_token& stop) {
  PagePlayers players;
  if (!finished.parts.extent.leaves_out("moment")) {
    TRY(players, report_players(finished.comparison, stop));
  }
  std::vector<std::string> pictures = as_svg(finished);
  // A still picture says nothing beside the one that plays.
  if (!players.figures.empty())
    for (const auto& [section, figure] : finished.parts.figures)
      if (section == players.figures.front().first) pictures[figure.picture].clear();
  return Files{{name, report_html(finished.report, pictures, players)}};
}

Result<Files> pdf_files(const FinishedReport& finished, const std::string& name, const std::stop_token&) {
  TRY(std::string bytes, report_pdf(finished.report, finished.pictures, finished.parts.made.date));
  return Files{{name, std::move(bytes)}};
}

Result<Files> markdown_files(const FinishedReport& finished, const std::string& name,
                             const std::stop_token&) {
  Files out(1);
  TRY(const auto names, beside(finished, name, ".svg", out,
                               [](const Scene& scene) -> Result<std::string> { return to_svg(scene); }));
  out.front() = {name, report_markdown(finished.report, names)};
  return out;
}

Result<Files> latex_files(const FinishedReport& finished, const std::string& name, const std::stop_token&) {
  Files out(1);
  const std::string& date = finished.parts.made.date;
  TRY(const auto names,
      beside(finished, name, ".pdf", out, [&](const Scene& scene) { return to_pdf(scene, date); }));
  out.front() = {name, report_latex(finished.report, names)};
  return out;
}

Result<Files> csv_files(const FinishedReport& finished, const std::string& name, const std::stop_token&) {
  return Files{{name, finished.crossovers            ? crossover_csv(*finished.crossovers)
                      : finished.comparison.measured ? residual_csv(finished.comparison.measured->residual)
                                                     : compare_csv(finished.comparison)}};
}

Result<Files> json_files(const FinishedReport& finished, const std::string& name, const std::stop_token&) {
  return Files{{name, finished.crossovers ? crossover_json(*finished.crossovers)
                                          : report_json(finished.comparison, finished.parts)}};
}

struct Writer {
  ReportFormat format;
  Result<Files> (*write)(const FinishedReport& finished, const std::string& name,
                         const std::stop_token& stop);
  PictureFormat draws = PictureFormat::svg;
};
constexpr std::array kWriters{
    Writer{{"html", "HTML"}, html_files},       Writer{{"pdf", "PDF"}, pdf_files, PictureFormat::pdf},
    Writer{{"md", "Markdown"}, markdown_files}, Writer{{"tex", "LaTeX"}, latex_files, PictureFormat::pdf},
    Writer{{"csv", "CSV"}, csv_files},          Writer{{"json", "JSON"}, json_files}};

const Writer* find_writer(const std::string& format) {
  const auto found = std::ranges::find_if(kWriters, [&](const Writer& w) { return w.format.id == format; });
  return found == kWriters.end() ? nullptr : &*found;
}

// What would help the winner; nothing where it cannot be timed again.
std::vector<RunWorth> worth_of(const Comparison& comparison, const std::stop_token& stop) {
  const RunPtr winner = judge(comparison.runs).winner;
  if (!winner || winner->untimed) return {};
  const Result<WhatIfBase> base = WhatIfBase::make(winner, stop);
  if (!base.ok()) return {};
  Result<std::vector<Sensitivity>> rows = base->sensitivities({}, stop);
  if (!rows.ok()) return {};
  return {{winner, *std::move(rows)}};
}

}  // namespace

std::span<const ReportFormat> report_formats() {
  static const std::vector<ReportFormat> kFormats = [] {
    std::vector<ReportFormat> out;
    out.reserve(kWriters.size());
    for (const Writer& writer : kWriters)
      if (can_draw(writer.draws, "").ok()) out.push_back(writer.format);
    return out;
  }();
  return kFormats;
}

std::vector<std::string> report_format_ids() {
  std::vector<std::string> out;
  for (const ReportFormat& format : report_formats()) out.emplace_back(format.id);
  return out;
}

Result<std::string> report_format_of(const std::string& path) {
  const std::string ending = small_letters(std::filesystem::path(path).extension().string());
  if (ending.empty()) return std::string("md");
  if (const Writer* writer = find_writer(ending.substr(1))) {
    TRY_VOID(can_draw(writer->draws, path));
    return ending.substr(1);
  }
  return invalid(fmt::format("no report ends in {}", ending), path,
                 "name it ." + join(report_format_ids(), ", ."));
}

Result<FinishedReport> finish_report(Comparison comparison, HowMade made, const std::stop_token& stop,
                                     ReportExtent extent) {
  FinishedReport out;
  out.parts.made = std::move(made);
  out.parts.extent = std::move(extent);
  const auto is_left_out = [&](const std::string& section) { return out.parts.extent.leaves_out(section); };
  if (!is_left_out("sensitivity")) out.parts.worth = worth_of(comparison, stop);
  if (stop.stop_requested()) return cancelled();
  TRY(ReportPictures pictures, report_figures(comparison, out.parts.worth, stop));
  std::erase_if(pictures.figures, [&](const SectionFigure& figure) { return is_left_out(figure.section); });
  out.parts.figures = std::move(pictures.figures);
  out.pictures = std::move(pictures.scenes);
  out.report = make_report(comparison, out.parts);
  out.comparison = std::move(comparison);
  return out;
}

FinishedReport finish_report(const CrossoverTable& table, HowMade made) {
  FinishedReport out;
  out.crossovers = table;
  out.parts.made = std::move(made);
  ReportPictures pictures;
  pictures.add("where", {"times", "Time of each strategy", "who is fastest where; below, who wins.", 0},
               layout_crossover(table, {}, {1000, 520, light_theme(), measure_text}));
  out.parts.figures = std::move(pictures.figures);
  out.pictures = std::move(pictures.scenes);
  out.report = make_report(table, out.parts);
  return out;
}

Result<Files> report_files(const FinishedReport& finished, const std::string& format, const std::string& name,
                           const std::stop_token& stop) {
  const Writer* writer = find_writer(format);
  if (writer == nullptr)
    return invalid("got " + format, "--format", "use one of " + join(report_format_ids(), ", "));
  TRY_VOID(can_draw(writer->draws, name));
  return writer->write(finished, name, stop);
}

}  // namespace shardscope::inline app_report

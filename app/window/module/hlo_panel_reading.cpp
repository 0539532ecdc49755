// SPDX-License-Identifier: Apache-2.0
// The HLO dock's work: reading the text beside the GUI thread, edits of shardings, executing the module.
#include <QStyle>
#include <QTextBlock>
#include <QTextDocument>
#include <algorithm>

#include "app/window/module/hlo_panel.h"
#include "engine/base/text.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope {
namespace {

// The line and column at the end of "file:7:3"; 0 where there is none.
std::pair<int, int> place_in_text(const std::string& where) {
  const std::vector<std::string> parts = split(where, ':');
  if (parts.size() < 3) return {0, 0};
  const auto line = parse_int(parts[parts.size() - 2]), column = parse_int(parts.back());
  return line && column ? std::pair{static_cast<int>(*line), static_cast<int>(*column)} : std::pair{0, 0};
}

}  // namespace

void HloPanel::forget() {
  pause_.stop();
  reading_work_.cancel();
  running_work_.cancel();
  if (reads_ || runs_) job_->end("");
  reads_ = runs_ = run_when_read_ = false;
  reading_.reset();
  run_id_.reset();
  read_text_.clear();
  made_->clear();
  tables_->setModule(nullptr);
  summary_->clear();
  problem_->hide();
  source_->setProblem(0, 0, "");
  choose({});
}

void HloPanel::readSoon() {
  if (source_->toPlainText() != read_text_) pause_.start();
}

void HloPanel::readNow() {
  pause_.stop();
  read_text_ = source_->toPlainText();
  if (read_text_.trimmed().isEmpty()) {
    if (reading_) forget();
    return;
  }
  reads_ = true;
  patience_.start();
  using Read = Result<std::shared_ptr<const Reading>>;
  const auto work = [text = read_text_.toStdString(),
                     name = name_.isEmpty() ? "typed.hlo" : name_.toStdString(),
                     options = options_->options()](std::stop_token stop) -> Read {
    auto out = std::make_shared<Reading>();
    TRY(out->explained, explain_module(text, name, options, stop));
    if (const Program* program = out->explained.program())
      out->made = QString::fromStdString(print_program(*program));
    return std::shared_ptr<const Reading>(std::move(out));
  };
  reading_work_.start(work, [this](const Read& read) {
    reads_ = false;
    patience_.stop();
    if (job_->busy() && !runs_) job_->end("");
    if (read.ok())
      showReading(*read);
    else
      showProblem(read.error(), true);
    if (std::exchange(run_when_read_, false)) {
      if (read.ok())
        execute();
      else if (job_->busy())
        job_->end("");
    }
  });
}

void HloPanel::showProblem(const Error& error, bool in_text) {
  problem_->setProperty("role", "warning");
  problem_->style()->polish(problem_);
  problem_->setText(QString::fromStdString(error.text()));
  problem_->show();
  if (!in_text) return;
  auto [line, column] = place_in_text(error.where);
  constexpr std::string_view kInstruction = "instruction ";
  if (line == 0 && error.where.starts_with(kInstruction)) {
    line = source_->lineOf(QString::fromStdString(error.where.substr(kInstruction.size()))) + 1;
    column = 1;
  }
  source_->setProblem(line, column, problem_->text());
}

void HloPanel::showReading(std::shared_ptr<const Reading> reading) {
  std::optional<HloSummary> before;
  if (reading_ && reading_->explained.program() != nullptr) before = summary_of(reading_->explained);
  reading_ = std::move(reading);
  run_id_.reset();
  const ExplainedModule& explained = reading_->explained;
  problem_->hide();
  source_->setProblem(0, 0, "");
  if (explained.failure) {
    showProblem(*explained.failure, true);
  } else if (explained.cut) {
    problem_->setProperty("role", "muted");
    problem_->style()->polish(problem_);
    problem_->setText("Read up to its end: " + QString::fromStdString(explained.cut->text()));
    problem_->show();
  }
  if (reading_->made != made_->toPlainText()) made_->setPlainText(reading_->made);
  tables_->setModule(&explained);
  summary_->setText(explained.program() == nullptr ? QString() : summary_text(summary_of(explained), before));
  summary_->setToolTip(Qt::convertFromPlainText(
      summary_->text() +
      "\n\nCollectives of the program, what a device sends in all of them (the mean over devices), the most "
      "bytes alive at once on a device, simulated time; before and after the last edit"));
  Chosen again = chosen_;
  chosen_ = {};
  if (again.collective >= 0 && again.collective < static_cast<int>(explained.collectives.size()) &&
      again.shown.isEmpty())
    return chooseCollective(again.collective);
  if (!again.shown.isEmpty() && explained.find(again.shown.toStdString()) != nullptr)
    return chooseSource(again.shown);
  if (!explained.collectives.empty()) return chooseCollective(0);
  choose({});
}

bool HloPanel::setSharding(const QString& instruction, const QString& text) {
  const int line = source_->lineOf(instruction);
  const Instruction* i = reading_ ? reading_->explained.find(instruction.toStdString()) : nullptr;
  if (line < 0 || i == nullptr) {
    sharding_->refuse("the module has to be read first: see the problem above");
    return false;
  }
  const Program* program = reading_->explained.program();
  const Mesh& mesh = program != nullptr ? program->mesh : reading_->explained.module.mesh;
  const auto typed = typed_sharding(text.toStdString(), mesh, i->shape);
  if (!typed.ok()) {
    sharding_->refuse(QString::fromStdString(typed.error().text()));
    return false;
  }
  sharding_->refuse("");
  const std::string before = source_->document()->findBlockByNumber(line).text().toStdString();
  const std::string after = with_sharding(before, *typed);
  if (after == before) return true;
  chosen_.shown = instruction;
  source_->replaceLine(line, QString::fromStdString(after));
  readNow();
  return true;
}

void HloPanel::run() {
  if (runs_) return;
  if (source_->toPlainText().trimmed().isEmpty()) openPreset("mlp");
  if (pause_.isActive()) readNow();
  if (!reads_) return execute();
  run_when_read_ = true;
  job_->begin();
}

void HloPanel::execute() {
  if (!reading_ || reading_->explained.program() == nullptr) {
    if (job_->busy()) job_->end("");
    return;
  }
  runs_ = true;
  job_->begin();
  ModuleRunOptions options;
  const ExplainOptions asked = options_->options();
  options.partition = asked.partition;
  options.hardware = asked.hardware;
  options.workspace = bench_.workspace();
  running_work_.startReporting(
      [this, reading = reading_, options](std::stop_token stop, auto post) mutable {
        options.progress = [this, post](const Progress& p) {
          post([this, what = QString::fromStdString(p.what), fraction = p.fraction] {
            job_->setProgress(what, fraction);
          });
        };
        return execute_module(reading->explained.module, options, stop);
      },
      [this, of = reading_, workspace = bench_.workspace()](const Result<ModuleRun>& ran) {
        runs_ = false;
        if (!ran.ok()) return job_->end(QString::fromStdString(ran.error().text()), true);
        const NumericsReport& numerics = ran->run->numerics;
        const bool wrong = numerics.checked && !numerics.allclose;
        if (const std::optional<Error>& untimed = ran->run->untimed)
          return job_->end(
              tr("%1; not timed: %2").arg(proof_text(*ran->run), QString::fromStdString(untimed->text())),
              wrong);
        job_->end(proof_text(*ran->run), wrong);
        if (bench_.workspace() != workspace) return;  // another one was opened: the run is in the old one
        if (reading_ == of) run_id_ = ran->run->id;
        bench_.adopt(ran->run);
      });
}

}  // namespace shardscope

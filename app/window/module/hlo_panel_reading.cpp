// SPDX-License-Identifier: Apache-2.0
// The HLO dock's work: reading the text after each edit, edits of shardings, executing the module.
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/module/hlo_panel.h"
#include "app/window/module/hlo_sharding_line.h"
#include "engine/base/text.h"

namespace shardscope::inline window {
namespace {

// "dot.7" of "%2 (dot.7)".
std::string hlo_name(const std::string& display_name) {
  const size_t open = display_name.find(" (");
  if (open == std::string::npos || !display_name.ends_with(')')) return display_name;
  return display_name.substr(open + 2, display_name.size() - open - 3);
}

// The line and column at the end of "file:7:3", or those of the instruction that is named; 0: in no line.
std::pair<int, int> place_in_text(const std::string& where, const InstructionLines& view) {
  constexpr std::string_view kInstruction = "instruction ";
  if (where.starts_with(kInstruction))
    return {view.lineOf(QString::fromStdString(hlo_name(where.substr(kInstruction.size())))) + 1, 1};
  const std::vector<std::string> parts = split(where, ':');
  if (parts.size() < 3) return {0, 0};
  const auto line = parse_int(parts[parts.size() - 2]), column = parse_int(parts.back());
  return line && column ? std::pair{static_cast<int>(*line), static_cast<int>(*column)} : std::pair{0, 0};
}

void mark_problem(InstructionLines& view, const Error* error) {
  if (error == nullptr) return view.setProblem(0, 0, "");
  const auto [line, column] = place_in_text(error->where, view);
  view.setProblem(line, column, QString::fromStdString(error->text()));
}

void tell_proof(const HloProved& proved, JobBar& job) {
  if (!proved.ran.ok()) return job.end(in_window(proved.ran.error()), true);
  const Run& run = *proved.ran->run;
  QString text = proof_text(run);
  if (run.untimed) text = "%1; not timed: %2"_tr.arg(text, in_window(*run.untimed));
  job.end(text, run.numerics.checked && !run.numerics.allclose);
}

void connect_progress(HloReader& reader, const HloProof& proof, JobBar& job) {
  QObject::connect(&reader, &HloReader::takesLong, &job, [&proof, &job] {
    if (proof.busy()) return;
    job.begin();
    job.setProgress("partitioning"_tr, 0);
  });
  QObject::connect(&reader, &HloReader::progress, &job, [&proof, &job](const QString& what, double fraction) {
    if (job.busy() && !proof.busy()) job.setProgress(what, fraction);
  });
}

// What was proved is of no other module and of no other text.
void forget_proof(HloStatus& status, HloCheck& check, const HloProof& proof, Workbench& bench) {
  check.cancel();
  status.setProof("", false);
  if (!proof.busy()) status.job()->end("");
  bench.presenter(Subject::module).forget();
}

// A run that proved the module before: it is told as it was when it has been read.
void connect_restored(Workbench& bench, std::optional<ShownState>& restoring, JobBar& job) {
  QObject::connect(&bench.presenter(Subject::module), &RunPresenter::refused, &job,
                   [&restoring] { restoring.reset(); });
  QObject::connect(&bench.clock(), &Clock::runChanged, &job, [&clock = bench.clock(), &restoring, &job] {
    const ShownRunPtr& shown = clock.of(Subject::module).run;
    if (!restoring || !shown || shown->telling) return;
    restoring.reset();
    job.end(proof_text(*shown->run), shown->run->numerics.checked && !shown->run->numerics.allclose);
  });
}

// The proof behind the answer, of what is read now.
void connect_check(HloCheck& check, HloStatus& status, const HloReadingPtr& reading) {
  const auto finished = [&status, &reading](const HloReadingPtr& of, const Result<ModuleNumbers>& proof) {
    if (of != reading) return;
    if (!proof.ok()) return status.setProof("Not proved: "_tr + in_window(proof.error()), false);
    const NumericsReport& n = proof->report;
    status.setProof(numbers_text(n, of->explained.partitioned()->program->mesh.device_count()),
                    n.checked && !n.allclose);
  };
  QObject::connect(&check, &HloCheck::finished, &status, finished);
  QObject::connect(&status, &HloStatus::provingCancelled, &check, [&check, &status] {
    check.cancel();
    status.setProof("Not proved: cancelled"_tr, false);
  });
}

}  // namespace

void HloPanel::connectWork() {
  connect_check(check_, *status_, reading_);
  connect_progress(reader_, proof_, *job());
  connect(&edits_, &HloEdits::changed, this, &HloPanel::read);
  connect(&edits_, &HloEdits::changed, this, &HloPanel::stateChanged);
  connect(&file_, &HloFile::changed, this, &HloPanel::stateChanged);
  connect(&file_, &HloFile::replacing, this, &HloPanel::forget);
  connect(&file_, &HloFile::failed, this, [this](const Error& error) {
    run_when_read_ = false;
    job()->end("");
    status_->setProblem(error);
  });
  connect(&file_, &HloFile::takesLong, this, [this](const QString& name) {
    job()->begin();
    job()->setProgress("reading %1"_tr.arg(name), 0);
  });
  connect(&reader_, &HloReader::finished, this, [this](const Result<HloReadingPtr>& read) {
    if (job()->busy() && !proof_.busy()) job()->end("");
    const bool runs = std::exchange(run_when_read_, false);
    forget_proof(*status_, check_, proof_, bench_);
    if (!read.ok()) {
      status_->setProblem(read.error());
      return mark_problem(texts_->lines(), &read.error());
    }
    HloReadingPtr before = std::exchange(reading_, *read);
    status_->setReading(reading_->explained);
    selector_.setReading(reading_);
    reader_.letGo(std::move(before));
    const auto& failure = reading_->explained.failure;
    mark_problem(texts_->lines(), failure ? &*failure : nullptr);
    if (runs) return execute();
    if (restoring_) return bench_.presenter(Subject::module).restore(*restoring_);
    check_.start(reading_);
    if (check_.busy()) status_->setProving();
  });
  connect(tables_->alternative(), &HloAlternative::applied, this,
          [this](const QString& instruction, const QString& sharding) {
            (void)setSharding(instruction, sharding);
          });
  connect(&proof_, &HloProof::progress, job(), &JobBar::setProgress);
  connect(&proof_, &HloProof::finished, this, [this](const HloProved& proved) {
    const bool of_this = reading_ == proved.of;
    of_this ? tell_proof(proved, *job()) : job()->end("");
    if (!proved.ran.ok() || proved.ran->run->untimed || !proved.ran->run->id) return;
    if (bench_.runs().workspace() != proved.recorded_in)
      return;  // another was opened: the run is in the old one
    bench_.adopt(proved.ran->run);
    if (of_this) bench_.presenter(Subject::module).show(*proved.ran->run->id);
  });
  connect_restored(bench_, restoring_, *job());
  connect(job(), &JobBar::startRequested, this, &HloPanel::run);
  connect(job(), &JobBar::cancelRequested, this, [this] {
    file_.cancel();
    reader_.cancel();
    proof_.cancel();
    tables_->alternative()->cancel();
    run_when_read_ = false;
    job()->end("Cancelled; what was read before is kept"_tr);
  });
}

void HloPanel::forget() {
  presets_->setCurrentIndex(-1);
  reader_.cancel();
  proof_.cancel();
  restoring_.reset();
  forget_proof(*status_, check_, proof_, bench_);
  run_when_read_ = run_when_read_ && file_.busy();  // what comes in was asked to run
  selector_.setReading(nullptr);
  reader_.letGo(std::exchange(reading_, nullptr));
  status_->clear();
  mark_problem(texts_->lines(), nullptr);
  if (run_when_read_) job()->begin();
}

void HloPanel::read() {
  const IndexedTextPtr text = texts_->text();
  const std::string_view first = text->line(0);
  if (text->lineCount() > 1 || !trim(first).empty())
    reader_.read(text, file_.name().isEmpty() ? "typed.hlo" : file_.name(), options_->options());
  else if (reading_)
    forget();
}

Result<void> HloPanel::setSharding(const QString& instruction, const QString& text) {
  const auto change = [&]() -> Result<void> {
    if (!reading_) return not_read();
    TRY(const ShardedLine changed, line_with_sharding(reading_->explained, *texts_->text(),
                                                      instruction.toStdString(), text.toStdString()));
    if (changed.text == texts_->lines().lineText(changed.line)) return {};
    selector_.keep(instruction);
    edits_.replaceLine(changed.line, changed.text);
    return {};
  };
  auto changed = change();
  sharding_->refuse(changed.ok() ? QString() : in_window(changed.error()));
  return changed;
}

void HloPanel::run() {
  if (proof_.busy()) return;
  if (file_.busy()) {  // the module that is on its way in
    run_when_read_ = true;
    return;
  }
  if (!texts_->isReadOnly() && texts_->plainText().trimmed().isEmpty()) openPreset("mlp");
  edits_.flush();
  if (!reader_.busy()) return execute();
  run_when_read_ = true;
  job()->begin();
}

void HloPanel::execute() {
  if (!reading_ || reading_->explained.program() == nullptr) return;
  check_.cancel();
  status_->setProof("", false);
  job()->begin();
  ModuleRunOptions options;
  options.check = CheckMode::automatic;
  const ExplainOptions asked = options_->options();
  options.partition = asked.partition;
  options.asked = asked.asked;
  if (reading_->explained.cut) options.cut = reading_->explained.cut->what;
  options.workspace = bench_.runs().workspace();
  proof_.start(reading_, options);
}

}  // namespace shardscope::inline window

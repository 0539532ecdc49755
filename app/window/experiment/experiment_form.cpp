// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/experiment_form.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/session/note_values.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline window {
namespace {

QLabel* paragraph(const char* role, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setProperty("role", role);
  label->setWordWrap(true);
  label->setIndent(0);
  label->setMargin(0);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

// The chip in a line: what decides most timings.
QString chip_summary(const Hardware& h) {
  QStringList parts;
  for (const auto& [type, peak] : h.compute.peak_flops_per_s) {
    if (type == ElementType::bf16 || h.compute.peak_flops_per_s.size() == 1)
      parts << QString::fromStdString(format_rate(peak, "FLOP/s")) + ' ' + name(type);
  }
  const auto rate = [](const std::optional<double>& value) {
    return value ? QString::fromStdString(format_rate(*value, "B/s")) : "not published"_tr;
  };
  parts << "HBM " + rate(h.memory.hbm_bytes_per_s)
        << QString(name(h.topology)) + " link "_tr + rate(h.link.bytes_per_s);
  return parts.join(" · ");
}

QString sizes_of(const std::vector<ArrayInfo>& arrays) {
  QStringList out;
  for (const ArrayInfo& array : arrays) {
    QStringList dims;
    for (const int64_t dim : array.dims) dims << QString::number(dim);
    out << QString::fromStdString(symbol_of(array)) + '[' + dims.join(',') + ']';
  }
  return out.join(", ");
}

// What all strategies of an experiment compute, where it is not one product: their formulas, and the sizes
// that its m, k and n give the arrays. Empty: one product, or not all the same.
QStringList own_formulas(const Experiment& e) {
  if (e.runs.empty()) return {};
  const std::vector<std::string>& formulas = formulas_of(e.runs.front().strategy);
  for (const RunRequest& run : e.runs)
    if (formulas_of(run.strategy) != formulas) return {};
  QStringList out;
  for (const std::string& formula : formulas) out << QString::fromStdString(formula);
  const auto strategy = find_strategy(e.runs.front().strategy);
  if (out.isEmpty() || !strategy.ok()) return out;
  const auto program = (*strategy)->plan(e.mesh, e.problem, e.runs.front().options);
  if (program.ok()) out << sizes_of(program->inputs) + QStringLiteral(" → ") + sizes_of(outputs_of(*program));
  return out;
}

}  // namespace

ExperimentForm::ExperimentForm(ExperimentDocument& document, QWidget* parent)
    : QScrollArea(parent),
      document_(document),
      title_(paragraph("heading", this)),
      notes_(paragraph("muted", this)),
      warnings_(paragraph("warning", this)),
      formula_(paragraph("muted", this)),
      chip_(paragraph("muted", this)),
      mesh_(new MeshEditor(document, this)),
      problem_(new ProblemForm(document, this)),
      options_(new OptionsForm(document, this)),
      sharding_(new ShardingEditor(document, this)),
      strategies_(new StrategyPanel(document, this)) {
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  content->setObjectName("formContent");
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(12, 8, 12, 12);
  layout->setSpacing(6);
  layout->addWidget(title_);
  layout->addWidget(notes_);
  layout->addWidget(warnings_);
  const auto section = [&](const QString& heading, QWidget* widget) {
    auto* label = paragraph("heading", content);
    label->setText(heading);
    layout->addWidget(label);
    layout->addWidget(widget);
  };
  section("Mesh"_tr, mesh_);
  section("Problem"_tr, formula_);
  layout->addWidget(problem_);
  auto* hardware = new QWidget(content);
  auto* edit = new QPushButton("edit…"_tr, hardware);
  edit->setAccessibleName("Edit the chip"_tr);
  edit->setToolTip("Every number of the chip and its links, with its source"_tr);
  stands_for(edit, "chip.edit");
  auto* line = new QHBoxLayout(hardware);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(chip_, 1);
  line->addWidget(edit);
  section("Hardware"_tr, hardware);
  connect(edit, &QPushButton::clicked, this, &ExperimentForm::chipRequested);
  section("Strategies"_tr, strategies_);
  section("Options of a run"_tr, options_);
  section("Shardings"_tr, sharding_);
  layout->addStretch();
  setWidget(content);
  connect(&document_, &ExperimentDocument::changed, this, &ExperimentForm::readDocument);
  readDocument();
}

void ExperimentForm::find() {
  ensureWidgetVisible(strategies_);
  ensureWidgetVisible(strategies_->filter());
  begin_in(*strategies_->filter());
}

void ExperimentForm::setTheme(const Theme& theme) {
  mesh_->setTheme(theme);
  strategies()->fitRows();
}

void ExperimentForm::readDocument() {
  const Experiment& e = document_.experiment();
  title_->setText(QString::fromStdString(e.title));
  title_->setVisible(!e.title.empty());
  QStringList notes;
  if (!e.notes.empty()) notes << QString::fromStdString(evaluated_notes(e).text);
  if (!e.source.empty()) notes << "From "_tr + QString::fromStdString(e.source);
  notes_->setText(notes.join('\n'));
  notes_->setVisible(!notes.isEmpty());
  readFormula();
  const auto chip = find_hardware(e.hardware);
  chip_->setText(chip.ok() ? QString::fromStdString(chip->title.empty() ? chip->name : chip->title) + ": " +
                                 chip_summary(*chip)
                           : in_window(chip.error()));
  QStringList warnings;
  for (const std::string& warning : e.warnings) warnings << QString::fromStdString(warning);
  warnings_->setText(warnings.join('\n'));
  warnings_->setVisible(!warnings.isEmpty());
}

void ExperimentForm::readFormula() {
  const QStringList own = own_formulas(document_.experiment());
  formula_->setText(own.isEmpty() ? QStringLiteral("Y[m,n] = X[m,k] · W[k,n]") : own.join('\n'));
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/options_form.h"

#include <QGridLayout>
#include <QStyle>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

#include "engine/collectives/algorithm_table.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

QString option_text(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<int>(text.size()));
}

bool reads(const RunRequest& request, const QString& option) {
  const auto strategy = find_strategy(request.strategy);
  return strategy.ok() && std::ranges::count((*strategy)->options, option.toStdString()) > 0;
}

QStringList readers_of(const QString& option) {
  QStringList out;
  for (const Strategy& s : strategies()) {
    if (std::ranges::count(s.options, option.toStdString()) > 0) out << option_text(s.id);
  }
  return out;
}

QLabel* option_label(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty("role", "muted");
  return label;
}

// The roles that any run was given, once each.
QString roles_of(const Experiment& experiment) {
  QStringList out;
  for (const RunRequest& request : experiment.runs) {
    for (const auto& [role, axis] : request.options.axes) out << QString::fromStdString(role + "=" + axis);
  }
  out.removeDuplicates();
  return out.join(',');
}

// One line per kind of collective: the algorithm, and what made auto choose it.
QString choices_of(const Run& run) {
  QStringList lines;
  for (const CollectiveSummary& each : run.timeline.collectives) {
    QString line = QString::fromStdString(each.opcode);
    if (!each.axis.empty()) line += " over " + QString::fromStdString(each.axis);
    line += ": " + QString::fromStdString(each.algorithm);
    if (!each.why.empty()) line += " – " + QString::fromStdString(each.why);
    lines << line;
  }
  lines.removeDuplicates();
  return lines.join('\n');
}

}  // namespace

OptionsForm::OptionsForm(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      collective_(new QComboBox(this)),
      reference_(new QComboBox(this)),
      roles_(new QLineEdit(this)),
      chosen_(new QLabel(this)),
      error_(new QLabel(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  collective_->addItem(name(CollectiveAlgorithm::automatic));
  for (const AlgorithmRow& row : collective_algorithms()) {
    collective_->addItem(row.word);
    collective_->setItemData(collective_->count() - 1, row.does, Qt::ToolTipRole);
  }
  collective_->setAccessibleName("Algorithm of collectives");
  collective_->setToolTip(
      "auto: the fastest legal one for the links and the size; another word is refused where it is not "
      "legal");
  reference_->addItem(kF64Reference);
  for (const Strategy& s : strategies()) reference_->addItem(option_text(s.id));
  reference_->setAccessibleName("Compare results with");
  reference_->setToolTip(
      "f64: the product in f64, rounded once; or another strategy's own result on the same data. The "
      "distance "
      "from f64 is always told beside it");
  for (QComboBox* box : {collective_, reference_}) {
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(box, &QComboBox::activated, this, &OptionsForm::writeChoices);
  }
  grid->addWidget(option_label("collectives"), 0, 0, 1, 2);
  grid->addWidget(option_label("compare with"), 0, 2, 1, 2);
  grid->addWidget(collective_, 1, 0, 1, 2);
  grid->addWidget(reference_, 1, 2, 1, 2);
  chosen_->setProperty("role", "muted");
  chosen_->setWordWrap(true);
  chosen_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  grid->addWidget(chosen_, 2, 0, 1, 4);
  addOption("slices", "How many slices a sliced gather is cut in", &StrategyOptions::slices);
  addOption("block", "Width of a block or of a panel", &StrategyOptions::block);
  const auto shown = [](const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', 10) : QString();
  };
  addNumber(
      "rtol", "Relative tolerance of the comparison; empty: what the data's type and fill call for", false,
      [shown](const Experiment& e) { return shown(e.check.rtol); },
      [](Experiment& e, std::optional<double> v) { e.check.rtol = v; });
  addNumber(
      "atol", "Absolute tolerance of the comparison; empty: what the data's type and fill call for", false,
      [shown](const Experiment& e) { return shown(e.check.atol); },
      [](Experiment& e, std::optional<double> v) { e.check.atol = v; });
  for (size_t i = 0; i < numbers_.size(); ++i) {
    grid->addWidget(option_label(numbers_[i].name), 3 + 2 * static_cast<int>(i / 4), static_cast<int>(i % 4));
    grid->addWidget(numbers_[i].edit, 4 + 2 * static_cast<int>(i / 4), static_cast<int>(i % 4));
    connect(numbers_[i].edit, &QLineEdit::editingFinished, this, [this, i] { writeNumber(i); });
  }
  roles_->setAccessibleName("Roles of the mesh axes");
  roles_->setPlaceholderText("axes by position; row=b,col=a swaps them");
  roles_->setToolTip(Qt::convertFromPlainText(
      "Which mesh axis plays which role of a strategy, as in row=b,col=a. A strategy "
      "takes the roles it has; one that cannot run so says why in the list"));
  connect(roles_, &QLineEdit::editingFinished, this, &OptionsForm::writeRoles);
  grid->addWidget(roles_, 10, 0, 1, 4);
  error_->setProperty("role", "warning");
  error_->setWordWrap(true);
  error_->hide();
  grid->addWidget(error_, 20, 0, 1, 4);
  for (int column = 0; column < 4; ++column) grid->setColumnStretch(column, 1);
  connect(&document_, &ExperimentDocument::changed, this, &OptionsForm::readDocument);
  showRun(nullptr);
  readDocument();
}

void OptionsForm::addNumber(const QString& name, const QString& tip, bool whole,
                            std::function<QString(const Experiment&)> text,
                            std::function<void(Experiment&, std::optional<double>)> set) {
  auto* edit = new QLineEdit(this);
  edit->setAccessibleName(name);
  edit->setToolTip(Qt::convertFromPlainText(tip));
  edit->setPlaceholderText("auto");
  edit->setAlignment(Qt::AlignRight);
  numbers_.push_back({name, edit, whole, std::move(text), std::move(set)});
}

// An option of strategies: set on every request whose strategy reads it.
void OptionsForm::addOption(const QString& name, const QString& tip,
                            std::optional<int64_t> StrategyOptions::*member) {
  const QStringList readers = readers_of(name);
  const auto text = [name, member](const Experiment& e) {
    QStringList found;
    for (const RunRequest& request : requests_of(e)) {
      const auto& value = request.options.*member;
      if (reads(request, name)) found << (value ? QString::number(*value) : QString());
    }
    found.removeDuplicates();
    return found.size() > 1 ? QString("several") : found.join("");
  };
  const auto set = [name, member](Experiment& e, std::optional<double> value) {
    e.runs = requests_of(e);
    for (RunRequest& request : e.runs) {
      if (!reads(request, name)) continue;
      request.options.*member = value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
    }
  };
  addNumber(name,
            tip + ". Empty: the largest legal one that the strategy likes. Read by " + readers.join(", "),
            true, text, set);
}

QLineEdit* OptionsForm::option(const QString& name) const {
  const auto found = std::ranges::find(numbers_, name, &Number::name);
  return found == numbers_.end() ? nullptr : found->edit;
}

void OptionsForm::showRun(const ShownRunPtr& shown) {
  const QString text = shown ? choices_of(*shown->run) : QString();
  chosen_->setText(text);
  chosen_->setVisible(!text.isEmpty());
  chosen_->setToolTip(shown ? QString("What the collectives of the shown run use") : QString());
}

void OptionsForm::readDocument() {
  const Experiment& e = document_.experiment();
  collective_->setCurrentText(name(e.collective));
  reference_->setCurrentText(QString::fromStdString(e.check.reference));
  for (const Number& number : numbers_) {
    number.edit->setText(number.text(e));
    number.edit->setProperty("invalid", false);
    number.edit->style()->polish(number.edit);
  }
  roles_->setText(roles_of(e));
  error_->clear();
  error_->hide();
}

void OptionsForm::refuse(const QString& reason) {
  error_->setText(reason);
  error_->show();
}

void OptionsForm::writeChoices() {
  Experiment e = document_.experiment();
  const auto algorithm = parse_collective_algorithm(collective_->currentText().toStdString());
  if (!algorithm.ok()) return refuse(QString::fromStdString(algorithm.error().text()));
  e.collective = *algorithm;
  e.check.reference = reference_->currentText().toStdString();
  document_.change(e, "options of runs");
}

void OptionsForm::writeRoles() {
  if (!roles_->isModified()) return;
  roles_->setModified(false);
  std::map<std::string, std::string> wanted;
  for (const QString& part : roles_->text().split(',', Qt::SkipEmptyParts)) {
    const QStringList pair = part.trimmed().split('=');
    if (pair.size() != 2 || pair[0].isEmpty() || pair[1].isEmpty())
      return refuse("axes: got '" + part.trimmed() + "', expected a role and an axis as in row=b");
    wanted[pair[0].trimmed().toStdString()] = pair[1].trimmed().toStdString();
  }
  Experiment e = document_.experiment();
  e.runs = requests_of(e);
  for (RunRequest& request : e.runs) {
    const auto strategy = find_strategy(request.strategy);
    if (!strategy.ok()) continue;
    request.options.axes.clear();
    for (const auto& [role, axis] : wanted) {
      if (std::ranges::count((*strategy)->roles, role) > 0) request.options.axes[role] = axis;
    }
  }
  document_.change(e, "roles of axes");
  readDocument();
}

void OptionsForm::writeNumber(size_t which) {
  const Number& number = numbers_[which];
  if (!number.edit->isModified()) return;
  number.edit->setModified(false);
  const QString typed = number.edit->text().trimmed();
  bool good = true;
  const double value = typed.isEmpty() ? 0 : typed.toDouble(&good);
  good = good && std::isfinite(value) && value >= 0 &&
         (typed.isEmpty() || !number.whole || (value >= 1 && value <= 1e9 && value == std::floor(value)));
  number.edit->setProperty("invalid", !good);
  number.edit->style()->polish(number.edit);
  if (!good) {
    return refuse(
        QString("%1: got '%2', expected %3")
            .arg(number.name, typed, number.whole ? "a whole number above 0" : "a number, 0 or more"));
  }
  Experiment e = document_.experiment();
  number.set(e, typed.isEmpty() ? std::nullopt : std::optional(value));
  document_.change(e, number.name);
  readDocument();
}

}  // namespace shardscope

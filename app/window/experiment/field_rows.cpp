// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/field_rows.h"

#include <QGridLayout>
#include <QTextDocument>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"
#include "engine/request/value_text.h"
#include "engine/session/session.h"

namespace shardscope::inline window {
namespace {

bool reads_field(const RunRequest& request, const Field& field) {
  const auto strategy = find_strategy(request.strategy);
  return strategy.ok() && reads(**strategy, field);
}

void add_once(std::vector<std::string>& out, const std::string& text) {
  if (std::ranges::count(out, text) == 0) out.push_back(text);
}

// The roles that any run was given, once each.
std::string shown_pairs(const Field& field, const Experiment& experiment) {
  std::vector<std::string> out;
  for (const RunRequest& request : experiment.runs) {
    for (const std::string& part : split(field.run->print(request), ',')) add_once(out, part);
  }
  return join(out, ",");
}

// A strategy takes the roles that it has.
std::string pairs_for(const RunRequest& request, const std::string& typed) {
  std::map<std::string, std::string> pairs;
  CHECK(from_text(typed, pairs).ok(), typed);
  const std::vector<std::string_view>& roles = (*find_strategy(request.strategy))->roles;
  std::erase_if(pairs, [&](const auto& pair) { return std::ranges::count(roles, pair.first) == 0; });
  return to_text(pairs);
}

const std::vector<std::string>& words_in(const Field& field) {
  return field.values.empty() ? field.offered : field.values;
}

}  // namespace

std::string shown_text(const Field& field, const Experiment& experiment) {
  if (field.experiment) return field.experiment->print(experiment);
  if (field.spelling == Spelling::pairs) return shown_pairs(field, experiment);
  std::vector<std::string> found;
  for (const RunRequest& request : requests_of(experiment)) {
    if (reads_field(request, field)) add_once(found, field.run->print(request));
  }
  return found.size() > 1 ? "several" : join(found, "");
}

Result<Experiment> with_text(const Field& field, const Experiment& experiment, const std::string& typed) {
  TRY_VOID(check_range(field, typed));
  Experiment out = experiment;
  if (field.experiment) {
    TRY_VOID(put(field, out, typed));
    if (field.scope == Scope::problem) TRY_VOID(validate(out.problem));
    return out;
  }
  RunRequest probe;
  TRY_VOID(put(field, probe, typed));
  out.runs = requests_of(experiment);
  for (RunRequest& request : out.runs) {
    if (!reads_field(request, field)) continue;
    TRY_VOID(put(field, request, field.spelling == Spelling::pairs ? pairs_for(request, typed) : typed));
  }
  return out;
}

FieldRows::FieldRows(ExperimentDocument& document, const std::vector<Scope>& scopes, int columns,
                     QWidget* parent)
    : QWidget(parent), document_(document), error_(refusal_label(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  int place = 0;
  for (const Field& field : fields()) {
    if (!field.has(kRow) || std::ranges::count(scopes, field.scope) == 0) continue;
    const bool wide = field.spelling == Spelling::pairs;
    if (wide) place = (place + columns - 1) / columns * columns;
    const int span = wide ? columns : 1, row = place / columns * 2, column = place % columns;
    grid->addWidget(form_label(QString::fromStdString(field.key)), row, column, 1, span);
    grid->addWidget(addRow(field), row + 1, column, 1, span);
    place += span;
  }
  for (int column = 0; column < columns; ++column) grid->setColumnStretch(column, 1);
  grid->addWidget(error_, grid->rowCount(), 0, 1, columns);
  connect(&document_, &ExperimentDocument::changed, this, &FieldRows::readDocument);
  readDocument();
}

QWidget* FieldRows::addRow(const Field& field) {
  Row row{&field, nullptr, nullptr};
  const size_t place = rows_.size();
  QWidget* editor = nullptr;
  if (words_in(field).empty()) {
    editor = row.line = new QLineEdit(this);
    row.line->setPlaceholderText(QString::fromStdString(field.unsaid));
    if (field.range) row.line->setAlignment(Qt::AlignRight);
    connect(row.line, &QLineEdit::editingFinished, this, [this, place] { write(rows_[place]); });
  } else {
    editor = row.list = new QComboBox(this);
    for (const std::string& word : words_in(field)) row.list->addItem(QString::fromStdString(word));
    row.list->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(row.list, &QComboBox::activated, this, [this, place] { write(rows_[place]); });
  }
  const std::string unit = field.unit.empty() ? "" : " [" + field.unit + "]";
  editor->setAccessibleName(QString::fromStdString(field.key));
  editor->setToolTip(Qt::convertFromPlainText(QString::fromStdString(help_text(field) + unit)));
  explained_by(editor, "field." + QString::fromStdString(field.key));
  rows_.push_back(row);
  return editor;
}

const FieldRows::Row* FieldRows::find(const std::string& key) const {
  const auto found = std::ranges::find_if(rows_, [&](const Row& row) { return row.field->key == key; });
  return found == rows_.end() ? nullptr : &*found;
}

QComboBox* FieldRows::list(const std::string& key) const {
  const Row* row = find(key);
  return row == nullptr ? nullptr : row->list;
}

QLineEdit* FieldRows::line(const std::string& key) const {
  const Row* row = find(key);
  return row == nullptr ? nullptr : row->line;
}

void FieldRows::readDocument() {
  for (const Row& row : rows_) {
    const QString text = QString::fromStdString(shown_text(*row.field, document_.experiment()));
    if (row.list != nullptr) {
      row.list->setCurrentText(text);
    } else {
      row.line->setText(text);
      mark_invalid(row.line, false);
    }
  }
  error_->clear();
  error_->hide();
}

void FieldRows::write(const Row& row) {
  if (row.line != nullptr) {
    if (!row.line->isModified()) return;
    row.line->setModified(false);
  }
  QString typed = row.line != nullptr ? row.line->text().trimmed() : row.list->currentText();
  if (row.field->range) typed.remove(',');
  const auto changed = with_text(*row.field, document_.experiment(), typed.toStdString());
  if (!changed.ok()) {
    if (row.line != nullptr) mark_invalid(row.line, true);
    error_->setText(in_window(row.field->key + ": " + changed.error().text()));
    error_->show();
    return;
  }
  document_.change(*changed, QString::fromStdString(row.field->key));
  readDocument();
}

}  // namespace shardscope::inline window

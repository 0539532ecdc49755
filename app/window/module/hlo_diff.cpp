// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_diff.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope {
namespace {

constexpr int kMostLines = 5000;  // listed; the texts mark all

QTreeWidget* diff_table(const QList<TableColumn>& columns, const QString& name) {
  auto* table = new QTreeWidget;
  set_columns(*table, columns);
  table->setRootIsDecorated(false);
  table->setUniformRowHeights(true);
  table->setAlternatingRowColors(true);
  table->setAccessibleName(name);
  offer_copy(table);
  return table;
}

QString diff_words(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

HloDiff::HloDiff(QWidget* parent)
    : QDialog(parent),
      title_(form_label("", this)),
      said_(new QLabel(this)),
      others_(new QComboBox(this)),
      counts_(diff_table({{"opcode", "Kind of operation"_tr},
                          {"before"_tr, "How many the first module has"_tr},
                          {"after"_tr, "How many the second module has"_tr},
                          {"more"_tr, "How many more the second has"_tr}},
                         "Operations that differ in number"_tr)),
      lines_(diff_table({{"", "− is in the first module alone, + in the second"_tr},
                         {"instruction"_tr, "Its name"_tr},
                         {"text"_tr, "Its line"_tr}},
                        "Instructions that differ"_tr)),
      before_(new LineView("Module before"_tr, this)),
      after_(new LineView("Module after"_tr, this)) {
  setObjectName("HLO diff");
  setWindowTitle("Compare modules"_tr);
  resize(1200, 760);
  others_->setAccessibleName("Compared with"_tr);
  others_->setToolTip("What the open module is compared with: names and metadata aside"_tr);
  said_->setWordWrap(true);
  said_->setAccessibleName("Differences"_tr);
  layOut();
  connect(others_, &QComboBox::activated, this, [this](int row) {
    if (row == static_cast<int>(choices_.size())) return Q_EMIT fileRequested();
    if (row >= 0) compare(choices_[static_cast<size_t>(row)]);
  });
  connect(lines_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item == nullptr) return;
    const bool removed = item->text(0) == "−";
    LineView& view = removed ? *before_ : *after_;
    const int line = view.lineOf(item->text(1));
    if (line < 0) return;
    view.setSelection({line, 0}, {line, 0});
    view.reveal(line);
  });
}

void HloDiff::layOut() {
  auto* top = new QHBoxLayout;
  top->addWidget(title_);
  top->addWidget(labelled("compared with"_tr, others_, this));
  top->addStretch(1);
  auto* texts = new QSplitter(Qt::Horizontal, this);
  texts->addWidget(before_);
  texts->addWidget(after_);
  texts->setSizes({1, 1});
  auto* tables = new QSplitter(Qt::Horizontal, this);
  tables->addWidget(counts_);
  tables->addWidget(lines_);
  tables->setStretchFactor(0, 1);
  tables->setStretchFactor(1, 3);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(texts);
  split->addWidget(tables);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(said_);
  layout->addWidget(split, 1);
}

void HloDiff::setTheme(const Theme& theme) {
  before_->setTheme(theme);
  after_->setTheme(theme);
}

void HloDiff::open(const NamedText& module, const std::vector<NamedText>& others) {
  module_ = module;
  choices_ = others;
  title_->setText(module.name);
  others_->clear();
  for (const NamedText& each : choices_) others_->addItem(each.name);
  others_->addItem("a file…"_tr);
  if (!choices_.empty()) compare(choices_.front());
}

// Reading, parsing and comparing are not for the thread that shows it.
void HloDiff::compare(const NamedText& with) {
  before_->setText(module_.text);
  after_->setText(with.text);  // null, as long as it is not read: nothing
  counts_->clear();
  lines_->clear();
  said_->setText("comparing…"_tr);
  busy_ = true;
  work_.start(
      [module = module_, with](std::stop_token stop) -> Result<Found> {
        Found out;
        out.text = with.text;
        if (out.text == nullptr) {
          TRY(out.text, with.read());
        }
        TRY(const HloText a, read_hlo_or_mlir(module.text->text(), module.name.toStdString()));
        if (stop.stop_requested()) return cancelled();
        TRY(const HloText b, read_hlo_or_mlir(out.text->text(), with.name.toStdString()));
        TRY(out.diff, diff_modules(a.program, b.program, stop));
        return out;
      },
      [this](const Result<Found>& found) { take(found); });
}

void HloDiff::take(const Result<Found>& found) {
  busy_ = false;
  if (!found.ok()) return said_->setText(diff_words(found.error().text()));
  if (after_->text() != found->text) after_->setText(found->text);
  fill(found->diff);
}

void HloDiff::fill(const ModuleDiff& diff) {
  for (const ModuleDiff::Count& c : diff.counts) {
    const qint64 more = c.after - c.before;
    auto* row = new QTreeWidgetItem(
        counts_, {diff_words(c.opcode), QString::number(c.before), QString::number(c.after),
                  (more > 0 ? "+" : "") + QString::number(more)});
    for (const int column : {1, 2, 3}) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  QSet<QString> removed, added;
  for (const ModuleDiff::Section& section : diff.sections) {
    for (const ModuleDiff::Line& line : section.lines) {
      const QString name = diff_words(line.instruction);
      (line.removed ? removed : added).insert(name);
      if (lines_->topLevelItemCount() >= kMostLines) continue;
      auto* row = new QTreeWidgetItem(lines_, {line.removed ? "−" : "+", name, diff_words(line.text)});
      row->setToolTip(2, Qt::convertFromPlainText(diff_words(section.before + " | " + section.after)));
    }
  }
  before_->mark(removed);
  after_->mark(added);
  for (QTreeWidget* each : {counts_, lines_})
    for (int column = 0; column + 1 < each->columnCount(); ++column) fit_column(*each, column);
  said_->setText(diff.empty() ? "The modules are equal, names and metadata aside"_tr
                              : "%1 instructions are only before, %2 only after; names and metadata aside"_tr
                                    .arg(removed.size())
                                    .arg(added.size()));
}

}  // namespace shardscope

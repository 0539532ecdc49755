// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_diff.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/program/mlir/module_text.h"
#include "engine/report/modules_report.h"

namespace shardscope::inline window {
namespace {

constexpr size_t kMostLines = 5000;  // listed; the texts mark all
enum LineRole { kOfModule = Qt::UserRole, kOfInstruction };

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

Result<IndexedTextPtr> text_of(const NamedText& module) {
  if (module.text != nullptr) return module.text;
  return module.read();
}

}  // namespace

HloDiff::HloDiff(QWidget* parent)
    : QDialog(parent),
      title_(form_label("", this)),
      said_(new QLabel(this)),
      others_(new QComboBox(this)),
      add_(small_button("Add another"_tr, "Keeps these modules and compares the last one with one more"_tr,
                        this)),
      page_(small_button("Save as HTML…"_tr, "These modules side by side as one page of at most 2 MB"_tr,
                         this)),
      counts_(diff_table({}, "Operations that differ in number"_tr)),
      lines_(diff_table({{"", "− is in the first module alone, + in the second; both: it changed"_tr},
                         {"instruction"_tr, "Its name"_tr},
                         {"text"_tr, "Its line"_tr}},
                        "Instructions that differ"_tr)),
      texts_(new QSplitter(Qt::Horizontal, this)) {
  setObjectName("HLO diff");
  setWindowTitle("Compare modules"_tr);
  resize(1200, 760);
  others_->setAccessibleName("Compared with"_tr);
  others_->setToolTip("What the module is compared with: names and metadata aside"_tr);
  said_->setWordWrap(true);
  said_->setAccessibleName("Differences"_tr);
  for (size_t k = 0; k < kMostModules; ++k) {
    const QString name = k == 0 ? "Module before"_tr : k == 1 ? "Module after"_tr : "Module %1"_tr.arg(k + 1);
    views_.push_back(new LineView(name, this));
    views_.back()->setVisible(k < 2);
    texts_->addWidget(views_.back());
  }
  layOut();
  connectParts();
}

void HloDiff::layOut() {
  auto* top = new QHBoxLayout;
  top->addWidget(title_);
  top->addWidget(labelled("compared with"_tr, others_, this));
  top->addWidget(add_);
  top->addStretch(1);
  top->addWidget(page_);
  auto* tables = new QSplitter(Qt::Horizontal, this);
  tables->addWidget(counts_);
  tables->addWidget(lines_);
  tables->setStretchFactor(0, 1);
  tables->setStretchFactor(1, 3);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(texts_);
  split->addWidget(tables);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(said_);
  layout->addWidget(split, 1);
}

void HloDiff::connectParts() {
  connect(others_, &QComboBox::activated, this, [this](int row) {
    if (row == static_cast<int>(choices_.size())) return Q_EMIT fileRequested();
    if (row >= 0) compare(choices_[static_cast<size_t>(row)]);
  });
  connect(add_, &QToolButton::clicked, this, &HloDiff::addAnother);
  connect(page_, &QToolButton::clicked, this, &HloDiff::makePage);
  connect(lines_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item != nullptr)
      choose(item->data(0, kOfModule).toULongLong(), item->data(0, kOfInstruction).toString());
  });
  for (size_t k = 0; k < views_.size(); ++k)
    connect(views_[k], &LineView::instructionChosen, this,
            [this, k](const QString& instruction) { choose(k, instruction); });
}

void HloDiff::setTheme(const Theme& theme) {
  for (LineView* view : views_) view->setTheme(theme);
}

void HloDiff::open(const NamedText& module, const std::vector<NamedText>& others) {
  modules_ = {module, module};
  choices_ = others;
  others_->clear();
  for (const NamedText& each : choices_) others_->addItem(each.name);
  others_->addItem("a file…"_tr);
  if (!choices_.empty()) compare(choices_.front());
}

void HloDiff::compare(const NamedText& with) {
  modules_.back() = with;
  begin();
}

void HloDiff::addAnother() {
  if (modules_.size() >= kMostModules) return;
  modules_.push_back(modules_.back());
  begin();
}

// Reading, parsing and comparing are not for the thread that shows it.
void HloDiff::begin() {
  QStringList kept;
  for (size_t k = 0; k + 1 < modules_.size(); ++k) kept << modules_[k].name;
  title_->setText(kept.join(" | "));
  for (size_t k = 0; k < views_.size(); ++k) {
    // Null, as long as it is not read: nothing.
    views_[k]->setText(k < modules_.size() ? modules_[k].text : nullptr);
    views_[k]->setVisible(k < modules_.size());
  }
  texts_->setSizes(QList<int>(static_cast<qsizetype>(kMostModules), 1));
  add_->setEnabled(modules_.size() < kMostModules);
  page_->setEnabled(false);
  found_.reset();
  counts_->clear();
  lines_->clear();
  said_->setText("comparing…"_tr);
  busy_ = true;
  work_.start(
      [modules = modules_](std::stop_token stop) -> Result<Found> {
        Found out;
        std::vector<ModuleColumn> columns;
        for (const NamedText& each : modules) {
          TRY(const IndexedTextPtr text, text_of(each));
          out.texts.push_back(text);
          TRY(HloText read, read_hlo_or_mlir(text->text(), each.name.toStdString()));
          if (stop.stop_requested()) return cancelled();
          columns.push_back({each.name.toStdString(), SharedProgram(std::move(read.program))});
        }
        TRY(out.columns, columns_of(std::move(columns), stop));
        TRY_VOID(list(stop, out));
        return out;
      },
      [this](const Result<Found>& found) { take(found); });
}

void HloDiff::take(const Result<Found>& found) {
  busy_ = false;
  if (!found.ok()) return said_->setText(diff_words(found.error().text()));
  found_ = *found;
  for (size_t k = 0; k < modules_.size(); ++k) {
    modules_[k].text = found_->texts[k];
    if (views_[k]->text() != found_->texts[k]) views_[k]->setText(found_->texts[k]);
  }
  page_->setEnabled(true);
  fillCounts();
  fillLines();
  QStringList sentences;
  for (size_t k = 0; k < found_->columns.between.size(); ++k) {
    const ModuleMatching& m = found_->columns.between[k];
    sentences << (m.equal()
                      ? "The modules are equal, names and metadata aside"_tr
                      : "%1 instructions are only before, %2 only after, %3 changed; names and metadata "
                        "aside"_tr.arg(m.before.count(Fate::alone))
                            .arg(m.after.count(Fate::alone))
                            .arg(m.after.count(Fate::changed)));
    if (modules_.size() > 2)
      sentences.back() = modules_[k].name + " | " + modules_[k + 1].name + ": " + sentences.back();
  }
  said_->setText(sentences.join('\n'));
}

void HloDiff::fillCounts() {
  const size_t modules = found_->columns.modules.size();
  QList<TableColumn> heads{{"opcode", "Kind of operation"_tr}};
  for (size_t k = 0; k < modules; ++k) {
    const QString name = modules > 2 ? modules_[k].name : k == 0 ? "before"_tr : "after"_tr;
    heads.push_back({name, "How many %1 has"_tr.arg(modules_[k].name)});
  }
  heads.push_back({"more"_tr, "How many more the last has than the first"_tr});
  counts_->setColumnCount(static_cast<int>(heads.size()));
  set_columns(*counts_, heads);
  for (const auto& [opcode, counts] : other_counts(found_->columns.modules)) {
    QStringList cells{diff_words(opcode)};
    for (const int64_t count : counts) cells << QString::number(count);
    const int64_t more = counts.back() - counts.front();
    cells << (more > 0 ? "+" : "") + QString::number(more);
    auto* row = new QTreeWidgetItem(counts_, cells);
    for (int column = 1; column < row->columnCount(); ++column)
      row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  for (int column = 0; column + 1 < counts_->columnCount(); ++column) fit_column(*counts_, column);
}

Result<void> HloDiff::list(const std::stop_token& stop, Found& found) {
  const ModuleColumns& columns = found.columns;
  found.differ.resize(columns.modules.size());
  const auto add = [&](size_t module, const ColumnCell& cell, const QString& sign) {
    if (cell.empty()) return;
    const QString name = diff_words(columns.modules[module].program.at(cell.instruction).name);
    found.differ[module].insert(name);
    if (found.lines.size() < kMostLines)
      found.lines.push_back({module, sign, name, diff_words(cell_text(columns, module, cell))});
  };
  TRY(const std::vector<ColumnRow> rows, aligned_rows(columns, stop));
  for (size_t k = 0; k < columns.between.size(); ++k) {
    for (const DifferentLine& line : different_lines(columns, k, rows)) {
      if (stop.stop_requested()) return cancelled();
      add(k, line.before, "−");
      add(k + 1, line.after, "+");
    }
  }
  return {};
}

void HloDiff::fillLines() {
  for (const ListedLine& line : found_->lines) {
    auto* row = new QTreeWidgetItem(lines_, {line.sign, line.name, line.text});
    row->setData(0, kOfModule, static_cast<qulonglong>(line.module));
    row->setData(0, kOfInstruction, line.name);
    row->setToolTip(2, Qt::convertFromPlainText(modules_[line.module].name));
  }
  for (size_t k = 0; k < modules_.size(); ++k) views_[k]->mark(found_->differ[k]);
  for (int column = 0; column + 1 < lines_->columnCount(); ++column) fit_column(*lines_, column);
}

// Goes to the line, and to its equals in the modules beside it, as far as there are any.
void HloDiff::choose(size_t module, const QString& instruction) {
  if (!found_ || module >= modules_.size()) return;
  const auto go = [this](size_t at, const QString& name) {
    LineView& view = *views_[at];
    const int line = view.lineOf(name);
    if (line < 0 || view.hasFocus()) return;
    view.setSelection({line, 0}, {line, static_cast<int>(view.lineText(line).size())});
    view.reveal(line);
  };
  const auto& columns = found_->columns;
  const auto number = columns.modules[module].program.number_of(instruction.toStdString());
  go(module, instruction);
  const auto follow = [&](int step) {
    auto at = static_cast<std::ptrdiff_t>(module);
    for (int32_t now = number.value_or(-1); now >= 0;) {
      const std::ptrdiff_t next = at + step;
      if (next < 0 || next >= std::ssize(columns.modules)) return;
      const ModuleMatching& m = columns.between[static_cast<size_t>(std::min(at, next))];
      now = (step > 0 ? m.before : m.after).counterpart[static_cast<size_t>(now)];
      at = next;
      if (now >= 0)
        go(static_cast<size_t>(at),
           diff_words(columns.modules[static_cast<size_t>(at)].program.at(now).name));
    }
  };
  follow(1);
  follow(-1);
}

void HloDiff::makePage() {
  if (!found_) return;
  page_->setEnabled(false);
  writing_.start([columns = found_->columns, title = "Modules side by side"_tr.toStdString()](
                     std::stop_token stop) { return modules_html(columns, title, kMostModulesPage, stop); },
                 [this](const Result<std::string>& page) {
                   page_->setEnabled(true);
                   if (!page.ok()) return said_->setText(in_window(page.error()));
                   Q_EMIT pageMade(diff_words(*page));
                 });
}

}  // namespace shardscope::inline window

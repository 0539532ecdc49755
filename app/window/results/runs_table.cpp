// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QJsonArray>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/results/label_form.h"
#include "app/window/results/runs_view.h"
#include "app/window/widgets/table_copy.h"

namespace shardscope::inline window {
namespace {

// The table has one whole row at least, the sentence below it two lines; of more room each has its half.
class RunsRoom : public QObject {
 public:
  RunsRoom(QWidget& bar, QTableView& view, FittedParagraph& sentence, QWidget& of)
      : QObject(&of), bar_(bar), view_(view), sentence_(sentence) {
    of.installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* of, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
      share(static_cast<QWidget*>(of)->height());
    return false;
  }

 private:
  void share(int height) {
    const int row = view_.verticalHeader()->defaultSectionSize();
    const int around = view_.horizontalHeader()->sizeHint().height() +
                       view_.horizontalScrollBar()->sizeHint().height() + 2 * view_.frameWidth();
    view_.setMinimumHeight(around + row);
    const int free = height - bar_.sizeHint().height() - around;
    const int few = std::min(2, sentence_.linesIn(free - row));
    sentence_.showLines(std::max(few, sentence_.linesIn(free / 2)));
  }

  QWidget& bar_;
  QTableView& view_;
  FittedParagraph& sentence_;
};

}  // namespace

RunsTable::RunsTable(RunEdits& edits, QWidget* parent)
    : QWidget(parent),
      edits_(edits),
      model_(new RunsModel(this)),
      list_(new RunsList(model_, this)),
      view_(make_runs_view(this)),
      columns_(new RunsColumns(view_)),
      bar_(new RunsBar(*columns_, this)),
      verdict_(new FittedParagraph(this)) {
  view_->setModel(list_);
  view_->setSortingEnabled(true);
  columns_->restore({});
  verdict_->setProperty("role", "verdict");
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setVerdict("");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(view_, 1);
  layout->addWidget(verdict_);
  new RunsRoom(*bar_, *view_, *verdict_, *this);
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsTable::selectionChanged);
  connect(bar_->all(), &QCheckBox::toggled, this, &RunsTable::refill);
  connect(bar_->filter(), &QLineEdit::textChanged, this, &RunsTable::readFilter);
  connect(bar_->groupBy(), &QComboBox::currentIndexChanged, this,
          [this] { list_->setGroupBy(bar_->group()); });
  connect(list_, &RunsList::rearranging, this, [this] { kept_ = selectedRuns(); });
  connect(list_, &RunsList::rearranged, this, [this] {
    const QSignalBlocker quiet(view_->selectionModel());
    for (const int64_t id : kept_) selectRun(id);
    view_->viewport()->update();
  });
  // When the cell's editor is gone: a label lists the runs anew.
  connect(
      model_, &RunsModel::labelled, this,
      [this](qint64 id, const RunLabel& wanted) { edits_.label(id, wanted); }, Qt::QueuedConnection);
  connect(view_, &QTableView::clicked, this,
          [this](const QModelIndex& cell) { list_->fold(cell.row(), !list_->isFolded(cell.row())); });
  makeKeys();
}

void RunsTable::makeKeys() {
  const auto key = [this](const QKeySequence& keys, auto what) {
    auto* shortcut = new QShortcut(keys, view_);
    shortcut->setContext(Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, this, what);
  };
  key(QKeySequence("F2"), [this] { rename(); });
  key(QKeySequence("Shift+F2"), [this] { editLabel(); });
  key(QKeySequence("Del"), [this] { remove(); });
  key(QKeySequence("Return"), [this] {
    const int row = view_->currentIndex().row();
    list_->fold(row, !list_->isFolded(row));
    if (row >= 0) view_->setCurrentIndex(list_->index(std::min(row, list_->rowCount() - 1), 0));
  });
  offer_copy(view_);
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view_, &QWidget::customContextMenuRequested, this, &RunsTable::showMenu);
}

void RunsTable::setRows(const std::vector<RunSummary>& rows, const std::set<int64_t>& current,
                        const std::vector<SkippedRun>& skipped, const std::map<int64_t, RunPtr>& known) {
  known_ = known;
  rows_ = rows;
  current_ = current;
  skipped_ = skipped;
  refill();
}

void RunsTable::refill() {
  const std::vector<int64_t> selected = selectedRuns();
  const int current = view_->currentIndex().column();
  const bool all = bar_->all()->isChecked() || current_.empty();
  {
    const QSignalBlocker quiet(view_->selectionModel());
    model_->setRows(rows_, all ? std::set<int64_t>() : current_, skipped_, known_);
    columns_->fit(scale_);
    for (const int64_t id : selected) selectRun(id);
    if (current > 0 && view_->currentIndex().isValid())
      view_->selectionModel()->setCurrentIndex(view_->currentIndex().siblingAtColumn(current),
                                               QItemSelectionModel::NoUpdate);
  }
  readFilter();
  view_->viewport()->update();
}

void RunsTable::readFilter() {
  const std::vector<int64_t> selected = selectedRuns();
  auto filter = bar_->read();
  if (!filter) return;  // the rows stay as the last right one left them
  const QSignalBlocker quiet(view_->selectionModel());
  const bool any = !filter->empty();
  list_->setFilter(*std::move(filter));
  bar_->say(any ? "%1 of %2"_tr.arg(list_->shownRuns()).arg(counted_tr(std::ssize(model_->rows()), "run"))
                : QString());
  for (const int64_t id : selected) selectRun(id);
}

void RunsTable::setOld(const std::set<int64_t>& ids) {
  if (model_->setOld(ids)) columns_->fit(scale_);
  setVerdict(said_, setting_);
}

void RunsTable::setVerdict(const QString& text, const QString& setting) {
  said_ = text;
  setting_ = setting;
  const bool earlier = std::ranges::any_of(current_, [this](int64_t id) { return model_->isOld(id); });
  if (text.isEmpty())
    verdict_->say("Runs appear here as they finish, the fastest first. Select several to compare them."_tr);
  else if (earlier && !setting.isEmpty())
    verdict_->say("Of the earlier experiment, %1 (Run all makes the runs of this one): "_tr.arg(setting) +
                  text);
  else
    verdict_->say(text);
}

void RunsTable::setTheme(const Theme& theme) {
  scale_ = theme.scale;
  refill();
}

void RunsTable::selectRun(int64_t id) {
  for (int row = 0; row < list_->rowCount(); ++row) {
    const QModelIndex index = list_->index(row, 0);
    if (index.data(RunsModel::kRunIdRole).toLongLong() != id) continue;
    view_->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    view_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
  }
}

std::vector<int64_t> RunsTable::selectedRuns() const {
  std::vector<int64_t> ids;
  for (const QModelIndex& index : view_->selectionModel()->selectedRows()) {
    const qlonglong id = index.data(RunsModel::kRunIdRole).toLongLong();
    if (id >= 0) ids.push_back(id);
  }
  return ids;
}

QJsonObject RunsTable::state() const {
  QJsonArray folded;
  for (const QString& key : list_->folded()) folded.append(key);
  const QJsonObject columns = columns_->state();
  return {{"sort", columns["sort"]},
          {"descending", columns["descending"]},
          {"filter", bar_->filter()->text()},
          {"group", bar_->groupBy()->currentData().toString()},
          {"folded", folded},
          {"all", bar_->all()->isChecked()}};
}

void RunsTable::restore(const QJsonObject& state) {
  if (const auto sort = find_run_column(state["sort"].toString().toStdString()); sort.ok())
    view_->sortByColumn(static_cast<int>(*sort),
                        state["descending"].toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
  bar_->filter()->setText(state["filter"].toString());
  bar_->groupBy()->setCurrentIndex(std::max(0, bar_->groupBy()->findData(state["group"].toString())));
  QStringList folded;
  for (const auto& key : state["folded"].toArray()) folded << key.toString();
  list_->setFolded(folded);
  bar_->all()->setChecked(state["all"].toBool());
}

// In the cell where it shows one of the texts, else in the name's, else in the form.
void RunsTable::rename() {
  const QModelIndex current = view_->currentIndex();
  if (!current.isValid()) return;
  const int column = RunsModel::editable(current.column()) ? current.column() : int{RunsModel::name};
  const QModelIndex cell = current.siblingAtColumn(column);
  if (view_->isColumnHidden(column) || !(cell.flags() & Qt::ItemIsEditable)) return editLabel();
  view_->setCurrentIndex(cell);
  view_->scrollTo(cell);
  view_->edit(cell);
}

void RunsTable::editLabel() {
  const qlonglong id = view_->currentIndex().data(RunsModel::kRunIdRole).toLongLong();
  const auto row = std::ranges::find(rows_, id, &RunSummary::id);
  if (row == rows_.end()) return;
  auto* form = new LabelForm(*row, this);
  connect(form, &LabelForm::wanted, this, [this, id](const RunLabel& label) { edits_.label(id, label); });
  form->open();
}

void RunsTable::remove() {
  const std::vector<int64_t> ids = selectedRuns();
  const int row = view_->currentIndex().row();
  edits_.remove(ids);
  const int next = std::min(row, list_->rowCount() - 1);
  if (next >= 0)
    view_->selectionModel()->setCurrentIndex(list_->index(next, 0), QItemSelectionModel::NoUpdate);
}

void RunsTable::showMenu(const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const std::vector<int64_t> ids = selectedRuns();
  const auto add = [&](const QString& title, bool can, auto what) {
    QAction* action = menu->addAction(title);
    action->setEnabled(can);
    connect(action, &QAction::triggered, this, what);
  };
  add("&Name, tags, note…\tShift+F2"_tr, !ids.empty(), [this] { editLabel(); });
  add(ids.size() > 1 ? "&Delete %1 runs\tDel"_tr.arg(ids.size()) : "&Delete\tDel"_tr, !ids.empty(),
      [this] { remove(); });
  add("Select all that are &shown\tCtrl+A"_tr, list_->rowCount() > 0, [this] { view_->selectAll(); });
  menu->addSeparator();
  add_copy_menu(*menu, view_);
  menu->addSeparator();
  add("&Import runs of another workspace…"_tr, true, [this] { Q_EMIT bringInRequested(); });
  menu->addMenu(columns_->menu(menu));
  menu->popup(view_->viewport()->mapToGlobal(at));
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/window/sql/sql_box.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QJsonArray>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/text/panel_find.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/table_copy.h"

namespace shardscope::inline window {

void QueryModel::set(QueryResult result) {
  beginResetModel();
  result_ = std::move(result);
  endResetModel();
}

int QueryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(result_.rows.size());
}

int QueryModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(result_.columns.size());
}

QVariant QueryModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || role != Qt::DisplayRole) return {};
  return QString::fromStdString(
      result_.rows[static_cast<size_t>(index.row())][static_cast<size_t>(index.column())]);
}

QVariant QueryModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || section < 0) return {};
  if (orientation == Qt::Vertical) return section + 1;
  return section < columnCount() ? QString::fromStdString(result_.columns[static_cast<size_t>(section)])
                                 : QVariant();
}

SqlBox::SqlBox(QWidget* parent)
    : QWidget(parent),
      sql_(new SqlEditor(this)),
      schema_(new SqlSchema(this)),
      queries_(new QComboBox(this)),
      run_(new QPushButton("Ask"_tr, this)),
      save_(new QPushButton("Save…"_tr, this)),
      remove_(new QPushButton("Remove"_tr, this)),
      budget_(new QSpinBox(this)),
      message_(new QLabel(this)),
      view_(new QTableView(this)),
      model_(new QueryModel(this)),
      chart_(new SqlChart(this)),
      answer_(new QTabWidget(this)) {
  connect(schema_, &SqlSchema::chosen, sql_, &SqlEditor::insertName);
  connect(schema_, &SqlSchema::namesRead, sql_, &SqlEditor::setWords);
  view_->setModel(model_);
  view_->setAccessibleName("Answer"_tr);
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setStretchLastSection(true);
  offer_copy(view_);
  offer_copy(schema_);
  answer_->addTab(view_, "Table"_tr);
  answer_->addTab(chart_, "Chart"_tr);
  answer_->setDocumentMode(true);
  answer_->setAccessibleName("Answer as"_tr);
  auto* parts = new QSplitter(this);
  parts->addWidget(schema_);
  parts->addWidget(makeQuestion());
  parts->addWidget(answer_);
  parts->setStretchFactor(0, 2);
  parts->setStretchFactor(1, 3);
  parts->setStretchFactor(2, 4);
  parts->setChildrenCollapsible(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(parts, 1);
  layout->addWidget(new PanelFind(this));
  listQueries();
  choose(0);
}

QWidget* SqlBox::makeQuestion() {
  auto* side = new QWidget(this);
  queries_->setAccessibleName("Queries"_tr);
  queries_->setToolTip("Queries that come with the program, then your own"_tr);
  queries_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  queries_->setMinimumContentsLength(12);
  run_->setToolTip("Ctrl+Return; read-only; once more cancels"_tr);
  save_->setToolTip("Keep this query under a name"_tr);
  remove_->setToolTip("Forget this query of your own"_tr);
  budget_->setRange(10, 1'000'000);
  budget_->setValue(10'000);
  budget_->setSuffix(" rows");
  budget_->setGroupSeparatorShown(true);
  budget_->setAccessibleName("Most rows of an answer"_tr);
  budget_->setToolTip("At most this many rows are read; a query may take 10 s"_tr);
  message_->setProperty("role", "muted");
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* choice = new QHBoxLayout;
  choice->addWidget(queries_, 1);
  choice->addWidget(save_);
  choice->addWidget(remove_);
  auto* ask = new QHBoxLayout;
  ask->addWidget(run_);
  ask->addWidget(budget_);
  ask->addWidget(message_, 1);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(choice);
  layout->addWidget(sql_, 1);
  layout->addLayout(ask);
  connect(run_, &QPushButton::clicked, this, [this] { asking_ ? cancel() : run(sql_->toPlainText()); });
  connect(queries_, &QComboBox::activated, this, &SqlBox::choose);
  connect(save_, &QPushButton::clicked, this, &SqlBox::askForName);
  connect(remove_, &QPushButton::clicked, this, [this] { removeQuery(queries_->currentText()); });
  const auto key = [this](const QKeySequence& keys, auto what) {
    auto* shortcut = new QShortcut(keys, this);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, what);
  };
  key(QKeySequence("Ctrl+Return"), [this] { run(sql_->toPlainText()); });
  return side;
}

void SqlBox::listQueries() {
  const QString before = queries_->currentText();
  queries_->clear();
  for (const ShippedQuery& query : shipped_queries()) queries_->addItem(query.title);
  if (!saved_.isEmpty()) queries_->insertSeparator(queries_->count());
  for (const QString& name : saved_.keys()) queries_->addItem(name);
  queries_->setCurrentIndex(std::max(0, queries_->findText(before)));
  remove_->setEnabled(saved_.contains(queries_->currentText()));
}

void SqlBox::choose(int place) {
  const QString name = queries_->itemText(place);
  queries_->setCurrentIndex(place);
  remove_->setEnabled(saved_.contains(name));
  x_.clear();
  y_.clear();
  if (saved_.contains(name)) return sql_->setPlainText(saved_[name].toString());
  for (const ShippedQuery& query : shipped_queries()) {
    if (name != query.title) continue;
    sql_->setPlainText(query.sql);
    x_ = query.x;
    y_ = query.y;
  }
}

void SqlBox::askForName() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle("Save query"_tr);
  dialog->setLabelText("Name of the query"_tr);
  if (saved_.contains(queries_->currentText())) dialog->setTextValue(queries_->currentText());
  connect(dialog, &QInputDialog::textValueSelected, this, &SqlBox::saveQuery);
  dialog->open();
}

void SqlBox::saveQuery(const QString& name) {
  const QString title = name.trimmed();
  if (title.isEmpty()) return;
  for (const ShippedQuery& query : shipped_queries()) {
    if (title == query.title)
      return message_->setText("“%1” comes with the program: choose another name"_tr.arg(title));
  }
  saved_[title] = sql_->toPlainText();
  listQueries();
  queries_->setCurrentIndex(queries_->findText(title));
  remove_->setEnabled(true);
  Q_EMIT keptChanged();
}

void SqlBox::removeQuery(const QString& name) {
  if (!saved_.contains(name)) return;
  saved_.remove(name);
  listQueries();
  Q_EMIT keptChanged();
}

QJsonObject SqlBox::kept() const {
  return {{"history", QJsonArray::fromStringList(sql_->history())}, {"saved", saved_}};
}

void SqlBox::setKept(const QJsonObject& kept) {
  QStringList history;
  for (const auto& sql : kept["history"].toArray()) history << sql.toString();
  sql_->setHistory(history);
  saved_ = kept["saved"].toObject();
  listQueries();
}

void SqlBox::setWorkspace(std::shared_ptr<Workspace> workspace) {
  workspace_ = std::move(workspace);
  schema_->read(workspace_);
}

void SqlBox::run(const QString& sql) {
  if (!workspace_) return;
  asking_ = true;
  run_->setText("Cancel"_tr);
  message_->setText("asking…"_tr);
  sql_->clearError();
  sql_->remember(sql);
  Q_EMIT keptChanged();
  query_.startReporting(
      [workspace = workspace_, text = sql.toStdString(), rows = int64_t{budget_->value()}](
          std::stop_token stop, const auto& /*post*/) {
        return workspace->query(text, QueryLimits{.rows = rows, .stop = stop});
      },
      [this](Result<QueryResult> answer) { take(std::move(answer)); });
}

void SqlBox::cancel() {
  query_.stop();
}

void SqlBox::take(Result<QueryResult> answer) {
  asking_ = false;
  run_->setText("Ask"_tr);
  if (answer.ok()) {
    const auto rows = static_cast<qlonglong>(answer->rows.size());
    message_->setText(answer->truncated ? "the first %1"_tr.arg(counted_tr(rows, "row"))
                                        : counted_tr(rows, "row"));
    model_->set(std::move(answer).value());
    fit_columns(*view_);
    chart_->setAnswer(model_->result(), x_, y_);
  } else {
    const Error& error = answer.error();
    const QStringList where = QString::fromStdString(error.where).split(':');
    QString words = QString::fromStdString(error.what);
    if (!error.fix.empty()) words += "; " + QString::fromStdString(error.fix);
    if (where.size() == 3) {
      words = "line %1, column %2: %3"_tr.arg(where[1], where[2], words);
      sql_->markError(where[1].toInt(), where[2].toInt());
    }
    message_->setText(words);
    model_->set({});
    chart_->setAnswer({}, {}, {});
  }
  Q_EMIT answered();
}

QString SqlBox::csv() const {
  return text(all_of(*model_), TableForm::csv);
}

}  // namespace shardscope::inline window

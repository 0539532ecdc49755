// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/sql_box.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QShortcut>
#include <QVBoxLayout>
#include <array>

#include "app/window/widgets/csv.h"

namespace shardscope {
namespace {

constexpr int64_t kMostRows = 10'000;

struct ExampleQuery {
  const char* title;
  const char* sql;
};
constexpr std::array kExamples{
    ExampleQuery{"Runs, fastest first",
                 "SELECT run, strategy, mesh, total_s, exposed_comm_s, overlap, allclose FROM run_summary "
                 "ORDER BY total_s"},
    ExampleQuery{
        "Tables and views",
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC, name"},
    ExampleQuery{"Longest events",
                 "SELECT device, lane, kind, start_s, duration_s, instruction, bytes FROM device_event WHERE "
                 "run = 1 ORDER BY duration_s DESC LIMIT 50"},
};

}  // namespace

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
      sql_(new QPlainTextEdit(this)),
      examples_(new QComboBox(this)),
      run_(new QPushButton("Query", this)),
      copy_(new QPushButton("Copy CSV", this)),
      message_(new QLabel(this)),
      view_(new QTableView(this)),
      model_(new QueryModel(this)) {
  sql_->setPlaceholderText("SELECT …");
  sql_->setAccessibleName("SQL");
  sql_->setPlainText(kExamples[0].sql);
  for (const ExampleQuery& example : kExamples) examples_->addItem(example.title);
  examples_->setAccessibleName("Example queries");
  run_->setToolTip("Ctrl+Return; read-only");
  message_->setProperty("role", "muted");
  message_->setWordWrap(true);
  view_->setModel(model_);
  view_->setAccessibleName("Answer");
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setStretchLastSection(true);
  auto* bar = new QVBoxLayout;
  bar->addWidget(examples_);
  bar->addWidget(run_);
  bar->addWidget(copy_);
  bar->addWidget(message_);
  bar->addStretch();
  auto* left = new QHBoxLayout;
  left->addWidget(sql_, 1);
  left->addLayout(bar);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addLayout(left, 2);
  layout->addWidget(view_, 3);
  connect(run_, &QPushButton::clicked, this, [this] { run(sql_->toPlainText()); });
  connect(copy_, &QPushButton::clicked, this, &SqlBox::copyCsv);
  connect(examples_, &QComboBox::activated, this,
          [this](int i) { sql_->setPlainText(kExamples[static_cast<size_t>(i)].sql); });
  auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
  shortcut->setContext(Qt::WidgetWithChildrenShortcut);
  connect(shortcut, &QShortcut::activated, run_, &QPushButton::click);
}

void SqlBox::setWorkspace(std::shared_ptr<Workspace> workspace) {
  workspace_ = std::move(workspace);
}

void SqlBox::run(const QString& sql) {
  if (!workspace_) return;
  run_->setEnabled(false);
  message_->setText("asking…");
  query_.start([workspace = workspace_,
                text = sql.toStdString()](std::stop_token) { return workspace->query(text, kMostRows); },
               [this](Result<QueryResult> answer) {
                 run_->setEnabled(true);
                 if (answer.ok()) {
                   const auto rows = static_cast<qlonglong>(answer->rows.size());
                   message_->setText(answer->truncated ? QString("the first %1 rows").arg(rows)
                                                       : QString("%1 rows").arg(rows));
                   model_->set(std::move(answer).value());
                   view_->resizeColumnsToContents();
                 } else {
                   model_->set({});
                   message_->setText(QString::fromStdString(answer.error().text()));
                 }
                 Q_EMIT answered();
               });
}

QString SqlBox::csv() const {
  const auto line = [](const std::vector<std::string>& cells) {
    QStringList out;
    for (const std::string& cell : cells) out << QString::fromStdString(cell);
    return csv_line(out);
  };
  QString out = line(model_->result().columns);
  for (const auto& row : model_->result().rows) out += line(row);
  return out;
}

void SqlBox::copyCsv() {
  QGuiApplication::clipboard()->setText(csv());
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/events_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/window/document/language.h"
#include "app/window/runs/event_search.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline window {
namespace {

constexpr size_t kMostEventRows = 100'000;

QString text_of(const ShownRun& shown, int32_t number, int column) {
  const ViewInput input = shown.input();
  const Event& event = shown.run->timeline.events[static_cast<size_t>(number)];
  switch (column) {
    case EventsModel::device:
      return QString::fromStdString(device_name(shown.run->mesh, event.device));
    case EventsModel::lane:
      return QString::fromStdString(lane_name(input, event.lane));
    case EventsModel::operation:
      return QString::fromStdString(instruction_name(input, event.instruction) +
                                    (is_transfer(event) ? ", " + transfer_name(input, number) : ""));
    case EventsModel::beat: {
      const int32_t beat = shown.story ? shown.story->beat_of(number) : -1;
      return beat < 0 ? QString() : QString::number(beat);
    }
    case EventsModel::start:
      return QString::fromStdString(format_picoseconds(event.start));
    case EventsModel::time:
      return QString::fromStdString(format_picoseconds(event.end - event.start));
    case EventsModel::bytes:
      return QString::fromStdString(format_bytes(static_cast<double>(event.bytes)));
    default:
      return {};
  }
}

}  // namespace

void EventsModel::set(ShownRunPtr shown, std::vector<int32_t> numbers) {
  beginResetModel();
  shown_ = std::move(shown);
  numbers_ = std::move(numbers);
  endResetModel();
}

int EventsModel::rowOf(int32_t number) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return found != numbers_.end() && *found == number ? static_cast<int>(found - numbers_.begin()) : -1;
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(numbers_.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(column_count);
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int32_t event = number(index.row());
  if (role == Qt::DisplayRole) return text_of(*shown_, event, index.column());
  if (role == Qt::ToolTipRole) return QString::fromStdString(event_name(shown_->input(), event));
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter | (index.column() < beat ? Qt::AlignLeft : Qt::AlignRight));
  return {};
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const std::array<TableColumn, column_count> kColumns{{
      {"device"_tr, "Place of the device on the mesh"_tr},
      {"lane"_tr, "What is busy: compute, a link, the copy engine"_tr},
      {"operation"_tr, "Instruction of the program"_tr},
      {"step"_tr, "Step of the story in which it happens"_tr},
      {"start"_tr, "Since the start of the run"_tr},
      {"time"_tr, "How long it takes"_tr},
      {"bytes"_tr, "Bytes that it moves; empty: none"_tr},
  }};
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const TableColumn& column = kColumns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  return role == Qt::ToolTipRole ? QVariant(column.meaning) : QVariant();
}

EventsTable::EventsTable(Clock& clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      filter_(new QLineEdit(this)),
      summary_(new QLabel(this)),
      model_(new EventsModel(this)),
      view_(new QTableView(this)) {
  filter_->setPlaceholderText("device, lane or operation: col+ dot (0,1)"_tr);
  filter_->setAccessibleName("Filter of the events"_tr);
  filter_->setClearButtonEnabled(true);
  summary_->setProperty("role", "muted");
  offer_copy(view_);
  view_->setModel(model_);
  view_->setAccessibleName("Events"_tr);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->setWordWrap(false);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setSectionResizeMode(EventsModel::operation, QHeaderView::Stretch);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  line->addWidget(filter_, 1);
  line->addWidget(summary_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(view_, 1);
  connect(filter_, &QLineEdit::textChanged, this, &EventsTable::read);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &EventsTable::selectRow);
  connect(&clock_, &Clock::runChanged, this, &EventsTable::read);
  connect(&clock_, &Clock::changed, this, &EventsTable::followClock);
  read();
}

void EventsTable::setTheme(const Theme& /*theme*/) {
  view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + fontMetrics().height() / 2);
  for (int column = 0; column < model_->columnCount(); ++column)  // the operation has the rest
    if (column != EventsModel::operation)
      view_->setColumnWidth(column, fontMetrics().horizontalAdvance("1000.00 µs__"));
}

// Events are read when somebody looks.
void EventsTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void EventsTable::read() {
  const ShownRunPtr& shown = clock_.shown();
  if (!shown) {
    model_->set(nullptr, {});
    return summary_->setText("The shown run's events, one a row."_tr);
  }
  if (!isVisible()) return model_->set(nullptr, {});
  const FoundEvents found = find_events(*shown, filter_->text(), kMostEventRows);
  const auto all = static_cast<qint64>(shown->run->timeline.events.size());
  QString text = "%L1 of %L2 events"_tr.arg(found.count).arg(all);
  if (found.count > static_cast<int64_t>(kMostEventRows))
    text += ", the first %L1 here"_tr.arg(kMostEventRows);
  if (shown->unread())
    text = QString::fromStdString(why_unread(shown->input()));
  else if (all == 0 && shown->run->timeline.event_count > 0)
    text = "Only the totals of this run were kept."_tr;
  summary_->setText(text);
  const QSignalBlocker quiet(view_->selectionModel());
  model_->set(shown, found.numbers);
  followClock();
}

void EventsTable::selectRow() {
  const QModelIndex row = view_->currentIndex();
  if (!row.isValid()) return;
  const int32_t number = model_->number(row.row());
  const ItemId item = event_item(clock_.shown()->input(), number);
  if (clock_.selection().selected != item) clock_.select(item);
}

void EventsTable::followClock() {
  const int row = model_->rowOf(clock_.selection().selected.event);
  if (row == view_->currentIndex().row()) return;
  const QSignalBlocker quiet(view_->selectionModel());
  view_->setCurrentIndex(row < 0 ? QModelIndex() : model_->index(row, 0));
  if (row >= 0) view_->selectRow(row);
  view_->viewport()->update();
}

}  // namespace shardscope::inline window

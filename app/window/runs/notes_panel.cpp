// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/notes_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/table_columns.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline window {
namespace {

enum NoteColumn { time_column, where_column, text_column, column_count };

QString where(const ShownRun& shown, const Note& note) {
  if (find_event(shown.input(), note.event))
    return QString::fromStdString(event_name(shown.input(), note.event));
  if (note.device >= 0 && note.device < shown.run->timeline.devices)
    return "device %1"_tr.arg(QString::fromStdString(device_name(shown.run->mesh, note.device)));
  return "all devices"_tr;
}

// Into the item that is there: it may be the one that is being written.
void put(QTableWidget& table, int row, int column, const QString& text) {
  QTableWidgetItem* item = table.item(row, column);
  if (item == nullptr) {
    item = new QTableWidgetItem;
    if (column != text_column) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
    table.setItem(row, column, item);
  }
  if (item->text() != text) item->setText(text);
  item->setToolTip(text);
}

}  // namespace

NotesPanel::NotesPanel(Notes& notes, Clock& clock, QWidget* parent)
    : QWidget(parent),
      notes_(notes),
      clock_(clock),
      table_(new QTableWidget(0, column_count, this)),
      add_(new QPushButton("Add note"_tr, this)),
      go_(new QPushButton("Go to"_tr, this)),
      remove_(new QPushButton("Delete"_tr, this)) {
  set_columns(*table_, {{"time"_tr, "Moment of the run that it is about"_tr},
                        {"of"_tr, "Event, device or link that was selected"_tr},
                        {"note"_tr, "Your words; Enter changes them"_tr}});
  table_->setAccessibleName("Notes of the shown run"_tr);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(text_column, QHeaderView::Stretch);
  add_->setToolTip("A note at the moment, of the event or device that is selected"_tr);
  go_->setToolTip("Select the note's event and go to its moment (Enter)"_tr);
  remove_->setToolTip("Delete the note (Del); Ctrl+Z brings it back"_tr);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(8, 4, 8, 4);
  for (QPushButton* button : {add_, go_, remove_}) buttons->addWidget(button);
  buttons->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(buttons);
  layout->addWidget(table_, 1);
  connect(add_, &QPushButton::clicked, this, &NotesPanel::addHere);
  connect(go_, &QPushButton::clicked, this, [this] { notes_.go(table_->currentRow()); });
  connect(remove_, &QPushButton::clicked, this, &NotesPanel::removeRow);
  connect(table_, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
    if (item->column() == text_column) notes_.setText(item->row(), item->text());
  });
  connect(&notes_, &Notes::changed, this, &NotesPanel::read);
  connect(&clock_, &Clock::runChanged, this, &NotesPanel::read);
  read();
}

void NotesPanel::read() {
  const QSignalBlocker quiet(table_);
  const int row = table_->currentRow();
  const ShownRunPtr& shown = clock_.shown();
  const auto& notes = notes_.now().notes;
  table_->setRowCount(shown ? static_cast<int>(notes.size()) : 0);
  for (int r = 0; r < table_->rowCount(); ++r) {
    const Note& note = notes[static_cast<size_t>(r)];
    put(*table_, r, time_column, QString::fromStdString(format_picoseconds(note.time)));
    put(*table_, r, where_column, where(*shown, note));
    put(*table_, r, text_column, note.text);
  }
  if (table_->rowCount() > 0) table_->setCurrentCell(std::clamp(row, 0, table_->rowCount() - 1), text_column);
  add_->setEnabled(shown && shown->run->id);
  for (QPushButton* button : {go_, remove_}) button->setEnabled(table_->rowCount() > 0);
}

void NotesPanel::addHere() {
  if (!clock_.shown() || !clock_.shown()->run->id) return;
  const Selection& selection = clock_.selection();
  Note note{selection.time, selection.selected.device, -1, {}};
  if (selection.selected.kind == ItemId::Kind::event) note.event = selection.selected.event;
  const int row = notes_.add(note);
  table_->setCurrentCell(row, text_column);
  table_->editItem(table_->item(row, text_column));
}

void NotesPanel::removeRow() {
  if (table_->currentRow() >= 0) notes_.remove(table_->currentRow());
}

void NotesPanel::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Delete:
      return removeRow();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return notes_.go(table_->currentRow());
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window

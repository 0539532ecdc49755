// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/grouped_panel.h"

#include <QHBoxLayout>
#include <QUndoCommand>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

// Edits with the same number become one: a drag, or what is typed into one field in a row.
constexpr int kTyped = 1;
constexpr int kFirstDrag = 100;

QString sizes_text(const std::vector<int64_t>& sizes) {
  QStringList parts;
  for (int64_t size : sizes) parts << QString::number(size);
  return parts.join(", ");
}

}  // namespace

class GroupedEdit : public QUndoCommand {
 public:
  GroupedEdit(GroupedPanel& panel, GroupedRows before, GroupedRows after, int merge_id)
      : QUndoCommand("edit of the groups"_tr),
        panel_(panel),
        before_(std::move(before)),
        after_(std::move(after)),
        merge_id_(merge_id) {}
  int id() const override { return merge_id_; }
  bool mergeWith(const QUndoCommand* later) override {
    after_ = static_cast<const GroupedEdit*>(later)->after_;
    return true;
  }
  void undo() override { panel_.showRows(before_); }
  void redo() override { panel_.showRows(after_); }

 private:
  GroupedPanel& panel_;
  GroupedRows before_, after_;
  int merge_id_;
};

GroupedPanel::GroupedPanel(QWidget* parent)
    : QWidget(parent),
      sizes_(new QLineEdit(this)),
      tile_(new QSpinBox(this)),
      first_(new QSpinBox(this)),
      local_(new QSpinBox(this)),
      empty_(new QCheckBox("visit empty groups"_tr, this)),
      problem_(new QLabel(this)),
      canvas_(new GroupedCanvas(this)) {
  sizes_->setAccessibleName("Group sizes"_tr);
  sizes_->setToolTip("Rows of each group, as in 3, 6, 7; drag the boundaries in the picture, too"_tr);
  tile_->setRange(1, 1 << 20);
  tile_->setAccessibleName("Rows of a tile"_tr);
  first_->setAccessibleName("First group of the shard"_tr);
  local_->setAccessibleName("Groups of the shard"_tr);
  local_->setSpecialValueText("all the rest"_tr);
  empty_->setToolTip("As tgmm does, which writes the zeros of empty groups"_tr);
  problem_->setWordWrap(true);
  auto* fields = new QWidget(this);
  fields->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // a narrow dock cuts them off
  auto* lines = new QVBoxLayout(fields);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->addWidget(labelled("Group sizes"_tr, sizes_, this));
  auto* line = new QHBoxLayout;
  lines->addLayout(line);
  line->addWidget(labelled("Tile"_tr, tile_, this));
  line->addWidget(labelled("Shard from"_tr, first_, this));
  line->addWidget(labelled("groups"_tr, local_, this));
  line->addWidget(empty_);
  line->addStretch(1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(6, 6, 6, 0);
  all->addWidget(fields);
  all->addWidget(problem_);
  all->addWidget(canvas_, 1);

  connect(sizes_, &QLineEdit::textEdited, this, &GroupedPanel::readFields);
  connect(sizes_, &QLineEdit::editingFinished, this, [this] { ++drags_; });
  for (QSpinBox* box : {tile_, first_, local_})
    connect(box, &QSpinBox::valueChanged, this, &GroupedPanel::readFields);
  connect(empty_, &QCheckBox::toggled, this, &GroupedPanel::readFields);
  connect(canvas_, &GroupedCanvas::boundaryMoved, this, [this](qint64 boundary, qint64 row) {
    GroupedRows moved = rows_;
    moved.group_sizes = with_boundary(moved.group_sizes, boundary, row);
    if (moved != rows_) edit(moved, kFirstDrag + drags_);
  });
  connect(canvas_, &GroupedCanvas::moveEnded, this, [this] { ++drags_; });
  connect(canvas_, &GroupedCanvas::undoRequested, &undo_, &QUndoStack::undo);
  connect(canvas_, &GroupedCanvas::redoRequested, &undo_, &QUndoStack::redo);

  GroupedRows start;
  start.group_sizes = {300, 0, 212, 640, 128, 256};
  start.m = 1536;
  start.tm = 128;
  showRows(start);
}

void GroupedPanel::setTheme(const Theme& theme) {
  canvas_->setTheme(theme);
  QPalette warned = problem_->palette();
  warned.setColor(QPalette::WindowText, QColor(theme.warning.r, theme.warning.g, theme.warning.b));
  problem_->setPalette(warned);
}

void GroupedPanel::readFields() {
  if (showing_) return;
  const auto sizes = parse_group_sizes(sizes_->text().toStdString());
  if (!sizes.ok()) {
    problem_->setText(in_window(sizes.error()));
    problem_->show();
    return canvas_->setSchedule(std::nullopt);
  }
  GroupedRows typed = rows_;
  typed.group_sizes = *sizes;
  typed.m = 0;
  for (int64_t size : *sizes) typed.m += std::clamp<int64_t>(size, 0, INT32_MAX);
  typed.tm = tile_->value();
  typed.group_offset = first_->value();
  typed.local_groups.reset();
  if (local_->value() > 0) typed.local_groups = local_->value();
  typed.visit_empty = empty_->isChecked();
  if (typed != rows_) return edit(typed, sender() == sizes_ ? kTyped : -1);
  showRows(rows_);
}

void GroupedPanel::edit(const GroupedRows& rows, int merge_id) {
  undo_.push(new GroupedEdit(*this, rows_, rows, merge_id));
}

void GroupedPanel::showRows(const GroupedRows& rows) {
  rows_ = rows;
  showing_ = true;
  const auto typed = parse_group_sizes(sizes_->text().toStdString());
  if (!typed.ok() || *typed != rows.group_sizes) sizes_->setText(sizes_text(rows.group_sizes));
  const int groups = static_cast<int>(rows.group_sizes.size());
  tile_->setValue(static_cast<int>(rows.tm));
  first_->setRange(0, std::max(groups - 1, static_cast<int>(rows.group_offset)));
  first_->setValue(static_cast<int>(rows.group_offset));
  local_->setRange(0, std::max(groups, static_cast<int>(rows.local_groups.value_or(0))));
  local_->setValue(static_cast<int>(rows.local_groups.value_or(0)));
  empty_->setChecked(rows.visit_empty);
  showing_ = false;
  auto schedule = make_group_metadata(rows);
  problem_->setVisible(!schedule.ok());
  if (schedule.ok()) return canvas_->setSchedule(*std::move(schedule));
  problem_->setText(in_window(schedule.error()));
  canvas_->setSchedule(std::nullopt);
}

}  // namespace shardscope::inline window

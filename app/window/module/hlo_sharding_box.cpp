// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_sharding_box.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/sharding/sdy_text.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline window {

HloShardingBox::HloShardingBox(QWidget* parent)
    : QWidget(parent),
      tiles_(new TileCanvas(this)),
      field_(new QLineEdit(this)),
      undo_(small_button("Undo"_tr, "Undo the last edit of the module"_tr, this)),
      redo_(small_button("Redo"_tr, "Redo the edit"_tr, this)),
      refusal_(refusal_label(this)),
      forms_(form_label("", this)),
      origin_(form_label("", this)) {
  field_->setAccessibleName("Sharding"_tr);
  field_->setToolTip(
      "{devices=…}, P('x',None) or #sdy.sharding<@mesh, [{\"x\"}, {}]>, then Enter; empty takes the sharding "
      "away"_tr);
  forms_->setWordWrap(true);
  forms_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  forms_->setAccessibleName("The sharding in three forms"_tr);
  forms_->setToolTip("The same sharding as HLO, JAX and Shardy write it; each can be typed above"_tr);
  origin_->setWordWrap(true);
  origin_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  origin_->setAccessibleName("Origin of the sharding"_tr);
  origin_->hide();
  auto* line = new QHBoxLayout;
  line->addWidget(field_, 1);
  line->addWidget(undo_);
  line->addWidget(redo_);
  auto* below = new QVBoxLayout;
  below->setContentsMargins(8, 2, 8, 6);
  below->setSpacing(4);
  below->addLayout(line);
  below->addWidget(refusal_);
  below->addWidget(forms_);
  below->addWidget(origin_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(tiles_, 1);
  layout->addLayout(below);
  connect(field_, &QLineEdit::returnPressed, this, [this] { Q_EMIT shardingTyped(field_->text()); });
  connect(tiles_, &TileCanvas::editRequested, this, &HloShardingBox::edit);
  setArray(std::nullopt, "", {});
}

namespace {

// One to a line; what has no word in a language is left out.
QString forms_of(const ShardedArray& array) {
  QStringList out{QString::fromStdString(array.sharding->text())};
  if (const auto named = array.sharding->to_named(array.mesh); named.ok()) {
    const PartitionSpec& spec = named->spec();
    out << QString::fromStdString(spec_text(spec, array.dims.size()))
        << QString::fromStdString(sdy_sharding_text(spec, array.dims.size(), "mesh"));
  }
  return out.join('\n');
}

}  // namespace

void HloShardingBox::setArray(std::optional<ShardedArray> array, const QString& own,
                              const QStringList& origin) {
  const QString given = array && array->sharding ? QString::fromStdString(array->sharding->text()) : "";
  field_->setEnabled(array.has_value() || !own.isEmpty());
  field_->setText(own);
  field_->setCursorPosition(0);
  field_->setPlaceholderText(!array ? "" : given.isEmpty() ? "none: {devices=…} or P('x',None)"_tr : given);
  forms_->setText(array && array->sharding ? forms_of(*array) : QString());
  forms_->setVisible(!forms_->text().isEmpty());
  origin_->setText(origin.join('\n'));
  origin_->setVisible(!origin.isEmpty());
  tiles_->setArray(std::move(array));
  refuse("");
}

void HloShardingBox::setUndoStack(QUndoStack& stack) {
  connect(undo_, &QToolButton::clicked, &stack, &QUndoStack::undo);
  connect(redo_, &QToolButton::clicked, &stack, &QUndoStack::redo);
  connect(&stack, &QUndoStack::canUndoChanged, undo_, &QWidget::setEnabled);
  connect(&stack, &QUndoStack::canRedoChanged, redo_, &QWidget::setEnabled);
  undo_->setEnabled(stack.canUndo());
  redo_->setEnabled(stack.canRedo());
}

void HloShardingBox::refuse(const QString& reason) {
  mark_invalid(field_, refusal_, reason);
}

void HloShardingBox::edit() {
  if (!field_->isEnabled()) return;
  field_->setFocus(Qt::ShortcutFocusReason);
  if (field_->text().isEmpty())
    field_->setText(field_->placeholderText().startsWith('{') ? field_->placeholderText() : "");
  field_->selectAll();
}

}  // namespace shardscope::inline window

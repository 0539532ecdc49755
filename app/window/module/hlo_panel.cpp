// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/drop_target.h"
#include "app/window/widgets/form_parts.h"
#include "engine/session/hlo_presets.h"

namespace shardscope::inline window {
namespace {

constexpr int kFewLines = 34;

QComboBox* make_presets(HloPanel* panel) {
  auto* presets = new QComboBox(panel);
  presets->setAccessibleName("Built-in modules"_tr);
  presets->setToolTip("Modules that come with Shardscope"_tr);
  presets->setPlaceholderText("built-in modules"_tr);
  for (const HloPreset& preset : hlo_presets()) {
    presets->addItem(QString::fromStdString(preset.name));
    presets->setItemData(presets->count() - 1, QString::fromStdString(preset.title), Qt::ToolTipRole);
  }
  presets->setCurrentIndex(-1);
  QObject::connect(presets, &QComboBox::activated, panel,
                   [panel, presets] { Q_EMIT panel->requested("hlo.preset." + presets->currentText()); });
  return presets;
}

QList<QWidget*> make_buttons(HloPanel* panel, QComboBox* presets) {
  auto* open_file =
      small_button("Open…"_tr, "A module from a file: HLO text, or StableHLO (.mlir)"_tr, panel);
  QObject::connect(open_file, &QToolButton::clicked, panel, [panel] { Q_EMIT panel->requested("hlo.open"); });
  auto* paste_text = small_button("Paste"_tr, "The clipboard's text as the module"_tr, panel);
  QObject::connect(paste_text, &QToolButton::clicked, panel, &HloPanel::paste);
  auto* keep =
      small_button("Save"_tr, "The module, the partitioned program and the collectives as files"_tr, panel);
  auto* menu = new QMenu(keep);
  const auto add = [&](const QString& title, const char* command) {
    menu->addAction(title, [panel, command] { Q_EMIT panel->requested(command); });
  };
  add("Save the module"_tr, "file.save");
  add("Save the module as…"_tr, "hlo.save_as");
  menu->addSeparator();
  add("Copy the partitioned program"_tr, "hlo.copy");
  add("Save the partitioned program…"_tr, "hlo.save");
  add("Save the stages as HTML…"_tr, "hlo.stages");
  add("Save as JAX code…"_tr, "hlo.jax");
  add("Export the collectives as CSV…"_tr, "hlo.export");
  keep->setMenu(menu);
  keep->setPopupMode(QToolButton::InstantPopup);
  auto* compare =
      small_button("Compare…"_tr, "With the partitioned program, with what it was, another module"_tr, panel);
  QObject::connect(compare, &QToolButton::clicked, panel, [panel] { Q_EMIT panel->requested("hlo.diff"); });
  return {presets, open_file, paste_text, keep, compare};
}

// Esc stops what runs, before it is the window's.
class StopKey : public QObject {
 public:
  explicit StopKey(HloPanel& panel) : QObject(&panel), panel_(panel) { panel.installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    const bool presses = event->type() == QEvent::KeyPress;
    if (!presses && event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    const bool busy = panel_.busy() || panel_.findChild<HloAlternative*>()->busy();
    if (!busy || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
      return QObject::eventFilter(watched, event);
    event->accept();
    if (presses) Q_EMIT panel_.job()->cancelRequested();
    return true;
  }

 private:
  HloPanel& panel_;
};

}  // namespace

HloPanel::HloPanel(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      presets_(make_presets(this)),
      options_(new HloOptionsForm(bench.document(), make_buttons(this, presets_), this)),
      status_(new HloStatus(this)),
      texts_(new HloTexts(this)),
      stages_(new HloStages(texts_, this)),
      tables_(new HloTables(this)),
      sharding_(new HloShardingBox(this)),
      outline_(new HloOutline(this)),
      split_(new QSplitter(Qt::Vertical, this)),
      upper_(new QSplitter(Qt::Horizontal, this)),
      lower_(new QSplitter(Qt::Horizontal, this)),
      edits_(*texts_, *options_),
      selector_({texts_, stages_, tables_, sharding_, outline_, &bench.clock()}, this),
      file_(edits_) {
  setObjectName("HLO");
  sharding_->setUndoStack(edits_.stack());
  lower_->addWidget(tables_);
  lower_->addWidget(sharding_);
  upper_->addWidget(outline_);
  upper_->addWidget(stages_);
  upper_->setStretchFactor(1, 1);
  upper_->setSizes({190, 1000});
  split_->addWidget(upper_);
  split_->addWidget(lower_);
  for (QSplitter* each : {lower_, split_}) {
    each->setStretchFactor(0, 3);
    each->setStretchFactor(1, 2);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(options_);
  layout->addWidget(status_);
  layout->addWidget(split_, 1);
  const auto open_file = [this](const QString& path) {
    if (const auto opened = file_.open(path); !opened.ok()) status_->setProblem(opened.error());
  };
  new DropTarget(this, [this](const QString& text) { file_.openText(text, "dropped.hlo"); });
  connect(texts_->source(), &HloTextView::fileDropped, this, open_file);
  for (QWidget* each :
       std::initializer_list<QWidget*>{sharding_->tiles(), tables_->collectives(), texts_->made()})
    edits_.takeKeys(each);
  for (HloShardingField* field : texts_->findChildren<HloShardingField*>()) {
    connect(field, &HloShardingField::typed, this, [this, field](const QString& text) {
      const auto taken = setSharding(texts_->lines().instructionAt(field->line()), text);
      taken.ok() ? field->closeField() : field->refuse(in_window(taken.error()));
    });
  }
  connect(sharding_, &HloShardingBox::shardingTyped, this,
          [this](const QString& text) { (void)setSharding(selector_.shown(), text); });
  connectWork();
  new StopKey(*this);
}

void HloPanel::setTheme(const Theme& theme) {
  texts_->setTheme(theme);
  stages_->setTheme(theme);
  sharding_->tiles()->setTheme(theme);
  tables_->fitColumns();
}

void HloPanel::openPreset(const QString& name) {
  for (const HloPreset& preset : hlo_presets()) {
    if (preset.name != name.toStdString()) continue;
    file_.openText(QString::fromStdString(preset.text), name + ".hlo");
    presets_->setCurrentText(name);
  }
}

QJsonObject HloPanel::state() const {
  QJsonObject out = file_.state();
  put_shown(out, restoring_ ? *restoring_ : state_of(bench_.clock().of(Subject::module)));
  return out;
}

void HloPanel::restore(const QJsonObject& state) {
  file_.restore(state);
  if (ShownState shown = read_shown(state); !shown.runs.empty()) restoring_ = std::move(shown);
}

QString HloPanel::partitionedText() const {
  return reading_ && reading_->made ? QString::fromStdString(reading_->made->text()) : QString();
}

void HloPanel::paste() {
  const QString text = QApplication::clipboard()->text();
  if (text.trimmed().isEmpty())
    return status_->setProblem(invalid(said("the clipboard holds no text"), "", said("copy a module first")));
  file_.openText(text, "pasted.hlo");
}

void HloPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool low = height() < kFewLines * fontMetrics().height();
  if (low == low_) return;
  low_ = low;
  split_->setOrientation(low ? Qt::Horizontal : Qt::Vertical);
  options_->setFolded(low);
  texts_->setTitlesShown(!low);
  outline_->setVisible(!low);
  if (low) {
    tables_->tabs()->addTab(sharding_, "Sharding"_tr);
  } else {
    lower_->addWidget(sharding_);
    sharding_->show();
  }
  split_->setSizes({3, 2});
  lower_->setSizes({3, 2});
}

void HloPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_F2) return QWidget::keyPressEvent(event);
  if (low_) tables_->tabs()->setCurrentWidget(sharding_);
  sharding_->edit();
}

}  // namespace shardscope::inline window

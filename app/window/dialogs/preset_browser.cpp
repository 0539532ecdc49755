// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/preset_browser.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

QString as_text(const std::string& from) {
  return QString::fromStdString(from);
}

const CataloguedPreset* preset_of(const QListWidgetItem* item) {
  if (item == nullptr) return nullptr;
  return &preset_catalogue()[static_cast<size_t>(item->data(Qt::UserRole).toInt())];
}

QString strategies_of(const CataloguedPreset& preset) {
  QStringList ids;
  for (const RunRequest& run : preset.experiment.runs) ids << as_text(run.strategy);
  ids.removeDuplicates();
  return ids.isEmpty() ? "every strategy"_tr : ids.join(", ");
}

QString told(const CataloguedPreset& preset, const QString& notes) {
  const Experiment& e = preset.experiment;
  const auto paragraph = [](const QString& said) { return "<p>" + said.toHtmlEscaped() + "</p>"; };
  QString out = "<h3>" + as_text(e.title).toHtmlEscaped() + "</h3>";
  out += paragraph("%1 · %2 (%3) · %4"_tr.arg(as_text(preset.topic), counted_tr(preset.devices, "device"),
                                              as_text(e.mesh.text()), as_text(e.hardware)));
  out += paragraph(QString("m = %1, k = %2, n = %3, %4")
                       .arg(e.problem.m)
                       .arg(e.problem.k)
                       .arg(e.problem.n)
                       .arg(as_text(name(e.problem.dtype))));
  out += paragraph("Runs %1."_tr.arg(strategies_of(preset)));
  if (!e.source.empty()) out += paragraph("From %1."_tr.arg(as_text(e.source)));
  for (const QString& line : notes.split('\n', Qt::SkipEmptyParts)) out += paragraph(line);
  return out;
}

}  // namespace

PresetBrowser::PresetBrowser(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit(this)),
      topic_(new QComboBox(this)),
      size_(new QComboBox(this)),
      paper_(new QCheckBox("From a &paper or notebook"_tr, this)),
      count_(form_label("", this)),
      about_(new QLabel),
      list_(new QListWidget),
      open_(nullptr) {
  setWindowTitle("Presets"_tr);
  explained_by(this, "presets");
  list_->setAccessibleName("Presets"_tr);
  list_->setViewMode(QListView::IconMode);
  list_->setResizeMode(QListView::Adjust);
  list_->setMovement(QListView::Static);
  list_->setUniformItemSizes(true);
  list_->setWordWrap(true);
  list_->setSpacing(4);
  about_->setWordWrap(true);
  about_->setTextFormat(Qt::RichText);
  about_->setAlignment(Qt::AlignTop);
  about_->setMargin(8);
  about_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* side = new QScrollArea;
  side->setWidgetResizable(true);
  side->setWidget(about_);
  side->setMinimumWidth(fontMetrics().averageCharWidth() * 28);
  auto* split = new QSplitter(this);
  split->addWidget(list_);
  split->addWidget(side);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 1);
  split->setChildrenCollapsible(false);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  open_ = buttons->addButton("&Open"_tr, QDialogButtonBox::AcceptRole);
  open_->setToolTip("It becomes the experiment; what was edited stays in the journal"_tr);
  open_->setDefault(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(makeFilters());
  layout->addWidget(split, 1);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(open_, &QPushButton::clicked, this, &PresetBrowser::openChosen);
  connect(list_, &QListWidget::itemActivated, this, &PresetBrowser::openChosen);
  connect(list_, &QListWidget::currentItemChanged, this, &PresetBrowser::tell);
  connect(&pictures_, &PresetPictures::made, this, &PresetBrowser::showPicture);
  const QSize wanted(fontMetrics().averageCharWidth() * 150, fontMetrics().height() * 44);
  const QSize room = parent != nullptr ? parent->size() : screen()->availableSize();
  resize(wanted.boundedTo(room * 0.95));
  split->setSizes({width() * 2 / 3, width() / 3});
  setTheme(theme);
  search_->setFocus(Qt::OtherFocusReason);
}

QWidget* PresetBrowser::makeFilters() {
  auto* bar = new QWidget(this);
  auto* line = new FlowLayout(bar);
  search_->setPlaceholderText("Search titles, papers, strategies"_tr);
  search_->setAccessibleName("Search presets"_tr);
  search_->setClearButtonEnabled(true);
  search_->setMinimumWidth(fontMetrics().averageCharWidth() * 34);
  search_->installEventFilter(this);
  topic_->setAccessibleName("Topic"_tr);
  topic_->addItem("Every topic"_tr, "");
  for (const std::string& topic : preset_topics()) topic_->addItem(as_text(topic), as_text(topic));
  size_->setAccessibleName("Size"_tr);
  size_->addItem("Every size"_tr, "");
  for (const PresetSize& each : preset_sizes()) size_->addItem(as_text(each.name), as_text(each.name));
  paper_->setToolTip("Only those that come from a paper, a book or a notebook"_tr);
  for (QWidget* each : std::initializer_list<QWidget*>{search_, topic_, size_, paper_, count_})
    line->addWidget(each);
  connect(search_, &QLineEdit::textChanged, this, &PresetBrowser::narrow);
  connect(topic_, &QComboBox::currentIndexChanged, this, &PresetBrowser::narrow);
  connect(size_, &QComboBox::currentIndexChanged, this, &PresetBrowser::narrow);
  connect(paper_, &QCheckBox::toggled, this, &PresetBrowser::narrow);
  return bar;
}

void PresetBrowser::setTheme(const Theme& theme) {
  const QSize picture = QSize(220, 132) * static_cast<double>(theme.scale);
  list_->setIconSize(picture);
  list_->setGridSize(picture + QSize(fontMetrics().height(), fontMetrics().height() * 4));
  pictures_.setLook(theme, picture);
  narrow();
}

void PresetBrowser::narrow() {
  const PresetFilter filter{search_->text().toStdString(), topic_->currentData().toString().toStdString(),
                            size_->currentData().toString().toStdString(), paper_->isChecked()};
  list_->clear();
  QStringList names;
  QPixmap blank(list_->iconSize());
  blank.fill(palette().color(QPalette::Window));
  const auto& all = preset_catalogue();
  for (const size_t i : found_presets(filter)) {
    auto* item = new QListWidgetItem(QIcon(blank), as_text(all[i].experiment.title), list_);
    item->setData(Qt::UserRole, static_cast<int>(i));
    item->setData(Qt::AccessibleTextRole, QStringList{as_text(all[i].experiment.title), as_text(all[i].topic),
                                                      counted_tr(all[i].devices, "device")}
                                              .join(", "));
    item->setToolTip(as_text(all[i].name));
    names << as_text(all[i].name);
    showPicture(names.back());
  }
  count_->setText("%1 of %2"_tr.arg(list_->count()).arg(all.size()));
  list_->setCurrentRow(0);
  tell();
  pictures_.want(names);
}

void PresetBrowser::showPicture(const QString& name) {
  const QImage picture = pictures_.picture(name);
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    if (as_text(preset_of(item)->name) == name && !picture.isNull())
      item->setIcon(QIcon(QPixmap::fromImage(picture)));
  }
  const CataloguedPreset* chosen = preset_of(list_->currentItem());
  if (chosen != nullptr && as_text(chosen->name) == name) tell();
}

void PresetBrowser::tell() {
  const CataloguedPreset* preset = preset_of(list_->currentItem());
  open_->setEnabled(preset != nullptr);
  about_->setText(preset == nullptr ? "No preset has all of that."_tr
                                    : told(*preset, pictures_.notes(as_text(preset->name))));
}

void PresetBrowser::openChosen() {
  const CataloguedPreset* preset = preset_of(list_->currentItem());
  if (preset == nullptr) return;
  const QString name = as_text(preset->name);
  close();
  Q_EMIT opened(name);
}

// From the search the arrows walk through the pictures.
bool PresetBrowser::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Down && key != Qt::Key_Up) return QDialog::eventFilter(watched, event);
  list_->setFocus(Qt::OtherFocusReason);
  return true;
}

}  // namespace shardscope::inline window

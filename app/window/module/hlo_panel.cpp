// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "engine/base/read_file.h"
#include "engine/session/hlo_presets.h"

namespace shardscope {
namespace {

constexpr int64_t kLargestText = int64_t{64} << 20;  // more is for the command line
constexpr int kFewLines = 34;
constexpr int kPauseMs = 400, kPatienceMs = 250;
constexpr const char* kNothingYet =
    "Open, drop or paste a module as HLO text, or choose one of the built-in modules above.\n\n"
    "JAX prints it with jax.jit(f).lower(x).as_text(\"hlo\"), compiled.as_text(); XLA with --xla_dump_to; "
    "PyTorch/XLA with torch_xla._XLAC._get_xla_tensors_hlo.";

QLabel* text_heading(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty("role", "muted");
  label->setContentsMargins(8, 2, 8, 2);
  return label;
}

QToolButton* hlo_button(const QString& text, const QString& tooltip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tooltip);
  button->setProperty("role", "small");
  return button;
}

}  // namespace

HloPanel::HloPanel(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      presets_(new QComboBox(this)),
      options_(new HloOptionsForm(bench.document(), makeButtons(), this)),
      job_(new JobBar("Run and prove", this)),
      summary_(new QLabel(this)),
      problem_(new QLabel(this)),
      source_title_(text_heading("Module")),
      made_title_(text_heading("Partitioned: what each device does")),
      source_(new HloTextView("Module", this)),
      made_(new HloTextView("Partitioned program", this)),
      links_(new LineLinkCanvas(this)),
      tables_(new HloTables(this)),
      sharding_(new HloShardingBox(this)),
      split_(new QSplitter(Qt::Vertical, this)),
      lower_(new QSplitter(Qt::Horizontal, this)) {
  setObjectName("HLO");
  setAcceptDrops(true);
  source_->setPlaceholderText(kNothingYet);
  made_->setReadOnly(true);
  made_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  made_->setPlaceholderText("What one device does, and why: here.");
  problem_->setWordWrap(true);
  problem_->setContentsMargins(8, 2, 8, 4);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setAccessibleName("Problem of the module");
  problem_->hide();
  job_->startButton()->setToolTip(
      "Executes the module on one device and partitioned on all, compares, shows the run");
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setAccessibleName("Cost of the module");
  summary_->setWordWrap(true);
  summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  lower_->addWidget(tables_);
  lower_->addWidget(sharding_);
  lower_->setStretchFactor(0, 3);
  lower_->setStretchFactor(1, 2);
  split_->addWidget(makeTexts());
  split_->addWidget(lower_);
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* jobs = new QHBoxLayout;
  jobs->setContentsMargins(8, 0, 8, 4);
  jobs->setSpacing(16);
  jobs->addWidget(job_, 1);
  jobs->addWidget(summary_, 1);
  layout->addWidget(options_);
  layout->addLayout(jobs);
  layout->addWidget(problem_);
  layout->addWidget(split_, 1);
  pause_.setSingleShot(true);
  pause_.setInterval(kPauseMs);
  patience_.setSingleShot(true);
  patience_.setInterval(kPatienceMs);
  connectParts();
}

QList<QWidget*> HloPanel::makeButtons() {
  presets_->setAccessibleName("Built-in modules");
  presets_->setToolTip("Modules that come with Shardscope");
  presets_->setPlaceholderText("built-in modules");
  for (const HloPreset& preset : hlo_presets()) {
    presets_->addItem(QString::fromStdString(preset.name));
    presets_->setItemData(presets_->count() - 1, QString::fromStdString(preset.title), Qt::ToolTipRole);
  }
  presets_->setCurrentIndex(-1);
  connect(presets_, &QComboBox::activated, this, [this] { openPreset(presets_->currentText()); });
  auto* open_file = hlo_button("Open…", "A module from a file, .hlo or .txt", this);
  connect(open_file, &QToolButton::clicked, this, &HloPanel::openRequested);
  auto* paste_text = hlo_button("Paste", "The clipboard's text as the module", this);
  connect(paste_text, &QToolButton::clicked, this, &HloPanel::paste);
  auto* keep = hlo_button("Export", "Copy or save what was made", this);
  auto* menu = new QMenu(keep);
  menu->addAction("Copy the partitioned program",
                  [this] { QApplication::clipboard()->setText(partitionedText()); });
  menu->addAction("Save the partitioned program…", [this] { Q_EMIT saveRequested(); });
  menu->addAction("Export the collectives as CSV…", [this] { Q_EMIT csvRequested(); });
  keep->setMenu(menu);
  keep->setPopupMode(QToolButton::InstantPopup);
  return {presets_, open_file, paste_text, keep};
}

QWidget* HloPanel::makeTexts() {
  auto* texts = new QWidget(this);
  auto* grid = new QGridLayout(texts);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(source_title_, 0, 0);
  grid->addWidget(made_title_, 0, 2);
  grid->addWidget(source_, 1, 0);
  grid->addWidget(links_, 1, 1);
  grid->addWidget(made_, 1, 2);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(2, 1);
  for (QLabel* title : {source_title_, made_title_})
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  return texts;
}

void HloPanel::connectParts() {
  connect(&pause_, &QTimer::timeout, this, &HloPanel::readNow);
  connect(&patience_, &QTimer::timeout, this, [this] {
    if (!reads_ || runs_) return;
    job_->begin();
    job_->setProgress("partitioning", 0);
  });
  connect(options_, &HloOptionsForm::changed, this, &HloPanel::readNow);
  connect(source_, &QPlainTextEdit::textChanged, this, &HloPanel::readSoon);
  connect(source_, &HloTextView::fileDropped, this, [this](const QString& path) {
    if (const auto opened = open(path); !opened.ok()) showProblem(opened.error(), false);
  });
  connect(source_, &HloTextView::instructionChosen, this, &HloPanel::chooseSource);
  connect(made_, &HloTextView::instructionChosen, this, &HloPanel::chooseMade);
  connect(source_, &HloTextView::shardingTyped, this, [this](const QString& name, const QString& text) {
    if (setSharding(name, text))
      source_->closeField();
    else
      source_->refuse(sharding_->refusal());
  });
  connect(sharding_, &HloShardingBox::shardingTyped, this,
          [this](const QString& text) { setSharding(chosen_.shown, text); });
  connect(sharding_->undoButton(), &QToolButton::clicked, source_, &QPlainTextEdit::undo);
  connect(sharding_->redoButton(), &QToolButton::clicked, source_, &QPlainTextEdit::redo);
  const auto undo_state = [this] {
    sharding_->setUndo(source_->document()->isUndoAvailable(), source_->document()->isRedoAvailable());
  };
  connect(source_, &QPlainTextEdit::undoAvailable, this, undo_state);
  connect(source_, &QPlainTextEdit::redoAvailable, this, undo_state);
  for (QWidget* each : std::initializer_list<QWidget*>{sharding_->tiles(), tables_->collectives(), made_})
    each->installEventFilter(this);
  for (HloTextView* each : {source_, made_}) {
    connect(each, &HloTextView::viewChanged, this, &HloPanel::drawLinks);
  }
  source_->setWords([this](const QString& name) { return wordsOfSource(name); });
  made_->setWords([this](const QString& name) { return wordsOfMade(name); });
  connect(links_, &LineLinkCanvas::linkClicked, this, [this](int link) {
    chooseSource(QString::fromStdString(links_->links()[static_cast<size_t>(link)].left));
  });
  connect(tables_, &HloTables::collectiveChosen, this, &HloPanel::chooseCollective);
  connect(tables_, &HloTables::instructionChosen, this, &HloPanel::chooseSource);
  connect(job_, &JobBar::startRequested, this, &HloPanel::run);
  connect(job_, &JobBar::cancelRequested, this, [this] {
    reading_work_.cancel();
    running_work_.cancel();
    reads_ = runs_ = run_when_read_ = false;
    job_->end("Cancelled; what was read before stays");
  });
  connect(&bench_.clock(), &Clock::changed, this, &HloPanel::followClock);
}

void HloPanel::setTheme(const Theme& theme) {
  source_->setTheme(theme);
  made_->setTheme(theme);
  links_->setTheme(theme);
  links_->setFixedWidth(static_cast<int>(44 * theme.scale));
  sharding_->tiles()->setTheme(theme);
  tables_->fitColumns();
  drawLinks();
}

Result<void> HloPanel::open(const QString& path) {
  TRY(const std::string text, read_file(path.toStdString(), kLargestText));
  openText(QString::fromStdString(text), QFileInfo(path).fileName());
  presets_->setCurrentIndex(-1);
  return {};
}

void HloPanel::openPreset(const QString& name) {
  for (const HloPreset& preset : hlo_presets()) {
    if (preset.name != name.toStdString()) continue;
    openText(QString::fromStdString(preset.text), name + ".hlo");
    presets_->setCurrentText(name);
  }
}

void HloPanel::openText(const QString& text, const QString& name) {
  forget();
  name_ = name;
  source_title_->setText(name + " · F2 or a double click on a sharding edits it");
  source_->setPlainText(text);
  readNow();
}

void HloPanel::paste() {
  const QString text = QApplication::clipboard()->text();
  if (text.trimmed().isEmpty())
    return showProblem(invalid("the clipboard holds no text", "", "copy a module first"), false);
  presets_->setCurrentIndex(-1);
  openText(text, "pasted.hlo");
}

QString HloPanel::csv() const {
  return reading_ ? collectives_csv(reading_->explained) : QString();
}

void HloPanel::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) event->acceptProposedAction();
}

void HloPanel::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    if (const auto opened = open(url.toLocalFile()); !opened.ok()) showProblem(opened.error(), false);
    return;
  }
  if (event->mimeData()->hasText()) openText(event->mimeData()->text(), "dropped.hlo");
}

void HloPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool low = height() < kFewLines * fontMetrics().height();
  if (low != low_) setLow(low);
}

void HloPanel::setLow(bool low) {
  low_ = low;
  split_->setOrientation(low ? Qt::Horizontal : Qt::Vertical);
  options_->setFolded(low);
  source_title_->setVisible(!low);
  made_title_->setVisible(!low);
  if (low)
    tables_->tabs()->addTab(sharding_, "Sharding");
  else
    lower_->addWidget(sharding_);
  sharding_->show();
  split_->setSizes({3, 2});
  lower_->setSizes({3, 2});
}

void HloPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F2) {
    if (low_) tables_->tabs()->setCurrentWidget(sharding_);
    return sharding_->edit();
  }
  QWidget::keyPressEvent(event);
}

// The module's undo, wherever in the dock one is; the window's own would take these keys first.
bool HloPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    const bool undoes = key->matches(QKeySequence::Undo), redoes = key->matches(QKeySequence::Redo);
    if (undoes || redoes) {
      event->accept();
      if (event->type() == QEvent::KeyPress && undoes) source_->undo();
      if (event->type() == QEvent::KeyPress && redoes) source_->redo();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QRandomGenerator>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kWhatAKernelShows = to_say(
    "What every device does inside the chip: its statements, the copies in flight, the semaphores it waits "
    "for, one step of a schedule after the other.");
constexpr const char* kFirstKernel = "kernel=ag.ring.one_semaphore;mesh=4;dtype=f32;seed=0";
constexpr int kManySteps = 10;

IndexedTextPtr listing_of(const KernelPlayer& player) {
  std::string text;
  if (player.shown()) text = join(player.shown()->layout.listing.lines, "\n") + "\n";
  return std::make_shared<const IndexedText>(std::move(text));
}

}  // namespace

KernelPanel::KernelPanel(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      form_(new KernelForm(document, this)),
      canvas_(new KernelCanvas(player_, this)),
      steps_(new KernelStepBar(*new KernelMoments(player_, *canvas_, this), this)),
      tabs_(new KernelTabs(player_, this)),
      split_(new QSplitter(Qt::Horizontal, this)),
      back_(small_button("← Back"_tr, "Back to the program that the kernel stands in for"_tr, this)),
      find_(new FindBar([this] { return listing_of(player_); }, this)) {
  setObjectName("KernelPanel");
  canvas_->setMessage(spoken(kWhatAKernelShows), false);
  form_->setChoice(*parse_choice(kFirstKernel));
  form_->addButton(back_);
  back_->hide();
  steps_->hide();
  QToolButton* random = small_button("Random schedule"_tr, "Another seed, anything may happen"_tr, this);
  stands_for(random, "kernel.random");
  form_->addButton(random);
  QToolButton* enlarge = small_button("Own window"_tr, "The kernel in a window of its own, or back"_tr, this);
  form_->addButton(enlarge);
  layOut();
  connect(random, &QToolButton::clicked, this, &KernelPanel::randomSchedule);
  connect(enlarge, &QToolButton::clicked, this, &KernelPanel::enlargeRequested);
  connect(back_, &QToolButton::clicked, this, [this] {
    back_->hide();
    Q_EMIT backRequested();
  });
  connect(form_, &KernelForm::changed, this, [this] { load(false); });
  connect(tabs_->findings(), &KernelFindings::seedWanted, this, [this](quint64 seed) {
    KernelChoice choice = form_->choice();
    choice.seed = seed;
    form_->setChoice(choice);
    load(true);
  });
  connect(tabs_->timeCanvas(), &KernelTimeCanvas::lineChosen, canvas_, &KernelCanvas::showLine);
  connect(find_, &FindBar::shown, canvas_, [this](int line) { canvas_->showLine(line + 1); });
  connect(find_, &FindBar::closed, canvas_, [this] { canvas_->setFocus(); });
  connect(&player_, &KernelPlayer::kernelChanged, find_, &FindBar::again);
  connect(tabs_->editor(), &KernelEditor::wanted, this, &KernelPanel::open);
  connect(tabs_->tiles(), &KernelTiles::tileWanted, this, &KernelPanel::open);
  connect(tabs_->twin(), &KernelTwin::wanted, this, [this] {
    KernelChoice choice = form_->choice();
    choice.kernel = player_.shown()->entry.mended;
    choice.text.clear();
    open(choice);
  });
}

void KernelPanel::layOut() {
  auto* canvases = new QSplitter(Qt::Vertical, this);
  canvases->addWidget(canvas_);
  canvases->addWidget(tabs_->twin()->canvas());
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->addWidget(canvases, 1);
  column->addWidget(find_);
  column->addWidget(steps_);
  split_->addWidget(left);
  split_->addWidget(tabs_);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 1);
  auto* all = new QVBoxLayout(this);
  all->addWidget(form_);
  all->addWidget(split_, 1);
  for (QVBoxLayout* each : {column, all}) {
    each->setContentsMargins(0, 0, 0, 0);
    each->setSpacing(0);
  }
}

void KernelPanel::setTheme(const Theme& theme) {
  for (CanvasView* canvas : std::initializer_list<CanvasView*>{canvas_, tabs_->twin()->canvas(),
                                                               tabs_->twin()->texts(), tabs_->timeCanvas()})
    canvas->setTheme(theme);
  steps_->setTheme(theme);
  tabs_->editor()->setTheme(theme);
  form_->fitFields();
}

CanvasView* KernelPanel::pictureCanvas() const {
  for (CanvasView* canvas : std::initializer_list<CanvasView*>{tabs_->twin()->canvas(),
                                                               tabs_->twin()->texts(), tabs_->timeCanvas()}) {
    if (canvas->hasFocus()) return canvas;
  }
  return canvas_;
}

void KernelPanel::restore(const QString& choice) {
  if (const auto read = parse_choice(choice)) form_->setChoice(*read);
}

void KernelPanel::open(const KernelChoice& choice) {
  form_->setChoice(choice);
  load(false);
}

void KernelPanel::openStandIn(const kernels::StandIn& kernel, const QString& whence) {
  KernelChoice choice = form_->choice();
  choice.kernel = kernel.kernel;
  choice.text.clear();
  choice.options = kernel.options;
  choice.wraps = kernels::KernelWraps::of_mesh;  // as runs are timed by kernels
  choice.seed = 0;
  choice.policy.reset();
  back_->setText("← Back to "_tr + whence);
  back_->show();
  tabs_->setCurrentWidget(tabs_->timeCanvas());
  open(choice);
}

void KernelPanel::randomSchedule() {
  KernelChoice choice = form_->choice();
  choice.seed = QRandomGenerator::global()->bounded(1, 1'000'000);
  open(choice);
}

void KernelPanel::load(bool look_at_failure) {
  started_ = true;
  busy_ = true;
  steps_->moments().setBusy(true);
  const KernelChoice choice = form_->choice();
  work_.start([choice](std::stop_token) { return show_kernel(choice); },
              [this, choice, look_at_failure](const Result<ShownKernelPtr>& made) {
                busy_ = false;
                steps_->moments().setBusy(false);
                if (!made.ok()) {
                  const QString reason = in_window(made.error());
                  form_->setProblem(reason);
                  tabs_->findings()->abandon();
                  if (!player_.shown()) canvas_->setMessage(reason, true);
                  return;
                }
                form_->setProblem({});
                canvas_->setMessage(QString::fromStdString((*made)->no_replay), !(*made)->no_replay.empty());
                player_.show(*made);
                if (look_at_failure) {
                  // Whoever edits has the findings below the text.
                  if (tabs_->currentWidget() != tabs_->editor()) tabs_->setCurrentWidget(tabs_->findings());
                  player_.lookAt(0);
                }
                Q_EMIT choiceChanged(choice_text(choice));
              });
}

// The first kernel is run when somebody looks.
void KernelPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!started_) load(false);
}

void KernelPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  split_->setOrientation(width() * 3 > height() * 4 ? Qt::Horizontal : Qt::Vertical);
}

// Esc lets go of the finding here before the window lets go of its own selection.
bool KernelPanel::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void KernelPanel::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Left:
      return player_.stepBy(shift ? -kManySteps : -1);
    case Qt::Key_Right:
      return player_.stepBy(shift ? kManySteps : 1);
    case Qt::Key_PageUp:
    case Qt::Key_Comma:
      return player_.stepBy(-1);
    case Qt::Key_PageDown:
    case Qt::Key_Period:
      return player_.stepBy(1);
    case Qt::Key_Home:
      return player_.setStep(0);
    case Qt::Key_End:
      return player_.setStep(player_.steps());
    case Qt::Key_Space:
      return player_.play(!player_.playing());
    case Qt::Key_BracketLeft:
      return player_.lookAtNext(-1);
    case Qt::Key_BracketRight:
      return player_.lookAtNext(1);
    case Qt::Key_Escape:
      return player_.lookAt(-1);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/step_pictures.h"

#include <QVBoxLayout>

#include "app/report/lesson/presented_pictures.h"
#include "app/window/document/language.h"
#include "app/window/runs/make_run_canvas.h"
#include "app/window/widgets/picture_canvas.h"
#include "views/draw/paint.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/listing.h"

namespace shardscope::inline window {
namespace {

const RunView* run_view(const QString& id) {
  for (const RunView& view : run_views())
    if (view.id == id) return &view;
  return nullptr;
}

}  // namespace

StepPictures::StepPictures(LessonPlayer& player, On on, QWidget* parent)
    : QWidget(parent), player_(player), on_(on), split_(new QSplitter(this)), nothing_(new QLabel(this)) {
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setProperty("role", "muted");
  split_->setChildrenCollapsible(false);
  if (on_ == On::wall) split_->setHandleWidth(0);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split_, 1);
  layout->addWidget(nothing_, 1);
  connect(&player_, &LessonPlayer::shownChanged, this, &StepPictures::showStep);
  connect(&player_.learner(), &Learner::changed, this, &StepPictures::cover);
  showStep();
}

// No picture says what the step hides, nor the answer before it is given.
void StepPictures::cover() {
  const auto reading = player_.reading();
  for (const auto& [id, widget] : made_)
    if (auto* canvas = qobject_cast<SceneView*>(widget); canvas != nullptr && (reading || canvas->reading()))
      canvas->setReading(reading);
}

void StepPictures::setTheme(const Theme& theme) {
  theme_ = theme;
  for (const auto& [id, widget] : made_) {
    if (auto* canvas = qobject_cast<SceneView*>(widget)) canvas->setTheme(theme);
    if (auto* program = qobject_cast<ProgramView*>(widget)) program->setTheme(theme);
  }
  share();
}

void StepPictures::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  share();
}

void StepPictures::share() {
  const ShownStep* step = player_.shown();
  if (on_ == On::page || !theme_.presented() || step == nullptr || views_.isEmpty()) return;
  const Canvas room{static_cast<float>(width()), static_cast<float>(height()), theme_, measure_text};
  const auto plan = plan_presented(*step, room);
  if (!plan.ok() || std::ssize(plan->shares) != views_.size()) return;
  split_->setOrientation(plan->below ? Qt::Vertical : Qt::Horizontal);
  QList<int> sizes;
  for (const Rect& place : plan->places({0, 0, room.width, room.height}))
    sizes << static_cast<int>(plan->below ? place.h : place.w);
  split_->setSizes(sizes);
  for (const QString& id : views_)
    if (auto* canvas = qobject_cast<SceneView*>(view(id))) canvas->setTheme(plan->theme(theme_));
}

QWidget* StepPictures::view(const QString& id) const {
  const auto found = made_.find(id);
  return found == made_.end() ? nullptr : found->second;
}

QWidget* StepPictures::make(const QString& id) {
  if (QWidget* there = view(id)) return there;
  QWidget* widget = nullptr;
  if (id == kKernelView) {
    widget = makeKernel();
  } else if (id == kComparedView) {
    widget = makeCompared();
  } else if (on_ == On::wall && run_view(id) == nullptr) {
    widget = makeListing(id);
  } else if (const RunView* row = run_view(id)) {
    RunCanvas* canvas = make_run_canvas(*row, player_.clock(), split_);
    canvas->setAhead(false);
    canvas->setBusy(true);  // its runs are the lesson's: nothing to start here
    canvas->setTheme(theme_);
    canvas->setFocusPolicy(Qt::StrongFocus);
    widget = canvas;
  } else {
    auto* program = new ProgramView(player_.clock(), split_);
    program->setTheme(theme_);
    widget = program;
  }
  made_.emplace(id, widget);
  return widget;
}

QWidget* StepPictures::makeKernel() {
  auto* canvas = new PictureCanvas("Kernel"_tr, split_);
  canvas->setTheme(theme_);
  canvas->setFocusPolicy(Qt::StrongFocus);
  canvas->setPicture([this](const Selection& /*now*/, const Canvas& to) {
    const ShownStep* step = player_.shown();
    if (step == nullptr || !step->kernel) return message_scene("Kernel"_tr, false, 0, to);
    const kernels::KernelReplay& replay = *step->kernel->replay;
    const KernelFrame frame = replay.frame(std::min(player_.kernelSteps().step(), replay.steps()));
    return layout_kernel_moment(replay.program().layout, frame, replay.steps(),
                                step->hide.empty() ? step->kernel->unlike : std::vector<int32_t>(), to);
  });
  connect(&player_.kernelSteps(), &Player::changed, canvas, [canvas] { canvas->invalidate(); });
  connect(&player_, &LessonPlayer::shownChanged, canvas, [this, canvas] {
    if (player_.shown() != nullptr) canvas->invalidate();
  });
  return canvas;
}

// What each run does; how long it takes once nothing is asked about that.
QWidget* StepPictures::makeCompared() {
  auto* canvas = new PictureCanvas("Compare"_tr, split_);
  canvas->setTheme(theme_);
  canvas->setFocusPolicy(Qt::StrongFocus);
  canvas->setPicture([this](const Selection& /*now*/, const Canvas& to) {
    if (compared_ == nullptr) return message_scene("Compare"_tr, false, 0, to);
    return compared_->picture(player_.learner().settled() ? TogetherSays::times : TogetherSays::plans, to);
  });
  connect(&player_.learner(), &Learner::changed, canvas, [canvas] { canvas->invalidate(); });
  return canvas;
}

QWidget* StepPictures::makeListing(const QString& id) {
  auto* canvas = new PictureCanvas("Program"_tr, split_);
  canvas->setTheme(theme_);
  canvas->setPicture([this, id](const Selection& /*now*/, const Canvas& to) {
    const ShownStep* step = player_.shown();
    if (step == nullptr) return message_scene("Program"_tr, false, 0, to);
    return layout_listing(presented_lines(*step, id.toStdString()), to);
  });
  connect(&player_, &LessonPlayer::shownChanged, canvas, [this, canvas] {
    if (player_.shown() != nullptr) canvas->invalidate();
  });
  return canvas;
}

void StepPictures::readViews() {
  const ShownStep* step = player_.shown();
  views_.clear();
  if (step == nullptr) return;
  for (const std::string& view : on_ == On::wall ? presented_views(*step) : step_views(*step))
    views_ << QString::fromStdString(view);
}

void StepPictures::showStep() {
  const ShownStep* step = player_.shown();
  if (step == nullptr && player_.preparing()) return;  // what was seen stays until there is something else
  compared_.reset();
  if (step != nullptr && !step->compared.empty()) compared_ = std::make_unique<ComparedRuns>(step->compared);
  if (QWidget* there = view(kComparedView)) static_cast<PictureCanvas*>(there)->invalidate();
  readViews();
  std::vector<std::string> ids;
  for (const QString& id : views_) ids.push_back(id.toStdString());
  split_->setOrientation(stand_below(ids) ? Qt::Vertical : Qt::Horizontal);
  int place = 0;
  for (const QString& id : views_) split_->insertWidget(place++, make(id));
  for (const auto& [id, widget] : made_) {
    widget->setVisible(views_.contains(id));
    if (auto* canvas = qobject_cast<RunCanvas*>(widget); canvas != nullptr && step != nullptr)
      canvas->point(step->pointed);
  }
  cover();
  split_->setVisible(!views_.isEmpty());
  nothing_->setVisible(views_.isEmpty());
  const bool failed = step != nullptr && !step->faults.empty();
  nothing_->setText(failed ? "There is no run to show: the text says why."_tr : "This step shows no run."_tr);
  share();
}

}  // namespace shardscope::inline window

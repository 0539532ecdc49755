// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_stages.h"

#include <QGridLayout>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <algorithm>
#include <unordered_map>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/say.h"
#include "engine/session/modules/stage_strip.h"

namespace shardscope::inline window {
namespace {

QSet<QString> names_of(const StripStage& stage, const std::vector<int32_t>& numbers) {
  QSet<QString> out;
  for (const int32_t number : numbers)
    out.insert(QString::fromStdString(stage.stage->program.at(number).name));
  return out;
}

IndexedTextPtr stage_text(const StripStage& stage) {
  return std::make_shared<const IndexedText>(print_program(*stage.stage->program));
}

// What of stage `right` belongs with an instruction of stage `left`, by their numbers.
std::vector<int32_t> belonging(const StageStrip& strip, int left, int right, int32_t source) {
  return related_in(strip, static_cast<size_t>(left), source)[static_cast<size_t>(right)];
}

}  // namespace

HloStages::HloStages(HloTexts* texts, QWidget* parent)
    : QWidget(parent),
      texts_(texts),
      strip_(new PictureCanvas("The stages of the module"_tr, this)),
      pages_(new QStackedWidget(this)),
      left_(new LineView("Stage before"_tr, this)),
      right_(new LineView("Stage"_tr, this)),
      links_(new LineLinkCanvas(this)),
      pair_(left_, links_, right_),
      left_title_(form_label("", this)),
      right_title_(form_label("", this)),
      differences_(small_button("Differences"_tr, "Marks what the two stages do not have alike"_tr, this)),
      other_(small_button("Stage before"_tr, "The stage on the left, for which there is no room"_tr, this)) {
  strip_->setObjectName("HLO stages");
  strip_->setAccessibleName("Stages of the module"_tr);
  strip_->hide();
  pages_->addWidget(texts_);
  pages_->addWidget(makePair());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(strip_);
  layout->addWidget(pages_, 1);
  connect(strip_, &PictureCanvas::chosen, this, [this](const ItemId& item) {
    if (item.kind == ItemId::Kind::step) stageClicked(item.index);
  });
  strip_->setTooltip([this](const ItemId& item) {
    QStringList out;
    if (stages_ == nullptr || item.kind != ItemId::Kind::step) return out;
    for (const std::string& line : stage_words(*stages_, static_cast<size_t>(item.index)))
      out << QString::fromStdString(line);
    return out << "A click shows it beside the stage before, Ctrl and a click beside what is shown"_tr;
  });
}

QWidget* HloStages::makePair() {
  auto* pair = new QWidget(this);
  pair->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // it makes room by leaving one text out
  for (QLabel* title : {left_title_, right_title_}) {
    title->setContentsMargins(8, 2, 8, 2);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  }
  other_->setCheckable(true);
  connect(other_, &QToolButton::toggled, this, &HloStages::fit);
  differences_->setCheckable(true);
  differences_->setChecked(true);
  auto* grid = new QGridLayout(pair);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(left_title_, 0, 0);
  grid->addWidget(right_title_, 0, 2);
  grid->addWidget(other_, 0, 3);
  grid->addWidget(differences_, 0, 4);
  grid->addWidget(left_, 1, 0);
  grid->addWidget(links_, 1, 1);
  grid->addWidget(right_, 1, 2, 1, 3);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(2, 1);
  connect(differences_, &QToolButton::toggled, this,
          [this](bool on) { on ? markDifferences() : drawStrip(); });
  for (LineView* view : {left_, right_}) {
    const auto stage = [this, view] { return view == left_ ? view_.left : view_.right; };
    connect(view, &LineView::viewChanged, this, &HloStages::drawLinks);
    connect(view, &LineView::instructionChosen, this,
            [this, stage](const QString& instruction) { choose(stage(), instruction); });
    view->setWords([this, stage](const QString& instruction) { return words(stage(), instruction); });
  }
  connect(links_, &LineLinkCanvas::linkClicked, this, [this](int link) {
    choose(view_.left, QString::fromStdString(links_->links()[static_cast<size_t>(link)].left));
  });
  return pair;
}

void HloStages::setTheme(const Theme& theme) {
  strip_->setTheme(theme);
  strip_->setFixedHeight(static_cast<int>(stage_strip_height(theme)));
  left_->setTheme(theme);
  right_->setTheme(theme);
  pair_.setTheme(theme);
  fit();
}

void HloStages::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void HloStages::fit() {
  auto& grid = static_cast<QGridLayout&>(*left_->parentWidget()->layout());
  const bool both = pair_.fit(grid, width(), other_->isChecked());
  other_->setVisible(!both);
  left_title_->setVisible(both || other_->isChecked());
  right_title_->setVisible(both || !other_->isChecked());
}

void HloStages::setReading(const HloReadingPtr& reading) {
  making_.cancel();
  busy_ = false;
  if (reading == nullptr || reading->explained.failure) {
    wanted_ = 0;
    return take(nullptr);
  }
  busy_ = true;
  using Made = Result<StageStripPtr>;
  making_.start(
      [reading](std::stop_token stop) -> Made {
        const auto& timed = reading->explained.timed;
        // As the run was compiled.
        const CompileAs as = timed
                                 ? timed->experiment.module.compile_as.value_or(compiler_of(timed->hardware))
                                 : CompileAs::none;
        TRY(StageStrip strip,
            strip_of(reading->explained.stages, as, timed ? timed->hardware : Hardware(), stop));
        return StageStripPtr(std::make_shared<const StageStrip>(std::move(strip)));
      },
      [this](const Made& made) {
        busy_ = false;
        take(made.ok() ? *made : nullptr);
      });
}

void HloStages::take(StageStripPtr made) {
  StageStripPtr old = std::exchange(stages_, std::move(made));
  strip_->setVisible(stages_ != nullptr && stages_->size() > 1);
  const bool there = stages_ != nullptr && wanted_ > 0 && wanted_ < std::ssize(*stages_);
  there ? show(at(wanted_).before, wanted_) : show(0, 0);
  // Of a big module that takes seconds.
  if (old != nullptr) gone_.start([old = std::move(old)](std::stop_token) { return true; }, [](bool) {});
}

void HloStages::stageClicked(int stage) {
  if (stages_ == nullptr) return;
  const bool beside = QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier);
  if (beside && view_.right > 0 && stage != view_.right)
    return show(std::min(stage, view_.right), std::max(stage, view_.right));
  show(std::max(at(stage).before, 0), stage);
}

void HloStages::show(int left, int right) {
  wanted_ = right;
  view_ = {left, right, {}};
  printing_.cancel();
  const bool typed = stages_ == nullptr || right <= 0;
  pages_->setCurrentIndex(typed ? 0 : 1);
  drawStrip();
  if (typed) return;
  const auto title = [this](int stage) {
    const auto all = stage_words(*stages_, static_cast<size_t>(stage));
    return QString::fromStdString(all.size() > 1 ? all[0] + "; " + all[1] : all[0]);
  };
  left_title_->setText(title(left));
  right_title_->setText(title(right));
  busy_ = true;
  using Texts = std::pair<IndexedTextPtr, IndexedTextPtr>;
  printing_.start(
      [stages = stages_, left, right](std::stop_token) {
        return Texts(stage_text((*stages)[static_cast<size_t>(left)]),
                     stage_text((*stages)[static_cast<size_t>(right)]));
      },
      [this](const Texts& texts) {
        busy_ = false;
        left_->setText(texts.first);
        right_->setText(texts.second);
        differences_->isChecked() ? markDifferences() : differences_->setChecked(true);
      });
}

void HloStages::drawStrip() {
  strip_->setPicture([stages = stages_, view = view_](const Selection&, const Canvas& canvas) {
    return layout_stage_strip(stages == nullptr ? StageStrip() : *stages, view, canvas);
  });
}

// Of two neighbours what is new, gone or changed; of any other two what is in the one alone.
void HloStages::markDifferences() {
  if (stages_ == nullptr || view_.right <= 0) return;
  view_.related.clear();
  drawStrip();
  const bool neighbours = at(view_.right).before == view_.left;
  const auto mark = [&](LineView& view, int stage, const std::vector<Fate>& fates) {
    std::vector<int32_t> numbers;
    for (size_t k = 0; k < fates.size(); ++k)
      if (fates[k] != Fate::same) numbers.push_back(static_cast<int32_t>(k));
    view.mark(names_of(at(stage), numbers));
    if (!view.hasFocus() && !numbers.empty())
      view.reveal(view.lineOf(QString::fromStdString(at(stage).stage->program.at(numbers.front()).name)));
  };
  if (neighbours) {
    mark(*left_, view_.left, at(view_.right).from.before.fate);
    mark(*right_, view_.right, at(view_.right).from.after.fate);
  } else {
    left_->mark({});
    right_->mark({});
  }
  drawLinks();
}

void HloStages::choose(int stage, const QString& instruction) {
  if (stages_ == nullptr || stage < 0 || stage >= std::ssize(*stages_)) return;
  const auto number = at(stage).stage->program.number_of(instruction.toStdString());
  if (!number) return;
  view_.related = related_in(*stages_, static_cast<size_t>(stage), *number);
  {
    const QSignalBlocker quiet(differences_);
    differences_->setChecked(false);
  }
  if (view_.right > 0) {
    for (const auto& [view, of] : {std::pair(left_, view_.left), std::pair(right_, view_.right)}) {
      const QSet<QString> names = names_of(at(of), view_.related[static_cast<size_t>(of)]);
      view->mark(names);
      if (!view->hasFocus()) view->reveal(view->lineOf(first_by_line(names, *view)));
    }
  }
  drawStrip();
  drawLinks();
  if (telling_ || stage == 0 || view_.related.front().empty()) return;
  telling_ = true;
  Q_EMIT sourceChosen(
      QString::fromStdString(stages_->front().stage->program.at(view_.related.front().front()).name));
  telling_ = false;
}

void HloStages::follow(const QString& source) {
  if (telling_ || stages_ == nullptr || source.isEmpty()) return;
  telling_ = true;
  choose(0, source);
  telling_ = false;
}

// Faint lines between what is in sight, strong ones for what is chosen, wherever it is.
void HloStages::drawLinks() {
  if (stages_ == nullptr || view_.right <= 0) return links_->setLinks({});
  const SharedProgram &from = at(view_.left).stage->program, &to = at(view_.right).stage->program;
  std::vector<LineLink> links;
  const auto add = [&](int32_t source, int line, int32_t made, int other, bool chosen) {
    const std::string &left = from.at(source).name, &right = to.at(made).name;
    links.push_back({left, right, left_->middleOf(line), right_->middleOf(other), chosen,
                     say("{} becomes {}", left, right)});
  };
  const auto in_sight = [](const LineView& view, const SharedProgram& program) {
    std::vector<std::pair<int32_t, int>> out;
    const auto [first, last] = view.visibleLines();
    for (int line = first; line <= last; ++line)
      if (const auto number = program.number_of(view.instructionAt(line).toStdString()))
        out.emplace_back(*number, line);
    return out;
  };
  const auto seen = in_sight(*right_, to);
  const std::unordered_map<int32_t, int> lines(seen.begin(), seen.end());
  for (const auto& [source, line] : in_sight(*left_, from)) {
    for (const int32_t made : belonging(*stages_, view_.left, view_.right, source))
      if (const auto other = lines.find(made); other != lines.end())
        add(source, line, made, other->second, false);
  }
  size_t strong = 0;
  const auto line_of = [](const LineView& view, const SharedProgram& program, int32_t number) {
    return view.lineOf(QString::fromStdString(program.at(number).name));
  };
  if (!view_.related.empty()) {
    for (const int32_t source : view_.related[static_cast<size_t>(view_.left)]) {
      if (strong >= kMostLinks) break;
      const int line = line_of(*left_, from, source);
      if (line < 0) continue;
      for (const int32_t made : belonging(*stages_, view_.left, view_.right, source)) {
        const int other = line_of(*right_, to, made);
        if (other < 0) continue;
        add(source, line, made, other, true);
        if (++strong >= kMostLinks) break;
      }
    }
  }
  links_->setLinks(std::move(links));
}

QStringList HloStages::words(int stage, const QString& instruction) const {
  QStringList out;
  if (stages_ == nullptr || stage < 0) return out;
  const auto number = at(stage).stage->program.number_of(instruction.toStdString());
  if (!number) return out;
  const StripStage& own = at(stage);
  if (own.before >= 0) {
    const StripStage& before = at(own.before);
    const Fate fate = own.from.after.fate[static_cast<size_t>(*number)];
    const auto title = QString::fromStdString(before.title);
    if (fate == Fate::alone) out << "new: %1 does not have it"_tr.arg(title);
    if (const int32_t was = own.from.after.counterpart[static_cast<size_t>(*number)];
        was >= 0 && fate == Fate::changed)
      out << "changed; in %1 it was %2"_tr.arg(title,
                                               QString::fromStdString(before.stage->program.at(was).name));
    for (const int32_t source : own.from.links.sources(*number))
      out << "for "_tr + QString::fromStdString(display_name(before.stage->program.at(source)));
  }
  return out;
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/try_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/experiment/problem_form.h"
#include "app/window/lesson/lesson_text.h"
#include "app/window/widgets/form_parts.h"
#include "engine/request/fields.h"
#include "engine/session/lessons/lesson_changes.h"
#include "engine/session/mesh_limit.h"
#include "engine/session/session.h"

namespace shardscope::inline window {
namespace {

constexpr int kLargestAxis = 4096;

std::vector<std::string> axis_names(const Experiment& experiment) {
  std::vector<std::string> out;
  for (const MeshAxis& axis : experiment.mesh.axes()) out.push_back(axis.name);
  return out;
}

QStringList words_of_field(const char* key) {
  QStringList out;
  for (const std::string& word : find_field(key)->values) out << as_text(word);
  return out;
}

// "| | before | now |": a table in Markdown.
QString watched_words(const ShownStep& step) {
  QString out = "| | %1 | %2 |\n|---|---|---|\n"_tr.arg("before"_tr, "now"_tr);
  for (const WatchedValue& each : step.watched)
    out += QString("| %1 | %2 | %3 |\n")
               .arg(as_text(each.name), as_text(each.before.value_or(each.now)),
                    each.before ? "**" + as_text(each.now) + "**" : QString());
  return out;
}

// The place of the shown run among the experiment's.
std::optional<size_t> place_of_shown(const LessonPlayer& player, const Experiment& experiment) {
  const ShownStep* step = player.shown();
  if (step == nullptr || step->shown.run == nullptr) return std::nullopt;
  const auto all = requests_of(experiment);
  const auto found = std::ranges::find(all, step->shown.run->asked);
  if (found == all.end()) return std::nullopt;
  return static_cast<size_t>(found - all.begin());
}

}  // namespace

TryForm::TryForm(LessonPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      rows_(new QVBoxLayout),
      compared_(lesson_text(this)),
      said_(form_label("", this)),
      refused_(refusal_label(this)),
      reset_(new QPushButton("&Reset"_tr, this)) {
  reset_->setToolTip("The experiment as the lesson has it"_tr);
  said_->setWordWrap(true);
  auto* below = new QHBoxLayout;
  below->addWidget(said_, 1);
  below->addWidget(reset_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(rows_);
  layout->addWidget(refused_);
  layout->addWidget(compared_);
  layout->addLayout(below);
  connect(reset_, &QPushButton::clicked, &player_, &LessonPlayer::reset);
  connect(&player_, &LessonPlayer::shownChanged, this, &TryForm::showStep);
  connect(&document_, &ExperimentDocument::changed, this, [this] {
    if (!reading_) player_.change(document_.experiment());
  });
  showStep();
}

QSpinBox* TryForm::axis(const QString& name) const {
  const auto found = std::ranges::find(axes_, name.toStdString());
  return found == axes_.end() || sizes_.empty() ? nullptr
                                                : sizes_[static_cast<size_t>(found - axes_.begin())];
}

QWidget* TryForm::field(const std::string& change) const {
  const auto found = fields_.find(change);
  return found == fields_.end() ? nullptr : found->second;
}

void TryForm::showStep() {
  const ShownStep* step = player_.shown();
  if (step == nullptr && player_.preparing()) return;
  const auto experiment = player_.experiment();
  std::vector<std::string> changes;
  const auto shardings = parameter_specs(player_.shownModule());
  if (step != nullptr && (experiment.ok() || shardings.ok() || step->chooses))
    changes = player_.lesson().steps[step->step].change;
  setVisible(step != nullptr && (!changes.empty() || player_.changed()));
  if (isHidden()) return;
  if (experiment.ok()) {
    const bool other = axes_ != axis_names(*experiment);
    reading_ = true;
    document_.open(*experiment);
    reading_ = false;
    if (other || changes != changes_) fill(changes);
    const QSignalBlocker quiet(this);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const QSignalBlocker quiet_size(sizes_[i]);
      sizes_[i]->setValue(static_cast<int>(experiment->mesh.axis_size(static_cast<int>(i))));
    }
  }
  if (shardings.ok()) showShardings(*shardings, changes);
  if (step->chooses) {  // its moves are chosen beside the picture
    removeFields();
    changes_.clear();
    specs_.clear();
  }
  for (QSpinBox* size : sizes_) mark_invalid(size, refused_, "");
  reset_->setVisible(player_.changed());
  compared_->setText(watched_words(*step));
  compared_->setVisible(!step->watched.empty());
  QString words = player_.changed() ? "The class has changed this experiment."_tr : QString();
  if (step->expected)
    words = *step->expected ? "Done: this is what you were asked to try."_tr
                            : "This is not yet what you were asked to try."_tr;
  said_->setText(words);
  said_->setVisible(!words.isEmpty());
}

// A list a parameter, in which another spec may be typed.
void TryForm::showShardings(const std::vector<ParameterSpec>& now, const std::vector<std::string>& changes) {
  if (specs_ == now && changes == changes_) return;
  const bool same = std::ranges::equal(specs_, now, {}, &ParameterSpec::parameter, &ParameterSpec::parameter);
  specs_ = now;
  if (!same || changes != changes_) {
    removeFields();
    changes_ = changes;
    for (size_t p = 0; p < now.size() && !changes.empty(); ++p) addSharding(p);
  }
  for (const ParameterSpec& each : specs_)
    if (auto* list = qobject_cast<QComboBox*>(shardingOf(each.parameter)))
      list->setCurrentText(as_text(each.spec));
}

void TryForm::addSharding(size_t parameter) {
  auto* list = new QComboBox(this);
  list->setEditable(true);
  if (const auto choices = spec_choices(player_.shownModule(), specs_[parameter].rank); choices.ok())
    for (const std::string& spec : *choices) list->addItem(as_text(spec));
  const QString name = as_text(specs_[parameter].parameter);
  list->setAccessibleName("Sharding of %1"_tr.arg(name));
  list->setToolTip("A PartitionSpec of %1, as P('x', None)"_tr.arg(name));
  const auto put = [this, parameter, list] {
    std::vector<std::string> to;
    for (const ParameterSpec& each : specs_) to.push_back(written_spec(each));
    const std::string typed = list->currentText().toStdString();
    if (typed == specs_[parameter].spec) return;
    to[parameter] = specs_[parameter].parameter + " = " + typed;
    player_.change({}, to);
  };
  connect(list, &QComboBox::activated, this, put);
  connect(list->lineEdit(), &QLineEdit::editingFinished, this, put);
  QWidget* row = labelled(name, list, this);
  rows_->addWidget(row);
  fields_.emplace("sharding " + specs_[parameter].parameter, row);
  lists_.emplace(specs_[parameter].parameter, list);
}

QWidget* TryForm::shardingOf(const std::string& parameter) const {
  const auto found = lists_.find(parameter);
  return found == lists_.end() ? nullptr : found->second;
}

void TryForm::removeFields() {
  for (const auto& [change, widget] : fields_) {
    widget->hide();
    widget->deleteLater();
  }
  fields_.clear();
  lists_.clear();
  sizes_.clear();
}

void TryForm::fill(const std::vector<std::string>& changes) {
  changes_ = changes;
  specs_.clear();
  axes_ = axis_names(document_.experiment());
  removeFields();
  for (const std::string& change : changes) {
    QWidget* widget = make(change);
    if (widget == nullptr) continue;
    rows_->addWidget(widget);
    fields_.emplace(change, widget);
  }
}

QWidget* TryForm::make(const std::string& change) {
  const Experiment& now = document_.experiment();
  if (change == "mesh") return makeMesh();
  if (change == "problem") return new ProblemForm(document_, this);
  if (change == "chip") {
    QStringList chips;
    for (const std::string& chip : hardware_preset_names()) chips << as_text(chip);
    return makeList("Chip"_tr, chips, as_text(now.hardware),
                    [](Experiment& e, const QString& word) { e.hardware = word.toStdString(); });
  }
  if (change == "sums")
    return makeList("Sums"_tr, {"bf16", "f32"}, name(now.problem.accumulate),
                    [](Experiment& e, const QString& word) { e = with_sums(e, word.toStdString()); });
  if (change == "collective")
    return makeList("Collectives"_tr, words_of_field("collective"), name(now.collective),
                    [](Experiment& e, const QString& word) {
                      CHECK(put(*find_field("collective"), e, word.toStdString()).ok());
                    });
  if (change != "strategy") return nullptr;
  const auto place = place_of_shown(player_, now);
  if (!place) return nullptr;
  QStringList ids;
  for (const Strategy& strategy : strategies())
    if (strategy.kind == StrategyKind::matmul)
      ids << QString::fromUtf8(strategy.id.data(), std::ssize(strategy.id));
  return makeList("Strategy"_tr, ids, as_text(requests_of(now)[*place].strategy),
                  [place = *place](Experiment& e, const QString& word) {
                    e.runs = requests_of(e);
                    e.runs[place].strategy = word.toStdString();
                  });
}

QWidget* TryForm::makeMesh() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  const Mesh& mesh = document_.experiment().mesh;
  for (int a = 0; a < mesh.rank(); ++a) {
    auto* size = new QSpinBox(row);
    size->setRange(1, kLargestAxis);
    size->setKeyboardTracking(false);
    size->setValue(static_cast<int>(mesh.axis_size(a)));
    const QString name = as_text(mesh.axes()[static_cast<size_t>(a)].name);
    size->setAccessibleName("Size of the axis %1"_tr.arg(name));
    size->setToolTip("Devices along the axis %1"_tr.arg(name));
    layout->addWidget(labelled(name, size, row));
    sizes_.push_back(size);
    connect(size, &QSpinBox::valueChanged, this, [this, a](int value) { setAxis(a, value); });
  }
  layout->addStretch(1);
  return row;
}

QWidget* TryForm::makeList(const QString& name, const QStringList& words, const QString& now,
                           std::function<void(Experiment&, const QString&)> put) {
  auto* list = new QComboBox(this);
  list->addItems(words);
  if (!words.contains(now)) list->addItem(now);
  list->setCurrentText(now);
  list->setAccessibleName(name);
  connect(list, &QComboBox::textActivated, this, [this, put = std::move(put)](const QString& word) {
    Experiment to = document_.experiment();
    put(to, word);
    edit(to);
  });
  return labelled(name, list, this);
}

// Axes keep their wraps; slow chips and an order are of the old sizes.
void TryForm::setAxis(int axis, int size) {
  Experiment to = document_.experiment();
  std::vector<MeshAxis> axes = to.mesh.axes();
  axes[static_cast<size_t>(axis)].size = size;
  const auto mesh = Mesh::make(std::move(axes));
  const auto fits = mesh.ok() ? check_size_of(*mesh) : Result<void>(mesh.error());
  mark_invalid(sizes_[static_cast<size_t>(axis)], refused_, fits.ok() ? QString() : in_window(fits.error()));
  if (!fits.ok()) return;
  to.mesh = *mesh;
  to.overrides = {};
  edit(to);
}

void TryForm::edit(const Experiment& to) {
  document_.change(to, "change"_tr);
}

}  // namespace shardscope::inline window

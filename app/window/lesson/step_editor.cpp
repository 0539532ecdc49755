// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/step_editor.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "app/window/lesson/step_reader.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "engine/base/text.h"
#include "engine/lesson/facts.h"
#include "engine/session/lessons/authoring.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline window {
namespace {

enum Kind { kSays, kAsks, kTries };

Kind kind_of_step(const LessonStep& step) {
  return !step.ask.empty() ? kAsks : !step.attempt.empty() ? kTries : kSays;
}

std::string& main_text(LessonStep& step, int kind) {
  return kind == kAsks ? step.ask : kind == kTries ? step.attempt : step.say;
}

std::vector<std::string> words_in(const QString& written) {
  std::vector<std::string> out;
  for (const QString& word : written.split(',')) {
    if (!word.trimmed().isEmpty()) out.push_back(word.trimmed().toStdString());
  }
  return out;
}

// Without the cursor jumping about while one types.
template <class Field>
void put(Field* field, const QString& text, const QString& now) {
  const QSignalBlocker quiet(field);
  if (now == text) return;
  if constexpr (std::is_same_v<Field, QLineEdit>)
    field->setText(text);
  else
    field->setPlainText(text);
}

}  // namespace

StepEditor::StepEditor(LessonDocument& document, LessonPlayer& player, QWidget* parent)
    : QWidget(parent),
      document_(document),
      player_(player),
      form_(nullptr),
      kind_(new QComboBox(this)),
      choices_(new QComboBox(this)),
      tolerance_(new QDoubleSpinBox(this)),
      wrong_(new QTableWidget(0, 2, this)),
      names_(small_button("Insert a value…"_tr,
                          "A number of the run at the cursor, computed when it is shown"_tr, this)),
      errors_(refusal_label(this)) {
  layOut();
  connect(kind_, &QComboBox::activated, this, [this] {
    showRows();
    write("kind");
  });
  connect(choices_, &QComboBox::activated, this, [this] { write("choices"); });
  connect(tolerance_, &QDoubleSpinBox::valueChanged, this, [this] { write("tolerance"); });
  connect(wrong_, &QTableWidget::cellChanged, this, [this] { write("wrong"); });
  connect(&document_, &LessonDocument::opened, this, &StepEditor::readStep);
  connect(&player_, &LessonPlayer::stepChanged, this, &StepEditor::readStep);
  connect(&player_, &LessonPlayer::shownChanged, this, [this] {
    if (player_.preparing()) return;
    errors_->setText(player_.shown() != nullptr ? fault_words(*player_.shown()) : QString());
    errors_->setVisible(!errors_->text().isEmpty());
  });
  readStep();
}

void StepEditor::layOut() {
  auto* page = new QWidget;
  form_ = new QFormLayout(page);
  form_->setContentsMargins(12, 8, 12, 8);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setRowWrapPolicy(QFormLayout::WrapAllRows);  // every field has the width there is
  addLine(*form_, "title", "Lesson"_tr, "The title of the whole lesson"_tr);
  kind_->addItems({"Says"_tr, "Asks"_tr, "Lets try"_tr});
  kind_->setAccessibleName("What the step does"_tr);
  form_->addRow("This step"_tr, kind_);
  addText(*form_, "say", "Text"_tr,
          "Markdown; {runs.NAME.total} and the like are computed when it is shown"_tr);
  names_->setPopupMode(QToolButton::InstantPopup);
  names_->setMenu(new QMenu(names_));
  connect(names_->menu(), &QMenu::aboutToShow, this, &StepEditor::fillNames);
  form_->addRow("", names_);
  form_->addRow("", errors_);
  addLine(*form_, "answer", "Answer"_tr, "An expression: what is right is computed from the run"_tr);
  for (const Choices each : kChoices) choices_->addItem(name(each));
  choices_->setAccessibleName("What is chosen from"_tr);
  form_->addRow("Choices"_tr, choices_);
  tolerance_->setRange(0, 99);
  tolerance_->setSuffix(" %");
  tolerance_->setAccessibleName("How far a number may be off"_tr);
  form_->addRow("Tolerance"_tr, tolerance_);
  addText(*form_, "because", "Why"_tr, "Shown with the right answer"_tr);
  addLine(*form_, "hint", "Hint"_tr, "After a wrong answer, before another try"_tr);
  set_columns(*wrong_, {{"Wrong answer"_tr, "A choice beside the right one"_tr},
                        {"Explanation of the mistake"_tr, "Why it is wrong, shown when it is chosen"_tr}});
  wrong_->horizontalHeader()->setStretchLastSection(true);
  wrong_->verticalHeader()->hide();
  wrong_->setAccessibleName("Wrong answers"_tr);
  wrong_->setMaximumHeight(fontMetrics().height() * 8);
  form_->addRow("Mistakes"_tr, wrong_);
  addLine(*form_, "change", "May change"_tr,
          "Of mesh, problem, sums, chip, collective, strategy, sharding"_tr);
  addLine(*form_, "expect", "Done when"_tr, "An expression that is true once it was tried: mesh.x == 6"_tr);
  addLine(*form_, "watch", "Compare"_tr, "What stands before and after: steps = runs.ring.steps, …"_tr);
  addLine(*form_, "run", "Run"_tr, "Whose pictures are shown; empty: as before"_tr);
  addLine(*form_, "beat", "Beat"_tr, "A number or an expression, as story.beats; empty: as before"_tr);
  addLine(*form_, "show", "Views"_tr, "One or two: ring, grid, timeline, memory, …; empty: as before"_tr);
  addLine(*form_, "point_at", "Points at"_tr, "What is outlined: a0, device (0,1)"_tr);
  addText(*form_, "note", "Notes"_tr, "For who presents"_tr);
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(area);
}

void StepEditor::addText(QFormLayout& form, const std::string& key, const QString& label,
                         const QString& tip) {
  auto* field = new QPlainTextEdit(this);
  field->setTabChangesFocus(true);
  field->setAccessibleName(label);
  field->setToolTip(tip);
  field->setMinimumHeight(fontMetrics().height() * (key == "say" ? 5 : 3));
  field->setUndoRedoEnabled(false);  // the lesson's undo is the window's
  field->installEventFilter(this);
  form.addRow(label, field);
  texts_.emplace(key, field);
  connect(field, &QPlainTextEdit::textChanged, this, [this, key] { write(key); });
}

void StepEditor::addLine(QFormLayout& form, const std::string& key, const QString& label,
                         const QString& tip) {
  auto* field = new QLineEdit(this);
  field->setAccessibleName(label);
  field->setToolTip(tip);
  form.addRow(label, field);
  lines_.emplace(key, field);
  offerChoices(key, field);
  connect(field, &QLineEdit::textEdited, this, [this, key] { write(key); });
}

// A list opens behind the field; of a field with several words one more is put in.
void StepEditor::offerChoices(const std::string& key, QLineEdit* field) {
  static const std::vector<std::string> kOffered{"run", "beat", "show", "point_at", "change"};
  if (std::ranges::find(kOffered, key) == kOffered.end()) return;
  QAction* open = field->addAction(style()->standardIcon(QStyle::SP_ArrowDown), QLineEdit::TrailingPosition);
  open->setToolTip("Choose"_tr);
  connect(open, &QAction::triggered, this, [this, key, field] {
    auto* menu = new QMenu(field);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& choice : choicesOf(key))
      connect(menu->addAction(choice), &QAction::triggered, this, [this, key, field, choice] {
        const bool one = key == "run" || key == "beat" || field->text().trimmed().isEmpty();
        field->setText(one ? choice : field->text() + ", " + choice);
        write(key);
      });
    menu->popup(field->mapToGlobal(QPoint(0, field->height())));
  });
}

QStringList StepEditor::choicesOf(const std::string& key) const {
  QStringList out;
  const ShownStep* shown = player_.shown();
  if (key == "change")
    for (const std::string_view change : kChanges)
      out << QString::fromUtf8(change.data(), std::ssize(change));
  if (key == "show")
    for (const RunView& view : run_views()) out << view.id;
  if (key == "run" && shown != nullptr && shown->experiment >= 0)
    for (const std::string& name :
         run_names(document_.lesson().experiments[static_cast<size_t>(shown->experiment)]))
      out << as_text(name);
  const Story* story = shown == nullptr ? nullptr : shown->shown.story.get();
  if (story == nullptr) return out;
  if (key == "beat") {
    for (size_t beat = 0; beat < story->beats().size(); ++beat) out << QString::number(beat);
    out << "story.beats";
  }
  if (key == "point_at")
    for (const std::string& thing : thing_names(*story)) out << as_text(thing);
  return out;
}

QPlainTextEdit* StepEditor::text(const std::string& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? nullptr : found->second;
}

QLineEdit* StepEditor::line(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? nullptr : found->second;
}

void StepEditor::readStep() {
  if (!document_.isOpen() || player_.step() >= player_.stepCount()) return;
  reading_ = true;
  LessonStep step = document_.lesson().steps[static_cast<size_t>(player_.step())];
  kind_->setCurrentIndex(kind_of_step(step));
  const std::map<std::string, std::string> texts{
      {"say", main_text(step, kind_->currentIndex())}, {"because", step.because}, {"note", step.note}};
  for (const auto& [key, value] : texts) put(text(key), as_text(value), text(key)->toPlainText());
  const std::map<std::string, std::string> lines{{"title", document_.lesson().title},
                                                 {"answer", step.answer},
                                                 {"hint", step.hint},
                                                 {"expect", step.expect},
                                                 {"run", step.run},
                                                 {"beat", step.beat},
                                                 {"change", join(step.change, ", ")},
                                                 {"watch", join(step.watch, ", ")},
                                                 {"show", join(step.show, ", ")},
                                                 {"point_at", join(step.point_at, ", ")}};
  for (const auto& [key, value] : lines) {
    // A list that is being typed ends in a comma for a while.
    if (words_in(line(key)->text()) != words_in(as_text(value)) || !line(key)->hasFocus())
      put(line(key), as_text(value), line(key)->text());
  }
  choices_->setCurrentText(name(step.choices));
  tolerance_->setValue(step.tolerance * 100);
  readWrong(step);
  reading_ = false;
  showRows();
}

// With an empty row for another one.
void StepEditor::readWrong(const LessonStep& step) {
  const int rows = static_cast<int>(step.wrong.size()) + 1;
  wrong_->setRowCount(rows);
  for (int r = 0; r < rows; ++r) {
    const WrongAnswer each = r + 1 < rows ? step.wrong[static_cast<size_t>(r)] : WrongAnswer{};
    const auto set = [&](int column, const std::string& value) {
      if (wrong_->item(r, column) == nullptr) wrong_->setItem(r, column, new QTableWidgetItem);
      if (r + 1 < rows || !value.empty()) wrong_->item(r, column)->setText(as_text(value));
    };
    set(0, each.answer);
    set(1, each.because);
  }
}

LessonStep StepEditor::written() const {
  LessonStep step = document_.lesson().steps[static_cast<size_t>(player_.step())];
  const int kind = kind_->currentIndex(), before = kind_of_step(step);
  if (before != kind) {
    main_text(step, before).clear();
    if (kind != kAsks) {
      for (std::string* text : {&step.answer, &step.because, &step.hint}) text->clear();
      for (auto* texts : {&step.either, &step.hide}) texts->clear();
      step.wrong.clear();
    }
    if (kind != kTries) step.expect.clear(), step.change.clear(), step.watch.clear();
  }
  main_text(step, kind) = text("say")->toPlainText().toStdString();
  step.note = text("note")->toPlainText().toStdString();
  step.run = line("run")->text().trimmed().toStdString();
  step.beat = line("beat")->text().trimmed().toStdString();
  step.show = words_in(line("show")->text());
  step.point_at = words_in(line("point_at")->text());
  if (kind == kTries) {
    step.change = words_in(line("change")->text());
    step.watch = words_in(line("watch")->text());
    step.expect = line("expect")->text().trimmed().toStdString();
  }
  if (kind != kAsks) return step;
  step.answer = line("answer")->text().trimmed().toStdString();
  step.because = text("because")->toPlainText().toStdString();
  step.hint = line("hint")->text().trimmed().toStdString();
  step.choices = kChoices[static_cast<size_t>(choices_->currentIndex())];
  if (step.choices != Choices::yes_no) step.either.clear();
  step.tolerance = tolerance_->value() / 100;
  step.wrong.clear();
  for (int r = 0; r < wrong_->rowCount(); ++r) {
    const auto cell = [&](int column) {
      return wrong_->item(r, column) == nullptr ? std::string()
                                                : wrong_->item(r, column)->text().toStdString();
    };
    if (!cell(0).empty() && !cell(1).empty()) step.wrong.push_back({cell(0), cell(1)});
  }
  return step;
}

// A step that would not be read back is not written: its text must not be empty, nor a question's answer.
void StepEditor::write(const std::string& key) {
  if (reading_ || !document_.isOpen()) return;
  LessonStep step = written();
  Lesson lesson = document_.lesson();
  const bool lacks =
      main_text(step, kind_->currentIndex()).empty() || (!step.ask.empty() && step.answer.empty());
  mark_invalid(text("say"), text("say")->toPlainText().isEmpty());
  mark_invalid(line("answer"), kind_->currentIndex() == kAsks && step.answer.empty());
  if (lacks || step.show.size() > 2 || line("title")->text().trimmed().isEmpty()) return;
  lesson.title = line("title")->text().trimmed().toStdString();
  lesson.steps[static_cast<size_t>(player_.step())] = std::move(step);
  document_.change(lesson, "edit step %1"_tr.arg(player_.step() + 1),
                   QString("%1.%2").arg(player_.step()).arg(as_text(key)));
}

void StepEditor::showRows() {
  const int kind = kind_->currentIndex();
  const auto show = [this](QWidget* field, bool on) {
    field->setVisible(on);
    if (QWidget* label = form_->labelForField(field)) label->setVisible(on);
  };
  for (QWidget* field :
       std::initializer_list<QWidget*>{line("answer"), choices_, text("because"), line("hint"), wrong_})
    show(field, kind == kAsks);
  show(tolerance_, kind == kAsks && choices_->currentIndex() == 0);
  for (const char* key : {"change", "watch", "expect"}) show(line(key), kind == kTries);
}

// The names that there are, by what they are of.
void StepEditor::fillNames() {
  QMenu& menu = *names_->menu();
  menu.clear();
  const auto add = [this](QMenu& to, const QString& path, const std::vector<FactRow>& rows) {
    for (const FactRow& row : rows) {
      // "arrives(device=2, array="X"): what it is" is asked with arguments.
      const bool asked = row.meaning.starts_with(row.name + "(");
      const std::string call = asked ? row.meaning.substr(0, row.meaning.find("):") + 1) : row.name;
      const QString value = "{" + path + as_text(call) + "}";
      connect(to.addAction(QString("%1 – %2").arg(value, as_text(row.meaning))), &QAction::triggered, this,
              [this, value] { text("say")->insertPlainText(value); });
    }
  };
  const ShownStep* step = player_.shown();
  if (step != nullptr && step->shown.run != nullptr)
    add(*menu.addMenu("This run"_tr), "runs." + as_text(step->shown.name) + ".", run_facts());
  add(*menu.addMenu("This beat"_tr), QString("story.beat[%1].").arg(step != nullptr ? step->beat : 0),
      beat_facts());
  add(*menu.addMenu("Problem, mesh, chip"_tr), "", plain_facts());
}

// Undo in a text is the lesson's.
bool StepEditor::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo))
    return QWidget::eventFilter(watched, event);
  event->ignore();
  return true;
}

}  // namespace shardscope::inline window

// SPDX-License-Identifier: Apache-2.0
// Lessons as a class plays them in the window: by keyboard, with wrong and right answers, changing the mesh.
#include <QApplication>
#include <QLineEdit>
#include <QTest>

#include "engine/lesson/given_away.h"
#include "tests/app/lesson_fixture.h"

namespace shardscope::lesson_test {
namespace {

TEST_F(LessonTest, ThePageListsTheLessonsAndEnterPlaysOne) {
  QTest::keyClick(window.get(), Qt::Key_7, Qt::AltModifier);
  EXPECT_EQ(window->docks().page(), "lesson");
  QListWidget* list = panel().chooser()->list();
  EXPECT_EQ(list->count(), static_cast<int>(lesson_presets().size()));
  list->setFocus();
  list->setCurrentRow(0);
  QTest::keyClick(list, Qt::Key_Return);
  ASSERT_TRUE(wait_for([&] { return player().shown() != nullptr; }));
  EXPECT_EQ(panel().place(), "Round a ring: gathering and adding up · 1 of 17");
  EXPECT_TRUE(panel().reader()->text().startsWith("Four chips stand in a ring."));
  EXPECT_EQ(panel().pictures()->views(), (QStringList{"ring", "grid"}));
  EXPECT_TRUE(window->windowTitle().startsWith("Round a ring"));
}

// Chooses by the keyboard alone: arrows move among the choices, Enter commits.
void choose(QuestionBox& box, const std::function<bool(const QString&)>& wanted) {
  const auto& choices = box.choices();
  // Of two each is a button that commits.
  if (choices.size() == 2) {
    QAbstractButton* button = choices[wanted(choices[0]->property("answer").toString()) ? 0 : 1];
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Return);
    return;
  }
  choices.front()->setFocus();
  QTest::keyClick(choices.front(), Qt::Key_Space);
  for (size_t k = 0; k < choices.size(); ++k) {
    auto* now = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
    ASSERT_NE(now, nullptr);
    if (wanted(now->property("answer").toString())) {
      EXPECT_TRUE(now->isChecked());
      QTest::keyClick(now, Qt::Key_Return);
      return;
    }
    QTest::keyClick(now, Qt::Key_Down);
  }
  FAIL() << "no such choice";
}

void type(QuestionBox& box, const QString& answer) {
  box.number()->setFocus();
  box.number()->clear();
  QTest::keyClicks(box.number(), answer);
  QTest::keyClick(box.number(), Qt::Key_Return);
}

// All of them are long: the nightly tests play them all.
QStringList played_by_keyboard() {
  QStringList out{"1_ring", "9_from_jax", "10_same_work_twice"};
#ifdef SHARDSCOPE_NIGHTLY
  out.clear();
  for (const LessonPreset& preset : lesson_presets()) out << QString::fromStdString(preset.name);
#endif
  return out;
}

class LessonKeysTest : public LessonTest {
 protected:
  void playWhole(const QString& name);
};

TEST_F(LessonKeysTest, LessonsArePlayedWholeByPageDownAndAnswersAlone) {
  for (const QString& name : played_by_keyboard()) playWhole(name);
}

void LessonKeysTest::playWhole(const QString& name) {
  play(name);
  SCOPED_TRACE(name.toStdString());
  int questions = 0;
  for (int step = 0; step < player().stepCount(); ++step) {
    ASSERT_EQ(player().step(), step);
    ASSERT_TRUE(player().shown()->faults.empty()) << panel().reader()->faults().toStdString();
    QuestionBox& box = *panel().reader()->question();
    if (const auto& question = player().shown()->question) {
      ++questions;
      const QString right = QString::fromStdString(question->right_words());
      EXPECT_TRUE(box.isVisible());
      EXPECT_TRUE(box.said().isEmpty()) << "nothing is given away";
      EXPECT_TRUE(box.revealButton()->isHidden());
      if (question->choices.empty()) {
        type(box, QString::fromStdString(answer_forms(*question).wrong.back()));
      } else {
        choose(box, [&](const QString& answer) { return answer != right; });
      }
      EXPECT_TRUE(box.said().startsWith("**Not yet.**")) << box.said().toStdString();
      EXPECT_FALSE(box.revealButton()->isHidden()) << "committed: the answer may be seen";
      if (question->choices.empty()) {
        type(box, right);
      } else {
        choose(box, [&](const QString& answer) { return answer == right; });
      }
      EXPECT_TRUE(box.said().startsWith("**Right.**")) << box.said().toStdString();
    } else {
      EXPECT_TRUE(box.isHidden());
    }
    QWidget* focus = QApplication::focusWidget();
    ASSERT_TRUE(focus != nullptr && panel().isAncestorOf(focus)) << step;
    QTest::keyClick(focus, Qt::Key_PageDown);
    ready();
  }
  EXPECT_GT(questions, 2);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageUp);
  ready();
  EXPECT_EQ(player().step(), player().stepCount() - 2);
}

TEST_F(LessonTest, AMistakeIsNamedAndTheAnswerWaitsForOne) {
  play("1_ring");
  player().goTo(4);
  ready();
  QuestionBox& box = *panel().reader()->question();
  player().learner().reveal();
  EXPECT_FALSE(player().learner().revealed()) << "nobody has answered";
  type(box, "many");
  EXPECT_TRUE(box.said().contains("is not a number")) << box.said().toStdString();
  EXPECT_TRUE(box.revealButton()->isHidden());
  type(box, "4");
  EXPECT_EQ(box.said(),
            "**Not yet.** Each chip starts with one block: that one need not come. Try once more.");
  QTest::mouseClick(box.revealButton(), Qt::LeftButton);
  EXPECT_TRUE(box.said().contains("The answer is **3**.")) << box.said().toStdString();
}

TEST_F(LessonTest, ASecondWrongAnswerGetsTheSolution) {
  play("1_ring");
  player().goTo(4);
  ready();
  QuestionBox& box = *panel().reader()->question();
  type(box, "seven");
  EXPECT_TRUE(box.said().startsWith("**Not yet.** It is less than that.")) << box.said().toStdString();
  EXPECT_FALSE(box.said().contains("The answer is"));
  type(box, "1");
  EXPECT_TRUE(box.said().contains("The answer is **3**.")) << box.said().toStdString();
  type(box, "three");
  EXPECT_TRUE(box.said().startsWith("**Right.**")) << box.said().toStdString();
}

TEST_F(LessonTest, OfTwoChoicesEachIsAButtonThatCommits) {
  play("2_four_cases");
  player().goTo(7);
  ready();
  QuestionBox& box = *panel().reader()->question();
  ASSERT_EQ(box.choices().size(), 2U);
  EXPECT_TRUE(box.checkButton()->isHidden());
  EXPECT_EQ(box.choices()[0]->text(), "Computing");
  QTest::mouseClick(box.choices()[1], Qt::LeftButton);
  EXPECT_TRUE(box.said().startsWith("**Not yet.** Compare the lanes")) << box.said().toStdString();
  box.choices()[0]->setFocus();
  QTest::keyClick(box.choices()[0], Qt::Key_Return);
  EXPECT_TRUE(box.said().startsWith("**Right.**")) << box.said().toStdString();
}

// All that can be read on the page: pictures and labels.
QStringList texts_on(LessonPanel& panel) {
  QStringList out;
  for (const auto* canvas : panel.findChildren<SceneView*>())
    if (canvas->isVisible())
      for (const TextItem& text : canvas->scene().texts()) out << QString::fromStdString(text.text);
  for (const auto* label : panel.findChildren<QLabel*>())
    if (label->isVisible()) out << label->text();
  for (const auto* button : panel.findChildren<QAbstractButton*>())
    if (button->isVisible()) out << button->text();
  return out;
}

TEST_F(LessonTest, NothingOnThePageSaysTheAnswerBeforeItIsGiven) {
  for (const LessonPreset& preset : lesson_presets()) {
    play(QString::fromStdString(preset.name));
    for (int step = 0; step < player().stepCount(); ++step) {
      player().goTo(step);
      ready();
      const auto question = player().shown()->question;
      if (!question) continue;
      for (const QString& text : texts_on(panel()))
        EXPECT_FALSE(gives_away(*question, text.toStdString()))
            << preset.name << " step " << step + 1 << ": " << text.toStdString();
    }
  }
}

TEST_F(LessonTest, WhatAPictureHidesIsSeenOnceItIsAnswered) {
  play("8_why_gather");
  player().goTo(6);
  ready();
  const std::string peak = player().shown()->question->right_words();
  const auto seen = [&] {
    return texts_on(panel()).join("\n").contains("peak " + QString::fromStdString(peak));
  };
  EXPECT_FALSE(seen());
  player().learner().answer(QString::fromStdString(peak));
  settle(5);
  EXPECT_TRUE(seen());
}

TEST_F(LessonTest, PageKeysTurnPagesWhateverHasTheFocus) {
  play("1_ring");
  player().goTo(6);
  ready();
  QSpinBox* size = panel().reader()->tries()->axis("x");
  size->setFocus();
  QTest::keyClick(size, Qt::Key_PageDown);
  ready();
  EXPECT_EQ(player().step(), 7);
  EXPECT_FALSE(player().changed()) << "the mesh stayed";
  QTest::keyClick(panel().pictures()->view("ring"), Qt::Key_PageUp);
  ready();
  EXPECT_EQ(player().step(), 6);
}

TEST_F(LessonTest, AStepBeginsAtTheMomentBeforeAndGoesToItsOwn) {
  play("1_ring");
  player().goTo(1);
  ready();
  std::optional<Picoseconds> first;
  QObject::connect(&player(), &LessonPlayer::shownChanged, &player(), [&] {
    if (player().shown() != nullptr && !first) first = player().clock().selection().time;
  });
  player().next();
  ready();
  const Story& story = *player().clock().story();
  EXPECT_EQ(first, story.moment_of(0));
  EXPECT_TRUE(player().clock().player().playing());
  EXPECT_TRUE(wait_for([&] { return !player().clock().player().playing(); }, 10'000));
  EXPECT_EQ(player().clock().selection().time, story.moment_of(1)) << "and no further";
  player().clock().player().play(true);
  EXPECT_TRUE(wait_for([&] { return player().clock().selection().time > story.moment_of(1); }))
      << "but whoever wants to may play on";
}

TEST_F(LessonTest, TheClassChangesTheMeshAndSeesBeforeAndAfter) {
  play("1_ring");
  player().goTo(6);
  ready();
  TryForm& form = *panel().reader()->tries();
  ASSERT_NE(form.axis("x"), nullptr);
  EXPECT_EQ(form.field("problem"), nullptr) << "only what the step names";
  EXPECT_TRUE(form.resetButton()->isHidden());
  QSpinBox* size = form.axis("x");
  size->setFocus();
  size->selectAll();
  QTest::keyClicks(size, "6");
  QTest::keyClick(size, Qt::Key_Return);
  ASSERT_TRUE(wait_for([&] { return player().shown() != nullptr && player().changed(); }));
  EXPECT_EQ(form.said(), "Done: this is what you were asked to try.");
  EXPECT_EQ(player().clock().shown()->run->mesh.device_count(), 6);
  EXPECT_TRUE(form.compared().contains("| steps | 3 | **5** |")) << form.compared().toStdString();
  EXPECT_FALSE(form.resetButton()->isHidden());
  player().goTo(4);
  ready();
  EXPECT_EQ(player().shown()->question->right_words(), "3") << "leaving the step restores";
  EXPECT_FALSE(player().changed());
  EXPECT_FALSE(document().modified()) << "what a class tries is not an edit";
}

TEST_F(LessonTest, WhatCannotBeIsSaidAndCanBeTakenBack) {
  play("1_ring");
  Experiment bad = *player().experiment();
  bad.problem.m = 7;
  player().change(bad);
  ready();
  EXPECT_FALSE(panel().reader()->faults().isEmpty());
  EXPECT_TRUE(panel().pictures()->views().isEmpty());
  EXPECT_FALSE(panel().reader()->tries()->resetButton()->isHidden());
  player().reset();
  ready();
  EXPECT_TRUE(panel().reader()->faults().isEmpty());
}

TEST_F(LessonTest, ACancelledStepSaysSoAndIsPlayedAgain) {
  play("5_rounding");
  player().goTo(3);  // asks about numbers, which take their time
  ready();
  Experiment other = *player().experiment();
  other.seed = 17;
  player().change(other);
  EXPECT_TRUE(panel().job()->busy());
  panel().job()->cancelButton()->click();
  ready();
  EXPECT_TRUE(panel().reader()->faults().contains("cancelled"));
  QTest::mouseClick(panel().job()->startButton(), Qt::LeftButton);
  ready();
  EXPECT_TRUE(panel().reader()->faults().isEmpty()) << panel().reader()->faults().toStdString();
}

TEST_F(LessonTest, NotesAreFoldedAway) {
  play("1_ring");
  StepReader& reader = *panel().reader();
  EXPECT_TRUE(reader.notes().isEmpty());
  QTest::mouseClick(reader.notesButton(), Qt::LeftButton);
  EXPECT_TRUE(reader.notes().startsWith("Let the class propose."));
  player().next();
  ready();
  EXPECT_TRUE(reader.notesButton()->isHidden()) << "it has none";
}

TEST_F(LessonTest, EveryBuiltInLessonIsPlayedToItsEndWithoutAFault) {
  for (const LessonPreset& preset : lesson_presets()) {
    play(QString::fromStdString(preset.name));
    for (int step = 0; step < player().stepCount(); ++step) {
      player().goTo(step);
      ready();
      EXPECT_TRUE(player().shown()->faults.empty())
          << preset.name << " " << step << ": " << panel().reader()->faults().toStdString();
      for (const QString& view : panel().pictures()->views())
        EXPECT_TRUE(panel().pictures()->view(view)->isVisible()) << view.toStdString();
    }
  }
}

TEST_F(LessonTest, NoPictureGivesTheAnswerAway) {
  play("1_ring");
  player().goTo(1);
  ready();
  const auto* ring = qobject_cast<RunCanvas*>(panel().pictures()->view("ring"));
  ASSERT_NE(ring, nullptr);
  for (const TextItem& text : ring->scene().texts())
    EXPECT_EQ(text.text.find("who sends which block"), std::string::npos) << "a table of all that comes";
}

// With SHARDSCOPE_PICTURES=folder they are kept to be looked at.
TEST_F(LessonTest, PictureAndTextHaveRoomOnAProjectorAndOnALargeScreen) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  play("1_ring");
  for (const bool large : {false, true}) {
    preferences.overrideLook(large, large ? 2.0 : 1.0);
    Q_EMIT preferences.lookChanged();
    window->resize(large ? QSize(1920, 1080) : QSize(1280, 720));
    for (const int step : {1, 7}) {
      player().goTo(step);
      ready();
      settle(40);
      EXPECT_GE(panel().pictures()->width(), window->width() * 2 / 5) << step;
      EXPECT_GE(panel().pictures()->height(), window->height() / 2) << step;
      EXPECT_TRUE(window->rect().contains(
          QRect(panel().reader()->mapTo(window.get(), QPoint()), panel().reader()->size())))
          << step;
      if (!folder.isEmpty())
        window->grab().save(QString("%1/lesson_%2_%3.png").arg(folder).arg(window->width()).arg(step));
    }
  }
  preferences.overrideLook(false, 1.0);
}

TEST_F(LessonTest, AFileOpensOnItsPageAndIsRecent) {
  QTemporaryDir folder;
  const QString path = folder.filePath("mine.lesson.toml");
  LessonDocument other;
  other.open(find_lesson("4_cannon_summa")->lesson);
  ASSERT_TRUE(other.save(path).ok());
  open_path(window->context(), path);
  ASSERT_TRUE(wait_for([&] { return player().shown() != nullptr; }));
  EXPECT_EQ(window->docks().page(), "lesson");
  EXPECT_EQ(document().file(), path);
  EXPECT_TRUE(window->windowTitle().startsWith("mine.lesson.toml"));
  EXPECT_TRUE(preferences.settings().value("recent_files").toStringList().contains(path));
  EXPECT_EQ((*kind_of(path))->id, "lesson");
  window->docks().setPage("explore");
  EXPECT_FALSE(window->windowTitle().startsWith("mine.lesson.toml"));
}

TEST_F(LessonTest, TheJournalKeepsALessonThatIsInNoFile) {
  play("1_ring");
  Lesson edited = document().lesson();
  edited.title = "Mine";
  document().unlock();
  document().change(edited, "title");
  player().goTo(3);
  const QJsonObject state = panel().state();
  document().open(find_lesson("3_overlap")->lesson);
  panel().restore(state);
  ready();
  EXPECT_EQ(document().lesson(), edited);
  EXPECT_TRUE(document().modified());
  EXPECT_EQ(player().step(), 3);
}

}  // namespace
}  // namespace shardscope::lesson_test

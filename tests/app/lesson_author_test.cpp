// SPDX-License-Identifier: Apache-2.0
// A lesson made in the window, by keyboard and mouse: from views of any page and a question, edited, moved,
// undone, saved and opened again.
#include <QTest>

#include "engine/base/read_file.h"
#include "engine/lesson/check_lesson.h"
#include "engine/lesson/lesson_file.h"
#include "engine/session/lessons/played_lesson.h"
#include "tests/app/lesson_fixture.h"
#include "tests/pages/browser.h"

namespace shardscope::lesson_author_test {
namespace {

class LessonAuthorTest : public LessonTest {
 protected:
  void SetUp() override {
    LessonTest::SetUp();
    runAll();
    showRunOf("wang.os");
  }
  void addView() {
    QTest::keyClick(window.get(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    ready();
  }
  void type(QPlainTextEdit* field, const QString& text) {
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
  }
  LessonCheck checked(const std::string& toml) {
    LessonRuns runs({});
    const LessonFile file = *parse_lesson(toml, "mine.lesson.toml");
    return *check_lesson(file, [&](const LessonExperiment& e) { return runs.of(e); }, view_names(), {});
  }
  const std::vector<LessonStep>& steps() { return document().lesson().steps; }
};

TEST_F(LessonAuthorTest, TheListSaysForWhomHowLongAndHowFarOneGot) {
  play("3_overlap");
  player().goTo(4);
  ready();
  document().close();
  QListWidget* list = panel().chooser()->list();
  list->setCurrentRow(2);
  const QString text = list->item(2)->text();
  EXPECT_TRUE(text.contains("for engineers")) << text.toStdString();
  EXPECT_TRUE(text.contains("after “The four cases")) << text.toStdString();
  EXPECT_TRUE(text.contains("about 13 minutes")) << text.toStdString();
  EXPECT_TRUE(text.contains("you were at step 5")) << text.toStdString();
  panel().chooser()->goOnButton()->click();
  ready();
  EXPECT_EQ(player().step(), 4);
}

TEST_F(LessonAuthorTest, FromThreeViewsAndAQuestionSavedAndOpenedAsTheSameBytes) {
  addView();
  ASSERT_TRUE(document().isOpen());
  ASSERT_EQ(steps().size(), 1U) << "no empty step before it";
  EXPECT_EQ(window->docks().page(), "lesson") << "the step that it made is shown";
  EXPECT_EQ(player().step(), 0);
  window->docks().setPage("explore");
  clock().setBeat(1);
  const int beat = clock().beat();
  window->canvas("ring")->setFocus();
  addView();
  EXPECT_EQ(steps()[1].beat, std::to_string(beat));
  EXPECT_EQ(steps()[1].show.front(), "ring") << "the view with the focus comes first";
  window->docks().setPage("explore");
  ItemId device;
  device.kind = ItemId::Kind::device;
  device.device = 1;
  clock().setBeat(clock().beatCount());
  clock().select(device);
  addView();
  EXPECT_EQ(steps()[2].point_at, (std::vector<std::string>{"device (0,1)"}));
  EXPECT_EQ(document().lesson().experiments.size(), 1U);

  QTest::keyClick(window.get(), Qt::Key_7, Qt::AltModifier);
  player().goTo(1);
  ready();
  EXPECT_FALSE(panel().steps()->item(1)->text().contains("{"))
      << panel().steps()->item(1)->text().toStdString();
  EXPECT_GT(panel().steps()->item(1)->text().size(), 12) << "its text, not its expression";
  const StepEditor& editor = *panel().editor();
  EXPECT_TRUE(editor.choicesOf("run").contains("wang.os"));
  EXPECT_TRUE(editor.choicesOf("beat").contains("1"));
  EXPECT_TRUE(editor.choicesOf("show").contains("timeline"));
  EXPECT_TRUE(editor.choicesOf("point_at").contains("device (0,1)"));
  window->action("lesson.add_question")->trigger();
  ready();
  ASSERT_EQ(steps().size(), 4U);
  EXPECT_EQ(player().step(), 2);
  EXPECT_TRUE(panel().editor()->isVisible());
  type(panel().editor()->text("note"), "Let them guess.");
  EXPECT_EQ(steps()[2].note, "Let them guess.");
  EXPECT_TRUE(window->isWindowModified());

  QTemporaryDir folder;
  const QString path = folder.filePath("mine.lesson.toml");
  ASSERT_TRUE(document().save(path).ok());
  EXPECT_FALSE(window->isWindowModified());
  const std::string bytes = read_file(path.toStdString()).value();
  const LessonCheck check = checked(bytes);
  EXPECT_TRUE(check.errors.empty()) << check.errors[0].message;
  EXPECT_FALSE(check.steps[2].answer.empty());

  document().close();
  ASSERT_TRUE(window->open(path).ok());
  ready();
  window->action("file.save")->trigger();
  EXPECT_EQ(read_file(path.toStdString()).value(), bytes);
}

TEST_F(LessonAuthorTest, ATextIsShownWhileItIsTypedAndAWrongNameIsSaidBelow) {
  play("1_ring");
  window->action("lesson.edit")->trigger();
  type(panel().editor()->text("say"), "It takes {runs.one_way.total}.");
  ASSERT_TRUE(wait_for([&] { return panel().reader()->text() == "It takes 1.68 ms."; }));
  EXPECT_TRUE(panel().editor()->errors().isEmpty());
  type(panel().editor()->text("say"), "It takes {runs.one_way.totl}.");
  ASSERT_TRUE(wait_for([&] { return panel().editor()->errors().contains("did you mean total?"); }));
}

TEST_F(LessonAuthorTest, UndoAndRedoGoThroughTheWindow) {
  play("1_ring");
  const Lesson first = document().lesson();
  window->action("lesson.edit")->trigger();
  type(panel().editor()->text("say"), "Another text");
  EXPECT_EQ(steps()[0].say, "Another text");
  window->action("lesson.delete")->trigger();
  EXPECT_EQ(steps().size(), first.steps.size() - 1);
  panel().editor()->text("say")->setFocus();
  settle(5);
  QTest::keyClick(panel().editor()->text("say"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(steps().size(), first.steps.size());
  QTest::keyClick(panel().editor()->text("say"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(document().lesson(), first) << "what was typed in one go is one step of undo";
  EXPECT_FALSE(document().modified());
  window->action("edit.redo")->trigger();
  EXPECT_EQ(steps()[0].say, "Another text");
}

TEST_F(LessonAuthorTest, StepsAreMovedByKeyboardAndByDragging) {
  play("1_ring");
  const Lesson first = document().lesson();
  panel().steps()->show();
  player().goTo(3);
  ready();
  panel().steps()->setFocus();
  QTest::keyClick(panel().steps(), Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(document().lesson(), first) << "it comes with the program: nobody asked to edit it";
  panel().editButton()->click();
  panel().steps()->setFocus();
  QTest::keyClick(panel().steps(), Qt::Key_Up, Qt::AltModifier);
  ready();
  EXPECT_EQ(player().step(), 2);
  EXPECT_EQ(steps()[2].ask, first.steps[3].ask);
  QTest::keyClick(panel().steps(), Qt::Key_Down, Qt::AltModifier);
  ready();
  EXPECT_EQ(steps()[3].ask, first.steps[3].ask);
  // What a drop inside the list does.
  QAbstractItemModel* rows = panel().steps()->model();
  ASSERT_TRUE(rows->moveRow({}, 3, {}, 6));
  ASSERT_TRUE(wait_for([&] { return steps()[5].ask == first.steps[3].ask; }));
  EXPECT_EQ(player().step(), 5);
  EXPECT_EQ(panel().steps()->count(), static_cast<int>(first.steps.size()));
}

TEST_F(LessonAuthorTest, AKindIsNotWrittenBeforeItMakesSense) {
  play("1_ring");
  window->action("lesson.edit")->trigger();
  StepEditor& editor = *panel().editor();
  editor.kind()->setCurrentIndex(1);
  Q_EMIT editor.kind()->activated(1);
  EXPECT_TRUE(steps()[0].ask.empty()) << "a question without its answer is none";
  editor.line("answer")->setFocus();
  QTest::keyClicks(editor.line("answer"), "mesh.x");
  EXPECT_FALSE(steps()[0].ask.empty());
  EXPECT_TRUE(steps()[0].say.empty());
  ASSERT_TRUE(wait_for([&] { return player().shown() != nullptr && player().shown()->question; }));
  EXPECT_EQ(player().shown()->question->right_words(), "4");
}

TEST_F(LessonAuthorTest, ExportedItPlaysInABrowserToItsEndWithAWrongThenARightAnswer) {
  for (const int beat : {0, 1, clock().beatCount()}) {
    window->docks().setPage("explore");
    clock().setBeat(beat);
    addView();
  }
  player().goTo(1);
  ready();
  window->action("lesson.add_question")->trigger();
  ready();
  ASSERT_EQ(steps().size(), 4U);
  const QTemporaryDir folder;
  const QString path = folder.filePath("mine.html");
  write_lesson_page(window->context(), path);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  ASSERT_TRUE(QFile::exists(path));

  pages_test::Page page(path.toStdString(), {.still = true});
  const std::string step = "document.querySelector('section.step:not(.away)')";
  for (int k = 0; k < 2; ++k) page.key("PageDown");
  ASSERT_EQ(page.value(step + ".id"), "step-3");
  const std::string right = player().shown()->question->right_words();
  const auto answer = [&](bool rightly) {
    page.value("[..." + step + ".querySelectorAll('label')].find(l => (l.textContent.trim() === '" + right +
               "') === " + (rightly ? "true" : "false") + ").querySelector('input').click()");
    page.value(step + ".querySelector('form button').click()");
    return page.value(step + ".querySelector('.verdict').textContent").get<std::string>();
  };
  EXPECT_TRUE(answer(false).starts_with("Not yet."));
  EXPECT_TRUE(answer(true).starts_with("Right."));
  page.key("PageDown");
  EXPECT_EQ(page.value(step + ".id"), "step-4") << "its end";
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

}  // namespace
}  // namespace shardscope::lesson_author_test

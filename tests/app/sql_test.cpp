// SPDX-License-Identifier: Apache-2.0
// The SQL view: what there is to ask for, history, completion, cancelling, errors with their place, charts,
// own queries.
#include <QTest>

#include "tests/app/window_fixture.h"

namespace shardscope::sql_test {
namespace {

class SqlTest : public WindowTest {
 protected:
  void SetUp() override {
    preferences.keep("sql", {});
    WindowTest::SetUp();
    runAll();
    box = static_cast<SqlBox*>(window->showPanel("sql").widget);
    ASSERT_TRUE(wait_for([&] { return box->schema()->topLevelItemCount() > 0; }));
    settle();
  }
  void ask(const QString& sql) {
    box->run(sql);
    ASSERT_TRUE(box->asking()) << "asking does not wait for the answer";
    ASSERT_TRUE(wait_for([&] { return !box->asking(); }));
  }
  SqlBox* box = nullptr;
};

TEST_F(SqlTest, TheTreeNamesTablesColumnsTypesAndMeanings) {
  const QTreeWidgetItem* view = box->schema()->topLevelItem(0);
  EXPECT_EQ(view->text(0), "run_summary");
  EXPECT_FALSE(view->text(1).isEmpty());
  ASSERT_GT(view->childCount(), 10);
  bool found = false;
  for (int i = 0; i < view->childCount(); ++i) {
    EXPECT_FALSE(view->child(i)->text(1).isEmpty()) << view->child(i)->text(0).toStdString();
    found = found || view->child(i)->text(1).contains("Simulated time: end of the last event [s]");
  }
  EXPECT_TRUE(found) << "a column says its unit";
  box->editor()->setPlainText("SELECT");
  box->editor()->moveCursor(QTextCursor::End);
  Q_EMIT box->schema()->itemActivated(box->schema()->topLevelItem(0), 0);
  EXPECT_EQ(box->editor()->toPlainText(), "SELECT run_summary");
}

TEST_F(SqlTest, NamesCompleteAsTheyAreTyped) {
  SqlEditor* editor = box->editor();
  editor->clear();
  editor->setFocus();
  QTest::keyClicks(editor, "SELECT strat");
  ASSERT_TRUE(editor->completer()->popup()->isVisible());
  QTest::keyClick(editor, Qt::Key_Tab);
  EXPECT_EQ(editor->toPlainText(), "SELECT strategy");
  QTest::keyClicks(editor, " FROM run_su");
  QTest::keyClick(editor, Qt::Key_Return);
  EXPECT_EQ(editor->toPlainText(), "SELECT strategy FROM run_summary");
  EXPECT_FALSE(editor->completer()->popup()->isVisible());
}

TEST_F(SqlTest, WhatWasAskedComesBackInThisWindowAndTheNext) {
  ask("SELECT 1");
  ask("SELECT 2");
  SqlEditor* editor = box->editor();
  editor->setPlainText("being written");
  QTest::keyClick(editor, Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(editor->toPlainText(), "SELECT 2");
  QTest::keyClick(editor, Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(editor->toPlainText(), "SELECT 1");
  QTest::keyClick(editor, Qt::Key_Down, Qt::AltModifier);
  QTest::keyClick(editor, Qt::Key_Down, Qt::AltModifier);
  EXPECT_EQ(editor->toPlainText(), "being written");
  box->saveQuery("mine");
  SqlBox other;
  other.setKept(preferences.kept("sql"));
  EXPECT_EQ(other.editor()->history(), (QStringList{"SELECT 1", "SELECT 2"}));
  EXPECT_GE(other.queries()->findText("mine"), 0);
  other.removeQuery("mine");
  EXPECT_LT(other.queries()->findText("mine"), 0);
}

TEST_F(SqlTest, AQueryIsCancelledAndTheNextOneIsAnswered) {
  box->run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  settle(30);
  ASSERT_TRUE(box->asking());
  box->cancel();
  ASSERT_TRUE(wait_for([&] { return !box->asking(); }, 5000));
  EXPECT_EQ(box->message(), "the query was cancelled");
  ask("SELECT count(*) FROM run_summary");
  EXPECT_EQ(box->model()->rowCount(), 1);
}

TEST_F(SqlTest, AnErrorStandsAtItsPlace) {
  box->editor()->setPlainText("SELECT run,\n  strtegy FROM run_summary");
  ask(box->editor()->toPlainText());
  EXPECT_TRUE(box->message().startsWith("line 2, column 3: no such column: strtegy"))
      << box->message().toStdString();
  ASSERT_EQ(box->editor()->extraSelections().size(), 1);
  EXPECT_EQ(box->editor()->extraSelections()[0].cursor.selectedText(), "strtegy");
}

TEST_F(SqlTest, NoMoreRowsAreReadThanAllowed) {
  box->budget()->setValue(10);
  ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  EXPECT_EQ(box->model()->rowCount(), 10);
  EXPECT_EQ(box->message(), "the first 10 rows");
}

TEST_F(SqlTest, AnAnswerIsDrawnWithItsUnits) {
  ask("SELECT strategy, total_s, bytes_sent_per_device FROM run_summary ORDER BY total_s");
  SqlChart* chart = box->chart();
  EXPECT_EQ(chart->x()->currentText(), "strategy");
  EXPECT_EQ(chart->y()->currentText(), "total_s");
  EXPECT_EQ(chart->chart().y_axis.unit, "s");
  EXPECT_TRUE(chart->chart().x.empty()) << "strategies are texts";
  EXPECT_EQ(std::ssize(chart->chart().y), box->model()->rowCount());
  chart->x()->setCurrentText("bytes_sent_per_device");
  chart->kind()->setCurrentIndex(2);
  EXPECT_EQ(chart->chart().kind, QueryChart::Kind::scatter);
  EXPECT_EQ(std::ssize(chart->chart().x), box->model()->rowCount());
}

TEST_F(SqlTest, EveryShippedQueryIsAnsweredInTheWindow) {
  for (const ShippedQuery& query : shipped_queries()) {
    const int place = box->queries()->findText(query.title);
    ASSERT_GE(place, 0) << query.title;
    Q_EMIT box->queries()->activated(place);
    EXPECT_EQ(box->editor()->toPlainText(), query.sql);
    ask(box->editor()->toPlainText());
    EXPECT_TRUE(box->message().endsWith("rows")) << query.title << ": " << box->message().toStdString();
    if (*query.y != 0 && box->model()->rowCount() > 0) {
      EXPECT_EQ(box->chart()->y()->currentText(), query.y) << query.title;
    }
  }
}

}  // namespace
}  // namespace shardscope::sql_test

// SPDX-License-Identifier: Apache-2.0
// The module as a document of the window: saved, journaled, given back; large ones are read and edited too.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/module/big_module.h"
#include "tests/app/window_fixture.h"

namespace shardscope::module_file_test {
namespace {

class ModuleFile : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->showPanel("hlo");
    settle();
  }
  HloPanel* panel() { return window->hlo(); }
  HloFile& file() { return panel()->file(); }
  HloTexts* texts() { return panel()->findChild<HloTexts*>(); }
  HloOptionsForm* options() { return panel()->findChild<HloOptionsForm*>(); }
  void wait() {
    settle(20);
    ASSERT_TRUE(wait_for([&] { return !panel()->busy(); }));
    settle();
  }
  QString put(const QString& name, const std::string& text) {
    const QString path = folder.filePath(name);
    QFile out(path);
    EXPECT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(text.data(), static_cast<qint64>(text.size()));
    return path;
  }
  std::string read(const QString& path) {
    QFile in(path);
    EXPECT_TRUE(in.open(QIODevice::ReadOnly));
    return in.readAll().toStdString();
  }
  QTemporaryDir folder;
};

TEST_F(ModuleFile, IsSavedByTheWindowsSaveAndSaysWhetherItLacksEdits) {
  const QString path = put("own.hlo", "HloModule own\nENTRY e { ROOT p = f32[8] parameter(0) }\n");
  ASSERT_TRUE(window->open(path).ok());
  wait();
  EXPECT_TRUE(window->windowTitle().startsWith("own.hlo"));
  EXPECT_FALSE(window->isWindowModified());
  texts()->source()->moveCursor(QTextCursor::End);
  texts()->source()->insertPlainText("// more\n");
  EXPECT_TRUE(window->isWindowModified());
  window->action("file.save")->trigger();
  EXPECT_FALSE(window->isWindowModified());
  EXPECT_EQ(read(path), texts()->plainText().toStdString());
  panel()->undoStack().undo();
  EXPECT_TRUE(file().modified());
  EXPECT_FALSE(file().save(folder.filePath("no/such/folder.hlo")).ok());
}

TEST_F(ModuleFile, ComesBackWithItsOptionsFromWhatTheJournalKeeps) {
  panel()->openPreset("torch_matmul");
  wait();
  options()->dialect()->setCurrentText("tpu2022");
  Q_EMIT options()->dialect()->activated(options()->dialect()->currentIndex());
  texts()->source()->insertPlainText("// typed\n");
  wait();
  const QJsonObject kept = panel()->state();
  const QString text = texts()->plainText(), made = panel()->partitionedText();
  panel()->openPreset("mlp");
  wait();
  EXPECT_NE(panel()->partitionedText(), made);
  panel()->restore(kept);
  wait();
  EXPECT_EQ(texts()->plainText(), text);
  EXPECT_EQ(file().name(), "torch_matmul.hlo");
  EXPECT_TRUE(file().modified());
  EXPECT_EQ(options()->dialect()->currentText(), "tpu2022");
  EXPECT_EQ(panel()->partitionedText(), made);
  EXPECT_EQ(panel()->state(), kept);
}

TEST_F(ModuleFile, ALargeOneIsReadBesideTheWindowAndEditedByItsShardings) {
  const std::string text = big_module(5'000);
  const QString path = put("large.hlo", text);
  ASSERT_TRUE(window->open(path).ok());
  EXPECT_TRUE(panel()->busy());
  wait();
  ASSERT_TRUE(texts()->isReadOnly());
  EXPECT_EQ(texts()->readOnly()->text()->text(), text);
  EXPECT_NE(panel()->explained(), nullptr);
  LineView* view = texts()->readOnly();
  const int line = view->lineOf("x.0");
  view->setSelection({line, 0}, {line, 0});
  QTest::keyClick(view, Qt::Key_F2);
  HloShardingField* field = texts()->shardingField();
  ASSERT_TRUE(field->isVisible());
  EXPECT_EQ(field->text(), "{devices=[4,2]<=[8]}");
  field->setText("{devices=[8,1]<=[8]}");
  QTest::keyClick(field, Qt::Key_Return);
  wait();
  EXPECT_EQ(view->lineText(line).find("{devices=[4,2]"), std::string::npos);
  EXPECT_TRUE(file().modified());
  const QJsonObject kept = panel()->state();
  EXPECT_FALSE(kept.contains("text"));  // its file has it
  panel()->undoStack().undo();
  wait();
  EXPECT_EQ(view->text()->text(), text);
  EXPECT_FALSE(file().modified());
  panel()->restore(kept);
  wait();
  EXPECT_NE(texts()->readOnly()->lineText(line).find("{devices=[8,1]<=[8]}"), std::string::npos);
  window->action("file.save")->trigger();
  EXPECT_EQ(read(path), texts()->text()->text());
}

TEST_F(ModuleFile, RunMeansTheModuleThatIsOnItsWayIn) {
  const std::string text = big_module(5'000);
  ASSERT_TRUE(window->open(put("large.hlo", text)).ok());
  ASSERT_TRUE(file().busy());
  panel()->run();
  EXPECT_TRUE(panel()->job()->busy());
  ASSERT_TRUE(wait_for([&] { return !panel()->job()->busy(); }));
  EXPECT_EQ(texts()->text()->text(), text);
  // The whole takes too long to be computed twice.
  EXPECT_TRUE(panel()->job()->message().contains("proved at 1/"))
      << panel()->job()->message().toStdString();
}

TEST_F(ModuleFile, IsSearchedInEitherText) {
  panel()->openPreset("mlp");
  wait();
  FindBar* find = texts()->findBar();
  texts()->source()->setFocus();
  panel()->find();
  QTest::keyClicks(find->field(), "dot(");
  ASSERT_TRUE(wait_for([&] { return !find->busy(); }));
  EXPECT_EQ(find->said(), "1 of 2");
  EXPECT_EQ(texts()->source()->textCursor().selectedText(), "dot(");
  QTest::keyClick(find->field(), Qt::Key_Return);
  EXPECT_EQ(find->said(), "2 of 2");
  QTest::keyClick(find->field(), Qt::Key_Escape);
  EXPECT_FALSE(find->isVisible());
  texts()->made()->setFocus();
  panel()->find();
  find->field()->setText("all-reduce(");
  ASSERT_TRUE(wait_for([&] { return !find->busy(); }));
  EXPECT_EQ(texts()->made()->selectedText(), "all-reduce(");
}

}  // namespace
}  // namespace shardscope::module_file_test

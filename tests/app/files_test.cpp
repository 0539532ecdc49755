// SPDX-License-Identifier: Apache-2.0
// Files come in through one table of kinds, wherever they are dropped, and go out with a word on where they
// are.
#include <QClipboard>
#include <QDropEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMimeData>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/window/docks/file_kinds.h"
#include "app/window/widgets/export.h"
#include "engine/hardware/hardware.h"
#include "tests/app/window_fixture.h"

namespace shardscope::files_test {
namespace {

class FilesTest : public WindowTest {
 protected:
  QString file(const QString& name, const QByteArray& text) {
    const QString path = folder.filePath(name);
    QFile out(path);
    EXPECT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(text);
    return path;
  }
  QString experiment() {
    return file("e.toml", QByteArray::fromStdString(std::string(experiment_preset_text("teaching"))));
  }
  QString chip() { return file("c.toml", QByteArray::fromStdString(hardware_toml(*find_hardware("h100")))); }
  QString model() {
    return file("m.toml", "name = \"mine\"\ntitle = \"Mine\"\nhidden = 512\nsequence = 64\n");
  }
  QString module() { return file("m.hlo", kModule); }

  // Enters the widget with these files; whether it may be dropped there.
  bool drag(QWidget* over, const QStringList& files) {
    data = std::make_unique<QMimeData>();
    QList<QUrl> urls;
    for (const QString& each : files) urls << QUrl::fromLocalFile(each);
    data->setUrls(urls);
    QDragEnterEvent enter({4, 4}, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(over, &enter);
    EXPECT_TRUE(enter.isAccepted()) << "else nothing could be said";
    QDragMoveEvent move({5, 5}, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(over, &move);
    return move.isAccepted();
  }
  void drop(QWidget* over) {
    QDropEvent event({5, 5}, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(over, &event);
  }
  QString said() { return window->fileDrop().said(); }
  // Answers the next question for a file.
  void answer(const QString& path) {
    QTimer::singleShot(50, window.get(), [path] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr) << "no dialog is open";
      dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
      static_cast<QDialog*>(dialog)->accept();
    });
  }

  static constexpr const char* kModule =
      "HloModule m\n\nENTRY main {\n  p0 = f32[8,8] parameter(0)\n  ROOT d = f32[8,8] dot(p0, p0), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  QTemporaryDir folder;
  std::unique_ptr<QMimeData> data;
};

TEST_F(FilesTest, EveryKindIsKnownByItsEndingAndItsFirstBytes) {
  EXPECT_EQ((*kind_of(experiment()))->id, "experiment");
  EXPECT_EQ((*kind_of(chip()))->id, "chip");
  EXPECT_EQ((*kind_of(model()))->id, "model");
  EXPECT_EQ((*kind_of(module()))->id, "module");
  EXPECT_EQ((*kind_of(file("dump.after_spmd", kModule)))->id, "module")
      << "compilers have endings of their own";
  EXPECT_EQ((*kind_of(file("w.shardscope", "")))->id, "workspace");
  EXPECT_FALSE(kind_of(file("a.png", "not ours")).ok());
  EXPECT_FALSE(kind_of(file("a.toml", "a = 1\n")).ok());
  EXPECT_FALSE(kind_of(folder.path()).ok());
  EXPECT_FALSE(kind_of("/nowhere/none.toml").ok());
  for (const FileKind& kind : file_kinds())
    for (const QString& ending : kind.endings) EXPECT_TRUE(open_filter().contains("*." + ending));
}

TEST_F(FilesTest, EveryKindIsOpenedWhereverItIsDropped) {
  const QStringList files = {experiment(), chip(), model(), module()};
  for (const DockArea::Made& made : window->docks().all()) {
    for (const QString& path : files) {
      ASSERT_TRUE(drag(made.widget, {path})) << made.row->id.toStdString();
      EXPECT_TRUE(said().startsWith(QFileInfo(path).fileName() + " ")) << said().toStdString();
    }
  }
  drag(window->timeline(), {files[1]});
  drop(window->timeline());
  EXPECT_TRUE(said().isEmpty());
  EXPECT_EQ(window->bench().document().experiment().hardware, files[1].toStdString());
  window->bench().document().undoStack().undo();
  EXPECT_NE(window->bench().document().experiment().hardware, files[1].toStdString()) << "an edit";
  drag(window->runsTable()->view()->viewport(), {files[2]});
  drop(window->runsTable()->view()->viewport());
  EXPECT_EQ(window->tuner()->model()->currentText(), files[2]);
  EXPECT_EQ(window->docks().page(), "study");
  drag(window->form(), {files[3]});
  drop(window->form());
  EXPECT_EQ(window->docks().page(), "module");
  EXPECT_EQ(window->hlo()->file().name(), QFileInfo(files[3]).fileName());
  drag(window->form()->sharding()->spec(0), {files[0]});
  drop(window->form()->sharding()->spec(0));
  EXPECT_EQ(window->bench().document().file(), files[0]);
  EXPECT_EQ(window->docks().page(), "explore");
}

TEST_F(FilesTest, WhatCannotBeOpenedIsRefusedInPlaceWithTheReason) {
  const Experiment before = window->bench().document().experiment();
  EXPECT_FALSE(drag(window->timeline(), {file("a.png", "x")}));
  EXPECT_TRUE(said().contains("no kind of file")) << said().toStdString();
  drop(window->timeline());
  EXPECT_FALSE(said().isEmpty()) << "it can still be read";
  EXPECT_FALSE(drag(window->timeline(), {experiment(), module()}));
  EXPECT_TRUE(said().contains("one file at a time"));
  QDragLeaveEvent leave;
  QCoreApplication::sendEvent(window->timeline(), &leave);
  ASSERT_TRUE(wait_for([&] { return said().isEmpty(); }));
  EXPECT_EQ(window->bench().document().experiment(), before);
}

TEST_F(FilesTest, AnExportSaysWhereItIsAndComesBackToItsFolder) {
  preferences.settings().reset("folders");
  runAll();
  EXPECT_TRUE(window->writtenBar().isHidden());
  const QString table = folder.filePath("r.csv");
  answer(table);
  window->action("export.table")->trigger();
  ASSERT_TRUE(QFileInfo::exists(table)) << window->statusBar()->currentMessage().toStdString();
  EXPECT_TRUE(window->writtenBar().isVisible());
  EXPECT_TRUE(window->writtenBar().said().contains(table)) << window->writtenBar().said().toStdString();
  window->writtenBar().copyButton()->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), table);
  EXPECT_EQ(folder_of(preferences.settings(), "csv"), folder.path());
  const QString picture = folder.filePath("t.svg"), report = folder.filePath("r.html");
  answer(picture);
  window->action("export.picture")->trigger();
  EXPECT_TRUE(window->writtenBar().said().contains(picture));
  answer(report);
  window->action("export.report")->trigger();
  EXPECT_TRUE(window->writtenBar().said().contains(report));
  for (const QString& path : {picture, report}) EXPECT_GT(QFileInfo(path).size(), 1000);
}

TEST_F(FilesTest, WhereNothingCanBeWrittenTheReasonIsSaidAndNoFileIsNamed) {
  runAll();
  answer("/nowhere/r.csv");
  window->context().write({"Export", "r.csv", "Tables (*.csv)",
                           [](const QString&) { return export_text("a", "/nowhere/r.csv"); }});
  EXPECT_TRUE(window->writtenBar().isHidden());
}

}  // namespace
}  // namespace shardscope::files_test

// SPDX-License-Identifier: Apache-2.0
// Files come in through one table of kinds, wherever they are dropped, and go out with a word on where they
// are.
#include <QClipboard>
#include <QDirIterator>
#include <QDropEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <csignal>
#include <sys/resource.h>

#include "app/window/dialogs/report_dialog.h"
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
    QTimer::singleShot(50, window.get(), [this, path] {
      if (auto* report = qobject_cast<ReportDialog*>(QApplication::activeModalWidget())) {
        answer(path);
        return report->exportButton()->click();
      }
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
  window->makeAllDocks();
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
  ASSERT_TRUE(wait_for([&] { return window->writtenBar().said().contains(report); }));
  for (const QString& path : {picture, report}) EXPECT_GT(QFileInfo(path).size(), 1000);
}

TEST_F(FilesTest, WhereNothingCanBeWrittenTheReasonIsSaidAndNoFileIsNamed) {
  runAll();
  answer("/nowhere/r.csv");
  window->context().write({"Export", "r.csv", "Tables (*.csv)",
                           [](const QString&) { return export_text("a", "/nowhere/r.csv"); }});
  EXPECT_TRUE(window->writtenBar().isHidden());
}

// Files that are there already: the window asks once, about the file that would be lost, and does what the
// answer says. What cannot be written leaves what was there as it was.
constexpr const char* kOld = "what was there";

class ReplaceTest : public WindowTest {
 protected:
  // Answers questions for a file with `name`, the questions that follow with `button`, whenever they come.
  void answer(const QString& name, QMessageBox::StandardButton button) {
    questions.clear();
    named = false;
    auto* timer = new QTimer(window.get());
    QObject::connect(timer, &QTimer::timeout, timer, [this, name, button] {
      QWidget* dialog = QApplication::activeModalWidget();
      if (auto* box = qobject_cast<QMessageBox*>(dialog)) {
        questions << box->text();
        box->button(button)->click();
      } else if (auto* report = qobject_cast<ReportDialog*>(dialog)) {
        // Its click asks for the file within: not before this answer has been given.
        if (!named) QMetaObject::invokeMethod(report->exportButton(), "click", Qt::QueuedConnection);
      } else if (auto* chooser = qobject_cast<QFileDialog*>(dialog)) {
        // Who is told no still has the dialog, and gives up.
        if (named) return chooser->reject();
        named = true;
        chooser->findChild<QLineEdit*>("fileNameEdit")->setText(folder.filePath(name));
        QMetaObject::invokeMethod(chooser, "accept", Qt::QueuedConnection);
      }
    });
    timer->start(5);
    asking.reset(timer);
  }
  void put(const QString& name, const QByteArray& text = kOld) {
    const QString path = folder.filePath(name);
    ASSERT_TRUE(QDir().mkpath(QFileInfo(path).path()));
    QFile out(path);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(text);
  }
  QByteArray read(const QString& name) {
    QFile in(folder.filePath(name));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
  }
  QStringList all() {
    QStringList out;
    QDirIterator files(folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) out << QDir(folder.path()).relativeFilePath(files.next());
    out.sort();
    return out;
  }
  bool dialogIsOpen() const { return window->findChild<ReportDialog*>() != nullptr; }
  void trigger(const char* command) {
    window->action(command)->trigger();
    ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running() && !dialogIsOpen(); }));
    settle();
  }
  // No file may grow: each write fails, as on a full disk.
  template <class Do>
  void on_full_disk(Do act) {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit none{0, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    act();
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  QTemporaryDir folder;
  QStringList questions;
  bool named = false;
  std::unique_ptr<QTimer> asking;
};

struct Case {
  const char* command;
  const char* name;
  const char* typed;  // the same without its ending
};
constexpr Case kCases[] = {{"export.table", "a.csv", "a"},
                           {"export.picture", "a.svg", "a"},
                           {"export.report", "a.html", "a"},
                           {"file.save_experiment", "a.toml", "a"}};

TEST_F(ReplaceTest, AFileIsReplacedWhereTheAnswerIsYesAndKeptWhereItIsNo) {
  runAll();
  for (const Case& each : kCases) {
    for (const char* typed : {each.name, each.typed}) {
      put(each.name);
      answer(typed, QMessageBox::No);
      trigger(each.command);
      EXPECT_EQ(read(each.name), kOld) << each.command << " " << typed;
      ASSERT_EQ(questions.size(), 1) << each.command << " " << typed;
      EXPECT_TRUE(questions[0].contains(each.name)) << questions[0].toStdString();
      answer(typed, QMessageBox::Yes);
      trigger(each.command);
      EXPECT_EQ(questions.size(), 1) << each.command << " " << typed;
      EXPECT_TRUE(wait_for([&] { return read(each.name) != kOld; }, 2000)) << each.command << " " << typed;
      EXPECT_EQ(all(), QStringList{each.name}) << each.command << " " << typed;
      ASSERT_TRUE(QFile::remove(folder.filePath(each.name)));
    }
  }
}

// A file whose name is what was typed, without the ending, is another file.
TEST_F(ReplaceTest, NobodyIsAskedAboutAFileThatStays) {
  runAll();
  for (const Case& each : kCases) {
    put("a");
    answer(each.typed, QMessageBox::No);
    trigger(each.command);
    EXPECT_EQ(questions, QStringList()) << each.command;
    EXPECT_TRUE(wait_for([&] { return !read(each.name).isEmpty(); }, 2000)) << each.command;
    EXPECT_EQ(read("a"), kOld);
    ASSERT_TRUE(QFile::remove(folder.filePath(each.name)));
  }
}

TEST_F(ReplaceTest, ALessonIsSavedAndExportedTheSameWay) {
  window->action("lesson.new")->trigger();
  for (const Case& each :
       {Case{"lesson.save_as", "a.lesson.toml", "a"}, Case{"lesson.export", "a.html", "a"}}) {
    put(each.name);
    answer(each.typed, QMessageBox::No);
    trigger(each.command);
    EXPECT_EQ(read(each.name), kOld) << each.command;
    EXPECT_EQ(questions.size(), 1) << each.command;
    answer(each.typed, QMessageBox::Yes);
    trigger(each.command);
    EXPECT_EQ(questions.size(), 1) << each.command;
    EXPECT_NE(read(each.name), kOld) << each.command;
    EXPECT_FALSE(read(each.name).isEmpty()) << each.command;
  }
}

// The report's pictures stand beside it: who gives up the report gives up its pictures; those of another one
// are asked about.
TEST_F(ReplaceTest, AReportOfSeveralFilesIsOneQuestion) {
  runAll();
  const QString picture = "a-figures/timelines-1.pdf";
  put(picture);
  answer("a.tex", QMessageBox::No);
  trigger("export.report");
  ASSERT_EQ(questions.size(), 1);
  EXPECT_TRUE(questions[0].contains("a-figures")) << questions[0].toStdString();
  EXPECT_EQ(all(), QStringList{picture}) << "nothing was written";
  EXPECT_EQ(read(picture), kOld);
  EXPECT_TRUE(window->writtenBar().isHidden());
  answer("a.tex", QMessageBox::Yes);
  trigger("export.report");
  EXPECT_EQ(questions.size(), 1);
  EXPECT_TRUE(read(picture).startsWith("%PDF"));
  EXPECT_TRUE(read("a.tex").contains("timelines-1"));
  put("a.tex");
  put(picture);
  answer("a.tex", QMessageBox::Yes);
  trigger("export.report");
  EXPECT_EQ(questions.size(), 1) << "about the report";
  EXPECT_TRUE(read(picture).startsWith("%PDF"));
  EXPECT_NE(read("a.tex"), kOld);
}

TEST_F(ReplaceTest, WhatCannotBeWrittenLeavesTheOldFileAndNoPartOfANewOne) {
  runAll();
  const Comparison comparison = comparison_of(window->bench());
  const auto yes = [](const QString&) { return true; };
  for (const char* name : {"a.tex", "a.svg", "a.png", "a.csv", "a-figures/timelines-1.pdf"}) put(name);
  const QStringList before = all();
  on_full_disk([&] {
    EXPECT_FALSE(export_report(comparison, folder.filePath("a.tex"), "", yes).ok());
    EXPECT_FALSE(export_report(comparison, folder.filePath("new.tex"), "", yes).ok());
    for (const char* name : {"a.svg", "a.png", "new.svg", "new.png"})
      EXPECT_FALSE(export_picture(*window->timeline(), folder.filePath(name)).ok()) << name;
    for (const char* name : {"a.csv", "new.csv"})
      EXPECT_FALSE(export_text("a,b", folder.filePath(name)).ok()) << name;
  });
  EXPECT_EQ(all(), before);
  for (const QString& name : before) EXPECT_EQ(read(name), kOld) << name.toStdString();
}

// A workspace that is there is added to, after one question; it keeps its runs whatever the answer is.
TEST_F(ReplaceTest, AWorkspaceIsAddedToOrLeftAlone) {
  runAll();
  const auto runs_in = [&](const char* name) {
    return (*Workspace::open(folder.filePath(name).toStdString()))->runs()->size();
  };
  const auto file = [&] { return QFileInfo(window->bench().document().file()).fileName(); };
  for (const char* name : {"w", "v"}) {
    answer(name, QMessageBox::No);
    trigger("file.save_workspace");
    EXPECT_EQ(questions, QStringList()) << "it is new";
    EXPECT_EQ(file(), QString(name) + ".shardscope");
  }
  const size_t runs = runs_in("v.shardscope");
  ASSERT_GT(runs, 0U);
  answer("w", QMessageBox::No);
  trigger("file.save_workspace");
  EXPECT_EQ(questions.size(), 1);
  EXPECT_EQ(file(), "v.shardscope");
  EXPECT_EQ(runs_in("w.shardscope"), runs);
  answer("w", QMessageBox::Yes);
  trigger("file.save_workspace");
  EXPECT_EQ(questions.size(), 1);
  EXPECT_EQ(file(), "w.shardscope");
  EXPECT_EQ(runs_in("w.shardscope"), 2 * runs);
  put("t.shardscope");
  answer("t", QMessageBox::Yes);
  trigger("file.save_workspace");
  EXPECT_EQ(questions.size(), 1);
  EXPECT_EQ(file(), "w.shardscope") << "that one is not a workspace";
  EXPECT_EQ(read("t.shardscope"), kOld);
  EXPECT_EQ(all().filter("t.shardscope"), QStringList{"t.shardscope"});
}

}  // namespace
}  // namespace shardscope::files_test

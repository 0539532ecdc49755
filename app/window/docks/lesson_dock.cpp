// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/lesson_dock.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <algorithm>

#include "app/report/lesson/lesson_page.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/export.h"
#include "app/window/widgets/written_bar.h"
#include "engine/lesson/lesson_file.h"
#include "engine/session/lessons/authoring.h"
#include "engine/session/lessons/lesson_presets.h"

namespace shardscope {
namespace {

constexpr const char* kPage = "lesson";
constexpr const char* kEnding = ".lesson.toml";

Result<void> write_lesson(const Context& c, const QString& path) {
  LessonDocument& document = lesson_of(c).document();
  TRY_VOID(document.save(path));
  c.preferences.addRecentFile(path);
  remember_folder(c.preferences.settings(), path);
  c.say("Saved: %1"_tr.arg(path), 8000);
  return {};
}

void open_from_file(const Context& c) {
  const QString path =
      QFileDialog::getOpenFileName(&c.window, "Open a lesson"_tr, folder_of(c.preferences.settings(), "toml"),
                                   "Lessons (*.lesson.toml)"_tr);
  if (!path.isEmpty()) open_path(c, path);
}

Lesson empty_lesson() {
  Lesson out;
  out.title = said("A lesson");
  LessonStep step;
  step.say = said("What is this lesson about?");
  out.steps.push_back(std::move(step));
  return out;
}

// The views of a run that are to be seen, the one with the focus first: two at most.
std::vector<std::string> views_in_sight(const Context& c) {
  if (at_lesson(c)) {
    std::vector<std::string> out;
    for (const QString& view : lesson_of(c).pictures()->views()) out.push_back(view.toStdString());
    return out;
  }
  const std::vector<std::string> all = view_names();
  std::vector<std::string> out;
  const auto take = [&](const DockArea::Made* made) {
    const std::string id = made == nullptr ? "" : made->row->id.toStdString();
    if (std::ranges::find(all, id) != all.end() && std::ranges::find(out, id) == out.end() && out.size() < 2)
      out.push_back(id);
  };
  take(c.docks.at(c.window.focusWidget()));
  for (const DockArea::Made& made : c.docks.all())
    if (c.docks.onPage(made) && made.widget != nullptr && !made.widget->visibleRegion().isEmpty())
      take(&made);
  return out;
}

std::optional<StoryThing> thing_of(const ItemId& item) {
  if (item.kind == ItemId::Kind::device) return StoryThing{item.device, -1, -1};
  if (item.kind == ItemId::Kind::block) return StoryThing{-1, item.lane, item.index};
  return std::nullopt;
}

// With the focus where the keys of a lesson are heard.
void begin(const Context& c) {
  c.docks.go(kPage);
  lesson_of(c).nextButton()->setFocus(Qt::OtherFocusReason);
}

}  // namespace

LessonPanel& lesson_of(const Context& c) {
  return *c.docks.widget<LessonPanel>(kPage);
}

bool has_lesson(const Context& c) {
  auto* panel = static_cast<LessonPanel*>(c.docks.find(kPage)->widget);
  return panel != nullptr && panel->document().isOpen();
}

bool at_lesson(const Context& c) {
  return c.docks.page() == kPage && has_lesson(c);
}

LessonPanel* make_lesson(const Context& c) {
  auto* panel = new LessonPanel(&c.window);
  RunPlayer& player = panel->player().clock().player();
  const auto follow = [&player, &preferences = c.preferences] {
    player.setReduceMotion(preferences.reduceMotion());
  };
  follow();
  QObject::connect(&c.preferences, &Preferences::lookChanged, panel, follow);
  QObject::connect(panel->chooser(), &LessonChooser::chosen, panel,
                   [c](const QString& name) { c.report(open_lesson(c, name)); });
  QObject::connect(panel->chooser(), &LessonChooser::newRequested, panel, [c] { new_lesson(c); });
  QObject::connect(panel->chooser(), &LessonChooser::fileRequested, panel, [c] { open_from_file(c); });
  QObject::connect(panel, &LessonPanel::lessonsRequested, panel, [c] { show_lessons(c); });
  QObject::connect(panel, &LessonPanel::stateChanged, &c.journaling, &Journaling::later);
  return panel;
}

Result<void> open_lesson(const Context& c, const QString& name_or_path) {
  TRY(const LessonFile file, find_lesson(name_or_path.toStdString()));
  if (!may_leave_lesson(c)) return {};
  const bool built_in = QString::fromStdString(file.name) != name_or_path;
  lesson_of(c).document().open(file.lesson, built_in ? QString() : name_or_path);
  begin(c);
  return {};
}

void show_lessons(const Context& c) {
  if (!may_leave_lesson(c)) return;
  lesson_of(c).document().close();
  c.docks.go(kPage);
  lesson_of(c).chooser()->list()->setFocus(Qt::ShortcutFocusReason);
}

void new_lesson(const Context& c) {
  if (!may_leave_lesson(c)) return;
  lesson_of(c).document().open(empty_lesson());
  begin(c);
}

void save_lesson(const Context& c) {
  const QString file = lesson_of(c).document().file();
  file.isEmpty() ? save_lesson_as(c) : c.report(write_lesson(c, file));
}

void export_lesson(const Context& c) {
  const QString folder = folder_of(c.preferences.settings(), "html");
  const QFileInfo file(lesson_of(c).document().file());
  const QString name = file.fileName().isEmpty() ? "lesson" : file.fileName().remove(kEnding);
  const QString path = ask_where(&c.window, "Export the lesson"_tr, QDir(folder).filePath(name + ".html"),
                                 "Pages (*.html)"_tr, "html");
  if (!path.isEmpty()) write_lesson_page(c, path);
}

void write_lesson_page(const Context& c, const QString& path) {
  if (c.bench.jobs().running()) return c.say("A job is running: export when it is done."_tr, 6000);
  const std::string toml = lesson_toml(lesson_of(c).document().lesson());
  c.bench.jobs().start(
      [toml, name = path.toStdString()](std::stop_token stop, const JobRunner::Report& report,
                                        const auto& /*post*/) -> Result<void> {
        report(said("writing the lesson's page"), 0);
        TRY(const LessonFile file, parse_lesson(toml, name));
        TRY(const std::string page, lesson_page(file, stop));
        return export_text(QString::fromStdString(page), QString::fromStdString(name));
      },
      [c, path](const Result<void>& written) {
        if (!written.ok()) return in_window(written.error());
        tell_written(&c.window, path);
        return "Exported: %1"_tr.arg(path);
      });
}

void save_lesson_as(const Context& c) {
  const LessonDocument& document = lesson_of(c).document();
  const QDir folder(folder_of(c.preferences.settings(), "toml"));
  const QString name = document.file().isEmpty() ? QString("my") + kEnding : document.file();
  const QString path = ask_where(&c.window, "Save the lesson"_tr, folder.filePath(name),
                                 "Lessons (*.lesson.toml)"_tr, QString(kEnding).mid(1));
  if (!path.isEmpty()) c.report(write_lesson(c, path));
}

void add_view_to_lesson(const Context& c) {
  LessonPanel& panel = lesson_of(c);
  const Clock& clock = at_lesson(c) ? panel.player().clock() : c.bench.clock();
  const ShownRunPtr& shown = clock.shown();
  if (!shown) return c.say("Run something first: a step shows a run."_tr, 6000);
  LessonDocument& document = panel.document();
  if (!document.isOpen()) document.open(empty_lesson());
  const ViewOfRun view{*shown->run, shown->story.get(), clock.beat(), views_in_sight(c),
                       thing_of(clock.selection().selected)};
  const auto place = static_cast<size_t>(panel.player().step()) + 1;
  const auto lesson = with_view(document.lesson(), place, view);
  if (!lesson.ok()) return c.say(in_window(lesson.error()), 8000);
  document.change(*lesson, "add a view"_tr);
  c.say("Step %1 of “%2” shows this."_tr.arg(place + 1).arg(document.name()), 8000);
}

bool may_leave_lesson(const Context& c) {
  if (!has_lesson(c) || !lesson_of(c).document().modified()) return true;
  const LessonDocument& document = lesson_of(c).document();
  using Ask = QMessageBox;
  const auto answer =
      Ask::question(&c.window, "Shardscope", "Save the changes to %1?"_tr.arg(document.name()),
                    Ask::Save | Ask::Discard | Ask::Cancel, Ask::Save);
  if (answer != Ask::Save) return answer == Ask::Discard;
  save_lesson(c);
  return !document.modified();
}

}  // namespace shardscope

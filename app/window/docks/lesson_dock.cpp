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

namespace shardscope::inline window {
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

Lesson untitled_lesson() {
  Lesson out;
  out.title = said("A lesson");
  return out;
}

Lesson empty_lesson() {
  Lesson out = untitled_lesson();
  LessonStep step;
  step.say = said("What is this lesson about?");
  out.steps.push_back(std::move(step));
  return out;
}

int area_of(const DockArea::Made& made) {
  int out = 0;
  for (const QRect& part : made.widget->visibleRegion()) out += part.width() * part.height();
  return out;
}

// The views of a run that are to be seen, the one with the focus first, then the largest: two at most.
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
  std::vector<const DockArea::Made*> seen;
  for (const DockArea::Made& made : c.docks.all())
    if (c.docks.onPage(made) && made.widget != nullptr && area_of(made) > 0) seen.push_back(&made);
  std::ranges::stable_sort(seen, std::ranges::greater(), [](const auto* made) { return area_of(*made); });
  for (const DockArea::Made* made : seen) take(made);
  return out;
}

std::optional<StoryThing> thing_of(const ItemId& item) {
  if (item.kind == ItemId::Kind::device) return StoryThing{item.device, -1, -1};
  if (item.kind == ItemId::Kind::block) return StoryThing{-1, item.lane, item.index};
  return std::nullopt;
}

constexpr const char* kLessonSteps = "lesson_steps";  // "4 1_ring": how far somebody got, by name or file

int reached(const Context& c, const QString& lesson) {
  for (const QString& entry : c.preferences.settings().value(kLessonSteps).toStringList())
    if (entry.section(' ', 1) == lesson) return entry.section(' ', 0, 0).toInt();
  return 0;
}

// The furthest step; who was at the end begins anew.
void remember_step(const Context& c, const LessonPlayer& player, const LessonDocument& document) {
  constexpr int kMostKept = 40;
  const QString lesson = document.builtIn().isEmpty() ? document.file() : document.builtIn();
  if (!document.isOpen() || lesson.isEmpty()) return;
  const int before = reached(c, lesson);
  const bool end = player.step() + 1 == player.stepCount();
  const int now = end ? 0 : std::max(before, player.step());
  if (now == before) return;
  QStringList all = c.preferences.settings().value(kLessonSteps).toStringList();
  all.removeIf([&](const QString& entry) { return entry.section(' ', 1) == lesson; });
  if (now > 0) all.prepend(QString("%1 %2").arg(now).arg(lesson));
  c.preferences.settings().set(kLessonSteps, QStringList(all.mid(0, kMostKept)));
}

// Those that come with the program, then one's own that were opened or saved last.
std::vector<ListedLesson> lessons_to_list(const Context& c) {
  std::vector<ListedLesson> out;
  const auto add = [&](const LessonPreset& lesson, const QString& open) {
    out.push_back({lesson, open, reached(c, open)});
  };
  for (const LessonPreset& lesson : lesson_presets()) add(lesson, QString::fromStdString(lesson.name));
  for (const QString& path : c.preferences.settings().value("recent_files").toStringList()) {
    if (!path.endsWith(kEnding)) continue;
    const auto file = find_lesson(path.toStdString());
    if (file.ok()) add(summary_of(file->lesson, file->name), path);
  }
  return out;
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

LessonMoments& lesson_moments(const Context& c) {
  return *lesson_of(c).findChild<LessonMoments*>();
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
    player.setPace(preferences.playsInTime() ? RunPlayer::Pace::time : RunPlayer::Pace::beats);
  };
  follow();
  new LessonMoments(panel->player(), c.preferences, panel);
  QObject::connect(&c.preferences, &Preferences::tellingChanged, panel, follow);
  QObject::connect(&c.preferences, &Preferences::lookChanged, panel, follow);
  QObject::connect(panel->chooser(), &LessonChooser::chosen, panel,
                   [c](const QString& name) { c.report(open_lesson(c, name)); });
  QObject::connect(panel->chooser(), &LessonChooser::goOnRequested, panel,
                   [c](const QString& name, int step) {
                     c.report(open_lesson(c, name));
                     lesson_of(c).player().goTo(step);
                   });
  QObject::connect(panel->chooser(), &LessonChooser::newRequested, panel, [c] { new_lesson(c); });
  QObject::connect(panel->chooser(), &LessonChooser::fileRequested, panel, [c] { open_from_file(c); });
  QObject::connect(panel, &LessonPanel::lessonsRequested, panel, [c] { show_lessons(c); });
  QObject::connect(panel, &LessonPanel::stateChanged, &c.journaling, &Journaling::later);
  QObject::connect(&panel->player(), &LessonPlayer::stepChanged, panel,
                   [c, panel] { remember_step(c, panel->player(), panel->document()); });
  QObject::connect(&panel->document(), &LessonDocument::refused, panel, [c] {
    c.say("This lesson comes with the program: press Edit to make it yours."_tr, 8000);
  });
  const auto list = [c, panel] { panel->chooser()->setLessons(lessons_to_list(c)); };
  QObject::connect(&panel->document(), &LessonDocument::opened, panel, list);
  list();
  return panel;
}

Result<void> open_lesson(const Context& c, const QString& name_or_path) {
  TRY(const LessonFile file, find_lesson(name_or_path.toStdString()));
  if (!may_leave_lesson(c)) return {};
  const bool built_in = QString::fromStdString(file.name) != name_or_path;
  LessonDocument& document = lesson_of(c).document();
  built_in ? document.openBuiltIn(file.lesson, name_or_path) : document.open(file.lesson, name_or_path);
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
  // Before there is a panel for the lesson, which takes room from what is seen.
  std::vector<std::string> views = views_in_sight(c);
  LessonPanel& panel = lesson_of(c);
  const Clock& clock = at_lesson(c) ? panel.player().clock() : c.bench.clock();
  const ShownRunPtr& shown = clock.shown();
  if (!shown) return c.say("Run something first: a step shows a run."_tr, 6000);
  LessonDocument& document = panel.document();
  document.unlock();  // whoever takes a view into it wants to edit it
  const ViewOfRun view{*shown->run, shown->story.get(), clock.beat(), std::move(views),
                       thing_of(clock.selection().selected)};
  const bool first = !document.isOpen();
  const size_t place = first ? 0 : static_cast<size_t>(panel.player().step()) + 1;
  const auto lesson = with_view(first ? untitled_lesson() : document.lesson(), place, view);
  if (!lesson.ok()) return c.say(in_window(lesson.error()), 8000);
  first ? document.restore(*lesson, "", {}) : document.change(*lesson, "add a view"_tr);
  panel.player().goTo(static_cast<int>(place));
  begin(c);
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

}  // namespace shardscope::inline window

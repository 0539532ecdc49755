// SPDX-License-Identifier: Apache-2.0
// Every text on the screen that names a run, a mesh, a time, a step or bytes, against the engine's JSON for
// what is selected: nothing contradicts it, nothing is of another run.
#include <QTemporaryDir>
#include <fmt/format.h>
#include <fstream>
#include <map>

#include "engine/report/range_report.h"
#include "engine/report/run_object.h"
#include "engine/report/story_report.h"
#include "tests/app/agree/claims.h"
#include "tests/app/agree/screen_words.h"
#include "tests/app/window_fixture.h"
#include "tests/cli/process.h"

namespace shardscope::screen_agree_test {
namespace {

using Json = nlohmann::json;

// What the engine says of a run, with all that happened in it.
EngineFacts facts_of(const Run& run, const Story* story) {
  EngineFacts out;
  out.add(Json(run_object(run)));
  std::vector<int32_t> devices(static_cast<size_t>(run.mesh.device_count()));
  std::iota(devices.begin(), devices.end(), 0);
  out.add(Json::parse(range_json(range_statistics(run, story, {0, run.timeline.total}, devices))));
  std::map<int32_t, std::pair<Picoseconds, int64_t>> sums;  // by instruction
  for (const Event& e : run.timeline.events) {
    out.add_time(to_seconds(e.end - e.start));
    sums[e.instruction].first += e.end - e.start;
    sums[e.instruction].second += e.bytes;
  }
  for (const auto& [instruction, sum] : sums) {
    out.add_time(to_seconds(sum.first));
    out.add_bytes(static_cast<double>(sum.second));
  }
  if (story == nullptr) return out;
  std::string text;
  story_json(*story, {0, static_cast<int32_t>(story->beats().size()) - 1, false}, [&](std::string_view part) {
    text += part;
    return true;
  });
  out.add(Json::parse(text));
  return out;
}

// "2x4"
std::string sizes_of(const Mesh& mesh) {
  std::string out;
  for (const MeshAxis& axis : mesh.axes()) out += (out.empty() ? "" : "x") + std::to_string(axis.size);
  return out;
}

// What stands on a page before and not after, or after and not before, one line each.
std::string differences(const std::map<std::string, std::vector<std::string>>& before,
                        const std::map<std::string, std::vector<std::string>>& after) {
  std::string out;
  for (const auto& [page, texts] : before) {
    const std::multiset<std::string> old(texts.begin(), texts.end());
    const std::multiset<std::string> now(after.at(page).begin(), after.at(page).end());
    for (const std::string& line : old)
      if (!now.contains(line)) out += fmt::format("{}: gone: {}\n", page, line);
    for (const std::string& line : now)
      if (!old.contains(line)) out += fmt::format("{}: new: {}\n", page, line);
  }
  return out;
}

// The words by which a run, and the docks that show it, are marked as not of the experiment.
constexpr const char* kStale = "earlier experiment";

class ScreenTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->resize(1920, 1080);
    runAll();
    for (const RunSummary& row : window->bench().runs().rows()) strategies_.insert(row.strategy);
    settle();
  }

  const Experiment& experiment() { return window->bench().document().experiment(); }

  // Every page as it is now.
  void check_pages(const std::string& scene) {
    for (const Page& page : pages()) {
      window->docks().setPage(page.id);
      check(scene + ", page " + page.title.toStdString());
    }
    window->docks().setPage("explore");
  }

  void check(const std::string& scene) {
    scene_ = scene;
    settle(120);
    const std::vector<ScreenText> texts = screen_texts(*window);
    check_title();
    if (clock().shown()) check_shown(texts, *clock().shown());
    for (const ScreenText& said : texts) {
      if (dock_of(said) == "experiment") check_experiment(said);
      if (said.place == "dock.runs/runsTable") check_row(said);
    }
  }

  // Page Module: bars and Details speak of the module's run when that is shown, else of no run.
  void check_module(const std::string& scene, const EngineFacts& facts) {
    scene_ = scene;
    settle(120);
    const ShownRunPtr& shown = clock().shown();
    const bool of_module = shown && shown->run->module;
    const std::vector<ScreenText> texts = screen_texts(*window);
    if (of_module) check_shown(texts, *shown);
    check_operations(texts);
    for (const ScreenText& said : texts) {
      const std::string dock = dock_of(said);
      // What it would be without a collective is another module's.
      if (dock == "hlo" && said.place.find("alternative") == std::string::npos)
        check_module_words(said, facts);
      if (is_of_run(dock) && !of_module && is_about_some_run(said))
        complain(said, "of a run that is none of the module");
    }
  }

  // What stands on each page, without what tells of the window's own work and how far a list is unfolded.
  std::map<std::string, std::vector<std::string>> texts_by_page() {
    std::map<std::string, std::vector<std::string>> out;
    for (const Page& page : pages()) {
      window->docks().setPage(page.id);
      settle(150);
      std::vector<ScreenText> texts = screen_texts(*window);
      std::erase_if(texts, [](const ScreenText& said) {
        return dock_of(said) == "QStatusBar" || said.place.ends_with("strategyList");
      });
      for (const ScreenText& said : texts)
        out[page.id.toStdString()].push_back(said.place + ": " + said.text);
    }
    window->docks().setPage("explore");
    return out;
  }

  std::string complaints;

 private:
  // Which dock, or bar, it stands in.
  static std::string dock_of(const ScreenText& said) {
    const std::string dock = said.place.substr(0, said.place.find('/'));
    return dock.starts_with("dock.") ? dock.substr(5) : dock;
  }
  static bool is_of_run(const std::string& dock) {
    static const std::set<std::string> kMore{"details", "tools", "QStatusBar", "program", "events"};
    const std::vector<std::string> views = view_names();
    return kMore.contains(dock) || std::find(views.begin(), views.end(), dock) != views.end();
  }

  void complain(const ScreenText& said, const std::string& what) {
    if (!complained_.insert(said.place + what + said.text).second) return;
    complaints += fmt::format("{}: {} — {}: {}\n", scene_, said.place, what, said.text.substr(0, 160));
  }

  void check_shown(const std::vector<ScreenText>& texts, const ShownRun& shown) {
    EngineFacts facts = facts_of(*shown.run, shown.story.get());
    facts.add_time(to_seconds(clock().selection().time));
    const bool stale = !shown.run->module && !still_asked(experiment(), *shown.run);
    std::set<SaidStep> steps;
    std::map<std::string, const ScreenText*> unmarked;  // docks
    std::set<std::string> marked;
    for (const ScreenText& said : texts) {
      const std::string dock = dock_of(said);
      if (!is_of_run(dock)) continue;
      check_run(said, *shown.run, facts);
      if (said.text.find(kStale) != std::string::npos) marked.insert(dock);
      if (stale && is_about_run(said, *shown.run)) unmarked.emplace(dock, &said);
      for (const SaidStep& step : said_steps(said.text)) {
        steps.insert(step);
        if (steps.size() > 1) complain(said, "another step than elsewhere");
      }
    }
    for (const auto& [dock, said] : unmarked)
      if (!marked.contains(dock) && !title_marked(dock))
        complain(*said, "of an earlier experiment, and not said");
  }

  bool title_marked(const std::string& dock) {
    const DockArea::Made* made = window->docks().find(QString::fromStdString(dock));
    return made != nullptr && made->dock->windowTitle().contains("(earlier)");
  }

  bool is_about_some_run(const ScreenText& said) const {
    const bool command = said.text.starts_with("Run ");
    return !command && (!said_times(said.text).empty() || !said_names(said.text, strategies_).empty());
  }

  static bool is_about_run(const ScreenText& said, const shardscope::Run& run) {
    return !said_times(said.text).empty() || !said_meshes(said.text).empty() ||
           !said_names(said.text, {run.strategy}).empty();
  }

  void check_run(const ScreenText& said, const shardscope::Run& run, const EngineFacts& facts) {
    const std::vector<SaidNumber> times = said_times(said.text);
    // Of an axis.
    const bool tick =
        times.size() == 1 && times[0].text == said.text && times[0].value < 1.2 * facts.longest();
    if (!tick) check_numbers(said, facts, "the run");
    check_mesh(said, run.mesh);
    check_shardings(said, facts, "the run");
    for (const std::string& name : said_names(said.text, strategies_))
      if (name != run.strategy && !facts.names(name)) complain(said, "another strategy");
  }

  void check_numbers(const ScreenText& said, const EngineFacts& facts, const char* whose) {
    for (const SaidNumber& time : said_times(said.text))
      if (!facts.has_time(time)) complain(said, fmt::format("{} is no time of {}", time.text, whose));
    for (const SaidNumber& bytes : said_bytes(said.text))
      if (!facts.has_bytes(bytes)) complain(said, fmt::format("{} are no bytes of {}", bytes.text, whose));
  }

  void check_shardings(const ScreenText& said, const EngineFacts& facts, const char* whose) {
    for (const std::string& spec : said_shardings(said.text))
      if (!facts.has_sharding(spec)) complain(said, fmt::format("{} is no sharding of {}", spec, whose));
  }

  void check_module_words(const ScreenText& said, const EngineFacts& facts) {
    check_numbers(said, facts, "the module");
    if (!is_module_text(said)) check_shardings(said, facts, "the module");
  }

  // What a module's own text says is the user's.
  static bool is_module_text(const ScreenText& said) {
    return said.place.find("HLO/Module") != std::string::npos || said.text.find(" = ") != std::string::npos;
  }

  // What the user's own text calls otherwise is not called by HLO's name alone.
  void check_operations(const std::vector<ScreenText>& texts) {
    std::set<std::string> names;
    for (const Computation& c : window->hlo()->explained()->module().computations)
      for (const Instruction& i : c.instructions)
        if (!i.text_name.empty()) names.insert(i.name);
    for (const ScreenText& said : texts) {
      if (is_module_text(said) || dock_of(said) == "program") continue;
      for (const std::string& name : said_alone(said.text, names))
        complain(said, name + " has another name in the module");
    }
  }

  void check_mesh(const ScreenText& said, const Mesh& mesh) {
    for (const std::string& other : said_meshes(said.text))
      if (other != mesh.text() && other != sizes_of(mesh)) complain(said, "another mesh: " + other);
  }

  void check_title() { check_mesh({"title", window->windowTitle().toStdString()}, experiment().mesh); }

  void check_experiment(const ScreenText& said) {
    // What a strategy needs is none of them.
    if (!said.place.ends_with("strategyList")) check_mesh(said, experiment().mesh);
  }

  // A row of the table begins with the number of its run.
  void check_row(const ScreenText& said) {
    const RunSummary* run = window->bench().runs().row(std::atoll(said.text.c_str()));
    if (run == nullptr) return complain(said, "no such run");
    EngineFacts facts;
    facts.add(Json(run_object(*window->bench().runs().known().at(run->id))));
    if (run->price) facts.add_time(to_seconds(*run->price));
    facts.add_time(to_seconds(run->priced_total()));
    check_numbers(said, facts, "its run");
    for (const std::string& mesh : said_meshes(said.text))
      if (mesh != run->mesh) complain(said, "another mesh");
    const bool old = old_runs(window->bench().runs(), experiment()).contains(run->id);
    if (old != (said.text.find(kStale) != std::string::npos)) complain(said, "wrongly marked");
  }

  std::set<std::string> strategies_, complained_;
  std::string scene_;
};

TEST_F(ScreenTest, OfARunAndOfAnotherRun) {
  check_pages("fastest run");
  showRunOf("wang.os");
  check_pages("another run");
  EXPECT_EQ(complaints, "");
}

TEST_F(ScreenTest, AtEveryEndOfAStepAndBetweenTwo) {
  showRunOf("wang.os");
  for (int beat = 0; beat < clock().beatCount(); ++beat) {
    clock().setBeat(beat);
    check("at the end of step " + std::to_string(beat));
    clock().player().setTime(clock().selection().time + 100);
    check("after the end of step " + std::to_string(beat));
  }
  EXPECT_EQ(complaints, "");
}

TEST_F(ScreenTest, AfterAChangeOfTheExperiment) {
  const Experiment before = experiment();
  Experiment mesh = before;
  mesh.mesh = Mesh::parse("row=4,col=4").value();
  Experiment sizes = before;
  sizes.problem.m *= 2;
  Experiment chip = before;
  chip.hardware = "h100";
  const std::pair<const char*, Experiment> changes[] = {{"mesh", mesh}, {"m", sizes}, {"chip", chip}};
  for (const auto& [name, changed] : changes) {
    window->bench().document().change(changed, name);
    check_pages(fmt::format("after a change of {}", name));
    window->bench().document().change(before, "back");
  }
  check_pages("changed back");
  EXPECT_EQ(complaints, "");
}

// Of the module that is open: what the command line says of its file.
class ModuleScreenTest : public ScreenTest {
 protected:
  void open(const std::string& name) {
    file_ = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/" + name;
    window->showPanel("hlo");
    ASSERT_TRUE(window->hlo()->file().open(QString::fromStdString(file_)).ok());
    settle();
    ASSERT_TRUE(wait_for([&] { return window->hlo()->explained() && !window->hlo()->busy(); }));
    settle();
  }
  void run() {
    window->hlo()->run();
    ASSERT_TRUE(wait_for([&] {
      return !window->hlo()->busy() && clock().shown() && clock().shown()->run->module &&
             !clock().shown()->telling;
    }));
    settle();
  }
  EngineFacts facts() {
    EngineFacts out;
    for (const char* command : {"partition", "run"}) {
      const ProcessOutcome done = run_program({"hlo", command, file_, "--json"});
      EXPECT_EQ(done.exit_code, 0) << done.err;
      out.add(Json::parse(done.out));
    }
    return out;
  }

 private:
  std::string file_;
};

TEST_F(ModuleScreenTest, BeforeAndAfterItIsRunAndOfTheNext) {
  for (const char* name : {"mlp.hlo", "pjit_case_1.hlo", "mlp.mlir", "jax_sharded_jit.mlir"}) {
    open(name);
    check_module(fmt::format("{} opened", name), facts());
    run();
    for (const char* dock : {"timeline", "hlo"}) {
      window->docks().find(dock)->dock->raise();
      check_module(fmt::format("{} run, {}", name, dock), facts());
    }
  }
  EXPECT_EQ(complaints, "");
}

TEST_F(ScreenTest, AnotherThemeSaysTheSame) {
  showRunOf("wang.os");
  clock().setBeat(3);
  const auto light = texts_by_page();
  preferences.overrideLook(true, 1.0);
  Q_EMIT preferences.lookChanged();
  const auto dark = texts_by_page();
  EXPECT_EQ(differences(light, dark), "");
}

TEST_F(ScreenTest, ReopenedElsewhereItSaysTheSame) {
  showRunOf("wang.os");
  clock().setBeat(3);
  const auto before = texts_by_page();
  const QTemporaryDir folder;
  bool saved = false;
  QObject::connect(&window->bench(), &Workbench::saved, window.get(), [&] { saved = true; });
  window->bench().saveWorkspace(folder.filePath("one.shardscope"));
  ASSERT_TRUE(wait_for([&] { return saved && !window->bench().jobs().running(); }));
  ASSERT_TRUE(QFile::copy(folder.filePath("one.shardscope"), folder.filePath("other.shardscope")));
  window = std::make_unique<TestedWindow>(preferences);
  window->resize(1920, 1080);
  window->show();
  ASSERT_TRUE(window->open(folder.filePath("other.shardscope")).ok());
  ASSERT_TRUE(wait_for([&] {
    return clock().shown() && !clock().shown()->telling && !window->bench().presenter().preparing();
  }));
  const auto after = texts_by_page();
  EXPECT_EQ(differences(before, after), "");
}

}  // namespace
}  // namespace shardscope::screen_agree_test

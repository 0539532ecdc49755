// SPDX-License-Identifier: Apache-2.0
// What the program writes, opened in Chromium from disk: lessons, tables, names of others, paper.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>

#include "engine/base/text.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/page/page_frame.h"
#include "engine/session/lessons/lesson_presets.h"
#include "engine/session/lessons/played_lesson.h"
#include "tests/cli/process.h"
#include "tests/pages/browser.h"

namespace shardscope::pages_test {
namespace {

class Documents : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(Browser::shared().problem(), ""); }

  std::string write(const std::string& markup) {
    write_text(folder_.file("page.html"), html_head("Runs", "") + markup + page_foot(""));
    return folder_.file("page.html");
  }
  std::string lesson(const std::string& name) {
    const std::string file = folder_.file(name + ".html");
    EXPECT_EQ(run_program({"lesson", "export", name, "-o", file}).exit_code, 0);
    return file;
  }
  // The words on paper, each with the place of its right end in parts of the page's width.
  std::vector<std::pair<std::string, double>> words_on_paper(Page& page) {
    write_text(folder_.file("page.pdf"), page.pdf());
    const std::string command =
        "pdftotext -bbox " + folder_.file("page.pdf") + " " + folder_.file("page.xml");
    EXPECT_EQ(std::system(command.c_str()), 0) << "pdftotext: install the Debian package poppler-utils";
    const std::string xml = read_text(folder_.file("page.xml"));
    std::vector<std::pair<std::string, double>> out;
    static const std::regex kPiece("<page width=\"([\\d.]+)\"|xMax=\"([\\d.]+)\"[^>]*>([^<]*)</word>");
    double width = 1;
    for (auto it = std::sregex_iterator(xml.begin(), xml.end(), kPiece); it != std::sregex_iterator(); ++it) {
      if ((*it)[1].matched) width = std::stod((*it)[1]);
      if ((*it)[3].matched) out.emplace_back((*it)[3], std::stod((*it)[2]) / width);
    }
    return out;
  }
  const TemporaryFolder folder_;
};

// As wide as the widest table of a comparison.
TextTable wide_table(size_t rows) {
  TextTable table;
  for (int c = 0; c < 17; ++c) {
    table.header.push_back(fmt::format("column{}", c));
    table.right_aligned.push_back(c > 1);
  }
  for (size_t r = 0; r < rows; ++r) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(fmt::format("strategy.{}", char('a' + static_cast<char>(r))));
    for (int c = 1; c < 17; ++c)
      row.push_back(fmt::format("{}.{} {}", (r * 7 + 3) % 10, c, r % 2 == 0 ? "µs" : "ms"));
  }
  return table;
}

std::string sorted_table(size_t rows) {
  return html_table(wide_table(rows), std::vector<bool>(rows, false));
}

TEST_F(Documents, PrintAllColumnsOnPaper) {
  Page page(write(sorted_table(20)));
  const auto words = words_on_paper(page);
  for (int c = 0; c < 17; ++c) {
    const std::string head = fmt::format("column{}", c), cell = fmt::format("3.{}", c);
    EXPECT_TRUE(std::ranges::any_of(words, [&](const auto& w) { return w.first == head; })) << head;
    if (c > 0) {
      EXPECT_TRUE(std::ranges::any_of(words, [&](const auto& w) { return w.first == cell; })) << cell;
    }
  }
  for (const auto& [word, right] : words) EXPECT_LE(right, 1.0) << word;
}

TEST_F(Documents, SortByValuesWithTheirUnitsAndFilter) {
  Page page(write(sorted_table(6)));
  const std::string column =
      "[...document.querySelectorAll('tbody tr, table tr')].filter(r => r.cells[0].tagName === 'TD' && "
      "!r.hidden).map(r => r.cells[1].textContent)";
  page.value("document.querySelector('th:nth-child(2) button').click()");
  const Json up = {"1.1 µs", "3.1 µs", "7.1 µs", "0.1 ms", "4.1 ms", "8.1 ms"};
  Json got = page.value(column);
  const auto value = [](const std::string& cell) {
    return std::stod(cell) * (cell.ends_with("ms") ? 1e-3 : 1e-6);
  };
  ASSERT_EQ(got.size(), 6U);
  for (size_t i = 1; i < got.size(); ++i) EXPECT_LE(value(got[i - 1]), value(got[i])) << got.dump();
  page.value("document.querySelector('th:nth-child(2) button').click()");
  got = page.value(column);
  for (size_t i = 1; i < got.size(); ++i) EXPECT_GE(value(got[i - 1]), value(got[i])) << got.dump();
  page.value("document.querySelector('input[type=search]').focus()");
  page.type("strategy.c");
  EXPECT_EQ(page.value(column).size(), 1U);
  EXPECT_EQ(page.value("document.querySelector('.filter output').textContent"), "1 of 6");
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(Documents, JudgeAWrongAnswerThenTheRightOneAndOnlyThenReveal) {
  Page page(lesson("1_ring"), {.still = true});
  page.key("PageDown");
  const std::string step = "document.querySelector('section.step:not(.away)')";
  EXPECT_EQ(page.value(step + ".id"), "step-2");
  EXPECT_EQ(page.value(step + ".querySelector('.answer').hidden"), true);
  EXPECT_EQ(page.value(step + ".querySelector('.controls').hidden || " + step +
                       ".querySelector('input[type=range]').max === '0'"),
            true)
      << "what comes after the question can be seen";
  const auto choose = [&](const std::string& text) {
    page.value("[..." + step + ".querySelectorAll('label')].find(l => l.textContent.trim() === '" + text +
               "').querySelector('input').click()");
    page.value(step + ".querySelector('form button').click()");
    return page.value(step + ".querySelector('.verdict').textContent").get<std::string>();
  };
  EXPECT_TRUE(choose("a2").starts_with("Not yet.")) << "chip 2's own block";
  EXPECT_EQ(page.value(step + ".querySelector('form').className"), "ask is-wrong");
  EXPECT_TRUE(choose("a1").starts_with("Right. The chip before it in the ring, (1), had that block"))
      << choose("a1");
  EXPECT_EQ(page.value(step + ".querySelector('.answer').hidden"), true) << "the reason stands once";
  EXPECT_EQ(page.value(step + ".querySelector('.controls').hidden"), false);
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(Documents, JudgeNumbersWithTheirUnitsAndKnowTheMistakes) {
  Page page(lesson("1_ring"), {.still = true, .fragment = "#step=9"});
  const std::string step = "document.querySelector('section.step:not(.away)')";
  const auto answer = [&](const std::string& text) {
    page.value(step + ".querySelector('form input').value = '" + text + "'");
    page.value(step + ".querySelector('form button').click()");
    return page.value(step + ".querySelector('.verdict').textContent").get<std::string>();
  };
  const Json asked = page.value("JSON.parse(" + step + ".querySelector('form script').textContent)");
  const double right = asked["value"];
  EXPECT_TRUE(answer("many").starts_with("'many' is not a number")) << answer("many");
  EXPECT_TRUE(answer("3 MiB").starts_with("'mib' is no unit here")) << answer("3 MiB");
  EXPECT_TRUE(answer(fmt::format("{} us", right * 2e6)).starts_with("Not yet. The messages are half as long"))
      << answer(fmt::format("{} us", right * 2e6));
  EXPECT_TRUE(answer(fmt::format("{} ms", right * 1e3)).starts_with("Right."));
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

// As the engine judges them.
TEST_F(Documents, JudgeEveryFormOfAnAnswerAsTheWindowDoes) {
  for (const LessonPreset& preset : lesson_presets()) {
    Page page(lesson(preset.name), {.still = true});
    const Lesson written = find_lesson(preset.name)->lesson;
    LessonRuns runs({});
    for (size_t k = 0; k < written.steps.size(); ++k) {
      const auto question = play_step({written, {}}, k, runs)->question;
      if (!question || !question->choices.empty()) continue;
      const std::string form = fmt::format("document.querySelector('#step-{} form')", k + 1);
      const auto judged = [&](const std::string& given) {
        page.value(form + ".querySelector('input').value = " + Json(given).dump());
        page.value(form + ".requestSubmit()");
        return page.value(form + ".querySelector('.verdict').textContent").get<std::string>();
      };
      const AnswerForms forms = answer_forms(*question);
      for (const std::string& each : forms.right)
        EXPECT_TRUE(judged(each).starts_with("Right.")) << preset.name << " " << k + 1 << ": " << each;
      for (const std::string& each : forms.wrong)
        EXPECT_TRUE(judged(each).starts_with("Not ")) << preset.name << " " << k + 1 << ": " << each;
      for (const std::string& each : forms.refused)
        EXPECT_TRUE(judged(each).starts_with("'")) << preset.name << " " << k + 1 << ": " << each;
    }
    EXPECT_EQ(page.complaints(), std::vector<std::string>());
  }
}

// A script that gives the right answer.
std::string answering(const std::string& form, const Question& question) {
  if (question.choices.empty())
    return form + ".querySelector('input').value = " + Json(answer_forms(question).right.front()).dump() +
           "; " + form + ".requestSubmit()";
  const auto right = std::ranges::find_if(question.choices, &Choice::right) - question.choices.begin();
  const std::string of = fmt::format("[value=\"{}\"]", right);
  return fmt::format(
      "(() => {{ const f = {}; const b = f.querySelector('button{}'); if (b) {{ b.click(); return; }} "
      "f.querySelector('input{}').checked = true; f.requestSubmit(); }})()",
      form, of, of);
}

TEST_F(Documents, LetAStudentAtHomeTryEachOfferedChange) {
  Page page(lesson("1_ring"), {.still = true, .fragment = "#step=7"});
  const std::string step = "document.querySelector('section.step:not(.away)')";
  const std::string seen = "[..." + step + ".querySelectorAll('.tried')].filter(t => !t.hidden)";
  EXPECT_EQ(page.value(seen + ".length"), 0) << "who tries it predicts first";
  const int offered = page.value(step + ".querySelectorAll('details.tries > p > select option').length");
  ASSERT_GT(offered, 3);
  EXPECT_EQ(page.value(step + ".querySelectorAll('.tried').length"), offered - 1) << "each has its run";
  page.value(
      "(() => { const s = " + step +
      ".querySelector('details.tries select'); s.value = '0'; s.dispatchEvent(new Event('input')); })()");
  ASSERT_EQ(page.value(seen + ".length"), 1);
  EXPECT_NE(page.value(seen + "[0].querySelector('.caption').textContent").get<std::string>().find("x = 2"),
            std::string::npos);
  EXPECT_EQ(page.value(seen + "[0].querySelectorAll('figure.played svg').length > 0"), true);
  page.key("End");
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(Documents, PlayEveryLessonToItsEnd) {
  for (const LessonPreset& preset : lesson_presets()) {
    const std::string& name = preset.name;
    Page page(lesson(name), {.still = true});
    const int steps = page.value("document.querySelectorAll('section.step').length");
    const std::string form = "document.querySelector('section.step:not(.away) form')";
    const Lesson written = find_lesson(name)->lesson;
    LessonRuns runs({});
    for (int i = 1; i <= steps; ++i) {
      if (const auto question = play_step({written, {}}, static_cast<size_t>(i) - 1, runs)->question) {
        page.value(answering(form, *question));
        EXPECT_TRUE(page.value(form + ".querySelector('.verdict').textContent")
                        .get<std::string>()
                        .starts_with("Right."))
            << name << " " << i;
      }
      if (i < steps) page.key("PageDown");
    }
    EXPECT_EQ(page.value("document.querySelector('section.step:not(.away)').id"),
              fmt::format("step-{}", steps))
        << name;
    page.key("PageUp");
    EXPECT_EQ(page.value("document.querySelector('section.step:not(.away)').id"),
              fmt::format("step-{}", steps - 1))
        << name;
    EXPECT_EQ(page.complaints(), std::vector<std::string>()) << name;
  }
}

TEST_F(Documents, GoBeforeTheStepFirstThenToIt) {
  Page page(lesson("1_ring"));
  for (int i = 0; i < 2; ++i) page.key("PageDown");
  const std::string name = "document.querySelector('section.step:not(.away) .controls .name').textContent";
  EXPECT_TRUE(page.value(name).get<std::string>().starts_with("before the first of 3 steps"));
  EXPECT_TRUE(page.comes(name + ".startsWith('step 1 of 3')"));
}

TEST_F(Documents, AreWholeWithoutScriptsAndOnPaper) {
  const std::string file = lesson("1_ring");
  Page plain(file, {.scripts = false});
  EXPECT_EQ(plain.value("[...document.querySelectorAll('section.step')].filter(s => "
                        "s.getBoundingClientRect().height > 40).length"),
            plain.value("document.querySelectorAll('section.step').length"));
  EXPECT_EQ(plain.value("document.querySelectorAll('details.answer:not([hidden])').length"),
            plain.value("document.querySelectorAll('form.ask').length"));
  Page page(file);
  const auto words = words_on_paper(page);
  int heads = 0;
  for (const auto& [word, right] : words) {
    EXPECT_LE(right, 1.0) << word;
    if (word == "a0") ++heads;
  }
  EXPECT_GT(heads, 17) << "a picture of some step is not on paper";
}

TEST_F(Documents, TakeNoNameForMarkupOrScript) {
  const std::string title = "<script>alert(1)</script><img src=x onerror=alert(2)>\u2028</title>";
  const std::string experiment = folder_.file("hostile.toml"), db = folder_.file("w.shardscope"),
                    file = folder_.file("run.html");
  write_text(experiment, "title = '" + title +
                             "'\n[mesh]\naxes = [{name = \"row\", size = 2}, {name = \"col\", size = 2}]\n"
                             "[problem]\nm = 64\nk = 64\nn = 64\n[[run]]\nstrategy = \"wang.os\"\n");
  const ProcessOutcome ran = run_program({"run", experiment, "--numerics", "off", "--db", db});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  ASSERT_EQ(run_program({"render", "--db", db, "--run", "1", "-o", file}).exit_code, 0);
  Page page(file);
  EXPECT_EQ(page.value("document.querySelector('h1').textContent"), title);
  EXPECT_EQ(page.value("document.querySelectorAll('script').length"), 3) << "figure, tables, player";
  EXPECT_EQ(page.value("document.querySelectorAll('img').length"), 0);
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(Documents, ReportManyRunsInTwoMegabytesWholeOnPaper) {
  const std::string db = folder_.file("w.shardscope"), file = folder_.file("report.html");
  ASSERT_EQ(run_program({"sweep", "all_4x4", "--numerics", "off", "--db", db}).exit_code, 0);
  ASSERT_EQ(
      run_program({"compare", "--db", db, "--runs", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
                   "--format", "html", "-o", file})
          .exit_code,
      0);
  EXPECT_LE(read_text(file).size(), 2'000'000U);
  Page page(file);
  const Json heads = page.value("[...document.querySelectorAll('table.sort th')].map(c => c.textContent)");
  EXPECT_GE(heads.size(), 10U);
  const auto words = words_on_paper(page);
  for (const std::string head : heads)
    for (const std::string& word : split(head, ' '))
      EXPECT_TRUE(std::ranges::any_of(words, [&](const auto& w) { return w.first == xml_escaped(word); }))
          << word;
  for (const auto& [word, right] : words) EXPECT_LE(right, 1.0) << word;
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

// What the policy is for: a script that got in all the same does not run.
TEST_F(Documents, RunNoScriptButTheirOwn) {
  Page page(write("<script>document.title = 'mine'</script><p>text</p>"));
  EXPECT_EQ(page.value("document.title"), "Runs – Shardscope");
  EXPECT_EQ(page.complaints().size(), 1U) << "the browser says that it refused it";
}

}  // namespace
}  // namespace shardscope::pages_test

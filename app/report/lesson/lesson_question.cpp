// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/lesson/lesson_parts.h"
#include "engine/base/escape.h"
#include "engine/base/xml.h"
#include "engine/lesson/typed_number.h"
#include "engine/report/page/markdown_html.h"

namespace shardscope::inline app_report {
namespace {

using Json = nlohmann::ordered_json;

// What the script judges by, as judge() does.
Json judged_by(const Question& question) {
  if (!question.choices.empty()) {
    Json choices = Json::array();
    for (const Choice& c : question.choices)
      choices.push_back(
          {{"right", c.right}, {"reason", markdown_words(c.right ? question.because : c.reason)}});
    return {{"choices", choices}};
  }
  Json units = Json::object(), words = Json::object(), mistakes = Json::array();
  for (const auto& [text, worth] : typed_units(question.answer.unit)) units[text] = worth;
  for (const auto& [text, number] : typed_words()) words[text] = number;
  for (const Mistake& m : question.mistakes)
    mistakes.push_back({{"value", m.answer.number}, {"reason", markdown_words(m.reason)}});
  return {{"value", question.answer.number},
          {"tolerance", question.tolerance},
          {"units", units},
          {"words", words},
          {"counted", question.answer.unit.none() ? plain_words(question.text) : std::vector<std::string>{}},
          {"share", question.answer.written == Written::percent},
          {"wanted", wanted_words(question)},
          {"mistakes", mistakes},
          {"because", markdown_words(question.because)},
          {"hint", markdown_words(question.hint)}};
}

std::string field_html(const Question& question, size_t step) {
  if (question.choices.empty())
    return fmt::format(
        "<p><label>Your answer <input type=\"text\" size=\"14\" autocomplete=\"off\"></label> "
        "<span class=\"note\">{}</span></p>\n<p><button>Check</button></p>\n",
        xml_escaped(wanted_words(question)));
  std::string out;
  const bool two = question.choices.size() == 2;  // each is a button that commits
  for (size_t k = 0; k < question.choices.size(); ++k) {
    const std::string text = xml_escaped(question.choices[k].text);
    out += two ? fmt::format("<button value=\"{}\">{}</button>\n", k, text)
               : fmt::format("<label><input type=\"radio\" name=\"step{}\" value=\"{}\"> {}</label>\n",
                             step + 1, k, text);
  }
  return two ? "<p class=\"either\">" + out + "</p>\n" : out + "<p><button>Check</button></p>\n";
}

}  // namespace

std::string question_html(const Question& question, size_t step) {
  return fmt::format(
      "<form class=\"ask\">\n<div class=\"text\">{}</div>\n{}"
      "<details class=\"answer\"><summary>Answer</summary><p><b>{}</b></p>{}</details>\n"
      "<script type=\"application/json\">{}</script>\n</form>\n",
      markdown_html(question.text), field_html(question, step), xml_escaped(question.right_words()),
      markdown_html(question.because),
      script_json(judged_by(question).dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace shardscope::inline app_report

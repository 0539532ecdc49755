// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/lesson/lesson_parts.h"
#include "engine/base/escape.h"
#include "engine/base/xml.h"
#include "engine/lesson/value.h"
#include "engine/report/page/markdown_html.h"

namespace shardscope {
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
  Json units = Json::object(), mistakes = Json::array();
  for (const auto& [text, worth] : written_units(question.answer.unit)) units[text] = worth;
  for (const Mistake& m : question.mistakes)
    mistakes.push_back({{"value", m.answer.number}, {"reason", markdown_words(m.reason)}});
  const std::string right = question.right_words();
  return {{"value", question.answer.number},
          {"tolerance", question.tolerance},
          {"units", units},
          {"kind", kind_of(question.answer)},
          {"mistakes", mistakes},
          {"because", markdown_words(question.because)},
          {"otherwise", fmt::format("it is {}", right)}};
}

std::string field_html(const Question& question, size_t step) {
  if (question.choices.empty()) {
    const std::string unit = question.answer.unit.text();
    return fmt::format(
        "<p><label>Your answer{} <input type=\"text\" size=\"14\" autocomplete=\"off\"></label></p>\n",
        unit.empty() ? "" : ", with its unit (" + unit + ")");
  }
  std::string out;
  for (size_t k = 0; k < question.choices.size(); ++k)
    out += fmt::format("<label><input type=\"radio\" name=\"step{}\" value=\"{}\"> {}</label>\n", step + 1, k,
                       xml_escaped(question.choices[k].text));
  return out;
}

}  // namespace

std::string question_html(const Question& question, size_t step) {
  return fmt::format(
      "<form class=\"ask\">\n<div class=\"text\">{}</div>\n{}<p><button>Check</button></p>\n"
      "<details class=\"answer\"><summary>Answer</summary><p><b>{}</b></p>{}</details>\n"
      "<script type=\"application/json\">{}</script>\n</form>\n",
      markdown_html(question.text), field_html(question, step), xml_escaped(question.right_words()),
      markdown_html(question.because),
      script_json(judged_by(question).dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace shardscope

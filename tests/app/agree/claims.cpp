// SPDX-License-Identifier: Apache-2.0
#include "tests/app/agree/claims.h"

#include <cmath>
#include <map>
#include <regex>

namespace shardscope::screen_agree_test {
namespace {

std::vector<std::smatch> all_matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

std::vector<SaidNumber> said_numbers(const std::string& text, const std::regex& pattern,
                                     const std::map<std::string, double>& units) {
  std::vector<SaidNumber> out;
  for (const std::smatch& m : all_matches(text, pattern)) {
    const double unit = units.at(m[3]);
    const int decimals = static_cast<int>(m[2].length());
    out.push_back({m[0], std::stod(m[1].str() + (decimals > 0 ? "." + m[2].str() : "")) * unit,
                   unit * std::pow(10.0, -decimals)});
  }
  return out;
}

std::string without_blanks(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s"), "");
}

bool ends_with_seconds(const std::string& key) {
  return key.size() > 2 && key.ends_with("_s");
}

}  // namespace

std::vector<SaidNumber> said_times(const std::string& text) {
  static const std::regex kTime(R"((\d+)(?:\.(\d+))?\s(ps|ns|µs|ms|s)(?![\w/]))");
  return said_numbers(text, kTime, {{"ps", 1e-12}, {"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}});
}

std::vector<SaidNumber> said_bytes(const std::string& text) {
  static const std::regex kBytes(R"((\d+)(?:\.(\d+))?\s(B|KiB|MiB|GiB)(?![\w/]))");
  return said_numbers(text, kBytes, {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}});
}

std::vector<SaidStep> said_steps(const std::string& text) {
  static const std::regex kStep(R"(\bsteps? (\d+)(?:–(\d+))? of (\d+))");
  std::vector<SaidStep> out;
  for (const std::smatch& m : all_matches(text, kStep)) {
    const int first = std::stoi(m[1]);
    out.push_back({first, m[2].matched ? std::stoi(m[2]) : first, std::stoi(m[3])});
  }
  return out;
}

std::vector<std::string> said_meshes(const std::string& text) {
  static const std::regex kAxes(R"(\b[A-Za-z_]\w*=\d+(?:,\s?[A-Za-z_]\w*=\d+)+)");
  static const std::regex kSizes(R"((?:^|[\s(])(\d+(?:x\d+)+)(?=$|[\s,.;:)]))");
  std::vector<std::string> out;
  for (const std::smatch& m : all_matches(text, kAxes))
    out.push_back(std::regex_replace(m[0].str(), std::regex("\\s"), ""));
  for (const std::smatch& m : all_matches(text, kSizes)) out.push_back(m[1]);
  return out;
}

std::vector<std::string> said_names(const std::string& text, const std::set<std::string>& names) {
  static const std::regex kWord(R"([A-Za-z0-9_.]*[A-Za-z0-9_])");
  std::vector<std::string> out;
  for (const std::smatch& m : all_matches(text, kWord))
    if (names.contains(m[0])) out.push_back(m[0]);
  return out;
}

std::vector<std::string> said_shardings(const std::string& text) {
  static const std::regex kSpec(R"((?:^|[^\w])(P\((?:[^()]|\([^()]*\))*\)))");
  std::vector<std::string> out;
  for (const std::smatch& m : all_matches(text, kSpec)) out.push_back(without_blanks(m[1]));
  return out;
}

std::vector<std::string> said_alone(const std::string& text, const std::set<std::string>& names) {
  static const std::regex kName(R"((^|[^\w.-])([A-Za-z][\w-]*\.\d+)(?![\w.]))");
  std::vector<std::string> out;
  for (const std::smatch& m : all_matches(text, kName))
    if (m[1] != "(" && names.contains(m[2])) out.push_back(m[2]);
  return out;
}

void EngineFacts::add(const nlohmann::json& json) {
  add("", json);
}

void EngineFacts::add(const std::string& key, const nlohmann::json& json) {
  if (json.is_string()) words_.insert(json.get<std::string>());
  if (json.is_number() && ends_with_seconds(key)) seconds_.insert(json.get<double>());
  if (json.is_number() && key.find("bytes") != std::string::npos) bytes_.insert(json.get<double>());
  if (json.is_array())
    for (const auto& one : json) add(key, one);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) add(name, value);
  if (json.contains("start_s") && json.contains("end_s") && json["start_s"].is_number())
    seconds_.insert(json["end_s"].get<double>() - json["start_s"].get<double>());
}

bool EngineFacts::names(const std::string& word) const {
  for (const std::string& text : words_)
    if (text.find(word) != std::string::npos) return true;
  return false;
}

bool EngineFacts::has_sharding(const std::string& said) const {
  for (const std::string& text : words_)
    if (without_blanks(text).find(said) != std::string::npos) return true;
  return false;
}

bool EngineFacts::has(const std::set<double>& numbers, const SaidNumber& said) {
  const double slack = said.last_digit * 0.505;
  const auto at = numbers.lower_bound(said.value - slack);
  return at != numbers.end() && *at <= said.value + slack;
}

}  // namespace shardscope::screen_agree_test

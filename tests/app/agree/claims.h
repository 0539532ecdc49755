// SPDX-License-Identifier: Apache-2.0
// What a text claims in numbers and names, and what the engine's JSON has of them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace shardscope::screen_agree_test {

// "46.6 µs": a number as far as it was printed.
struct SaidNumber {
  std::string text;
  double value = 0, last_digit = 0;  // in seconds or bytes
};
struct SaidStep {
  int first = 0, last = 0, of = 0;  // "steps 3–4 of 16"
  auto operator<=>(const SaidStep&) const = default;
};

std::vector<SaidNumber> said_times(const std::string& text);
std::vector<SaidNumber> said_bytes(const std::string& text);
std::vector<SaidStep> said_steps(const std::string& text);
// "row=2,col=4" and "2x4", without blanks.
std::vector<std::string> said_meshes(const std::string& text);
// "P('x', None)", without blanks.
std::vector<std::string> said_shardings(const std::string& text);
// Which of `names` stand alone: "dot.7", not that of "%2 (dot.7)".
std::vector<std::string> said_alone(const std::string& text, const std::set<std::string>& names);
// Which of `names` stand in it as words.
std::vector<std::string> said_names(const std::string& text, const std::set<std::string>& names);

// Every number of a JSON that is a time or a number of bytes (by its key), the lengths of what has a start
// and an end, and every string.
class EngineFacts {
 public:
  void add(const nlohmann::json& json);
  void add_time(double seconds) { seconds_.insert(seconds); }
  void add_bytes(double bytes) { bytes_.insert(bytes); }
  bool has_time(const SaidNumber& said) const { return has(seconds_, said); }
  bool has_bytes(const SaidNumber& said) const { return has(bytes_, said); }
  bool names(const std::string& word) const;
  bool has_sharding(const std::string& said) const;
  double longest() const { return seconds_.empty() ? 0 : *seconds_.rbegin(); }

 private:
  void add(const std::string& key, const nlohmann::json& json);
  static bool has(const std::set<double>& numbers, const SaidNumber& said);

  std::set<double> seconds_{0}, bytes_{0};
  std::set<std::string> words_;
};

}  // namespace shardscope::screen_agree_test

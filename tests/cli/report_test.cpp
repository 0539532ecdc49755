// SPDX-License-Identifier: Apache-2.0
// Reports: the same bytes each time, made again by the command that they print, with the numbers of `diff`.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::cli_report_test {
namespace {

using nlohmann::json;

const std::vector<std::string> kFormats = {"html", "pdf", "md", "tex", "csv", "json"};

std::string recorded(const TemporaryFolder& folder) {
  const std::string db = folder.file("w.shardscope");
  const ProcessOutcome made =
      run_program({"sweep", "--mesh", "row=2,col=2", "--m", "64", "--k", "64", "--n", "64", "--strategies",
                   "wang.os,collective.os,cannon.os", "--db", db});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return db;
}

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[std::filesystem::relative(entry.path(), folder).string()] = read_text(entry.path().string());
  return out;
}

// The words of a command as a shell reads it; ours quote with ' alone.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  bool quoted = false, any = false;
  std::string word;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      quoted = !quoted;
      any = true;
    } else if (c == '\\' && !quoted && i + 1 < line.size()) {
      word += line[++i];
    } else if (c == ' ' && !quoted) {
      if (any || !word.empty()) out.push_back(word);
      word.clear(), any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) out.push_back(word);
  return out;
}

// Runs a command that a report printed, where its files are: it names no folder.
ProcessOutcome again(const std::string& line, const std::filesystem::path& folder) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  std::vector<std::string> words = words_of(line);
  EXPECT_EQ(words.front(), "shardscope") << line;
  words.erase(words.begin());
  ProcessOutcome out = run_program(words);
  std::filesystem::current_path(here);
  return out;
}

json report_of(const std::string& db, const std::string& runs) {
  const ProcessOutcome out = run_program({"compare", "--db", db, "--runs", runs, "--format", "json"});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  return json::parse(out.out);
}

TEST(CliReport, ARecordsReportHasTheSameBytesEachTimeInEveryFormat) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  for (const std::string& format : kFormats) {
    const std::string file = folder.file("r." + format);
    const auto made = [&] {
      EXPECT_EQ(
          run_program({"compare", "--db", db, "--runs", "1,2,3", "--format", format, "-o", file}).exit_code,
          0);
      return read_text(file);
    };
    const std::string first = made();
    ASSERT_GT(first.size(), 200U) << format;
    EXPECT_EQ(made(), first) << format;
  }
}

TEST(CliReport, ThePrintedCommandMakesTheSameCsvOutOfTheRecord) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  const json report = report_of(db, "3,1");
  EXPECT_EQ(report["schema"], "shardscope.report/1");
  const ProcessOutcome asked = run_program({"compare", "--db", db, "--runs", "3,1", "--format", "csv"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(again(report["made"]["csv_command"], folder.path()).out, asked.out);
  const std::string md = run_program({"compare", "--db", db, "--runs", "3,1"}).out;
  EXPECT_NE(md.find(report["made"]["csv_command"].get<std::string>()), std::string::npos) << "it is printed";
  EXPECT_EQ(json::parse(again(report["made"]["command"], folder.path()).out), report);
}

TEST(CliReport, ThePrintedSweepMakesTheSameTableAgainFromNothing) {
  const TemporaryFolder folder;
  const std::string out = folder.file("the report's");
  const ProcessOutcome made = run_program({"sweep", "--mesh", "row=2,col=2", "--m", "64", "--k", "64", "--n",
                                           "64", "--strategies", "wang.os,fox", "--report", out});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto first = files_of(out);
  for (const std::string& format : kFormats)
    EXPECT_TRUE(first.contains(format == "csv" ? "runs.csv" : "report." + format)) << format;
  const json report = json::parse(first.at("report.json"));
  std::filesystem::remove_all(out);
  ASSERT_EQ(again(report["made"]["command"], folder.path()).exit_code, 0);
  EXPECT_EQ(files_of(out).at("runs.csv"), first.at("runs.csv"));
}

TEST(CliReport, TheDateIsTheRecordsOrTheOneThatIsSet) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  const json runs = json::parse(run_program({"runs", "--db", db, "--json"}).out);
  std::string latest;
  for (const json& run : runs["runs"]) latest = std::max(latest, run["created"].get<std::string>());
  EXPECT_EQ(report_of(db, "1,2,3")["made"]["date"], latest);
  const ProcessOutcome set = run_program({"compare", "--db", db, "--runs", "1,2,3", "--format", "json"},
                                         {"SOURCE_DATE_EPOCH=1000000000"});
  EXPECT_EQ(json::parse(set.out)["made"]["date"], "2001-09-09T01:46:40Z");
}

TEST(CliReport, TheTermsAreThoseOfDiffAndAddUp) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  const json report = report_of(db, "1,2,3");
  const json& difference = report["difference"];
  ASSERT_FALSE(difference.is_null());
  std::map<std::string, int> ids;
  for (const json& row : report["comparison"]) ids[row["strategy"]] = row["run_id"];
  const std::string pair =
      std::to_string(ids.at(difference["winner"])) + "," + std::to_string(ids.at(difference["other"]));
  const json diff = json::parse(run_program({"diff", "--db", db, "--runs", pair, "--json"}).out);
  double sum = 0;
  for (size_t t = 0; t < difference["terms"].size(); ++t) {
    EXPECT_EQ(difference["terms"][t]["name"], diff["terms"][t]["term"]);
    EXPECT_EQ(difference["terms"][t]["winner_s"], diff["terms"][t]["values_s"][0]);
    EXPECT_EQ(difference["terms"][t]["other_s"], diff["terms"][t]["values_s"][1]);
    sum += difference["terms"][t]["difference_s"].get<double>();
  }
  EXPECT_NEAR(sum, difference["total"]["difference_s"].get<double>(), 1e-15);
}

TEST(CliReport, APdfHasPagesAnOutlineAndItsFonts) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder), file = folder.file("r.pdf");
  ASSERT_EQ(run_program({"compare", "--db", db, "--runs", "1,2,3", "--format", "pdf", "-o", file}).exit_code,
            0);
  const std::string pdf = read_text(file);
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0U);
  for (const char* part : {"/Outlines", "/PageMode /UseOutlines", "/FontFile2", "/MediaBox [0 0 595"})
    EXPECT_NE(pdf.find(part), std::string::npos) << part;
  // The last table of places leads to objects that begin there.
  const size_t table = pdf.rfind("xref\n", pdf.rfind("startxref") - 1);
  ASSERT_NE(table, std::string::npos);
  const size_t end = pdf.find("trailer", table);
  size_t line = table + 5;
  int objects = 0;
  while (line < end) {
    const int number = std::stoi(pdf.substr(line));
    const size_t entry = pdf.find('\n', line) + 1;
    const auto place = static_cast<size_t>(std::stoul(pdf.substr(entry, 10)));
    EXPECT_EQ(pdf.rfind(std::to_string(number) + " 0 obj", place), place) << number;
    line = entry + 20;
    ++objects;
  }
  EXPECT_GT(objects, 5) << "an entry a section";
}

TEST(CliReport, WithoutAFormatAComparisonIsWhatItsFilesNameEndsIn) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  const auto compared = [&](const std::string& name) {
    const ProcessOutcome made =
        run_program({"compare", "--db", db, "--runs", "1,2", "-o", folder.file(name)});
    EXPECT_EQ(made.err, "") << name;
    return read_text(folder.file(name));
  };
  EXPECT_TRUE(compared("a.html").starts_with("<!doctype html"));
  EXPECT_TRUE(compared("a.pdf").starts_with("%PDF"));
  EXPECT_TRUE(compared("a.csv").starts_with("run_id,"));
  EXPECT_TRUE(compared("a.md").starts_with("# "));
  const ProcessOutcome unknown =
      run_program({"compare", "--db", db, "--runs", "1,2", "-o", folder.file("a.gif")});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("no report ends in .gif"), std::string::npos) << unknown.err;
}

// Before the work: nothing was measured, no file was looked for.
TEST(CliReport, APictureOfNoKnownKindIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string gif = folder.file("x.gif");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"errors", "--k", "16..1048576", "-o", gif},
           {"render", "--db", folder.file("none.shardscope"), "--run", "1", "-o", gif},
           {"render", "--db", folder.file("none.shardscope"), "--run", "1", "--figure", "-o", gif}}) {
    const ProcessOutcome refused = run_program(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("unknown picture format"), std::string::npos) << refused.err;
  }
}

TEST(CliReport, OneRunHasAReportToo) {
  const TemporaryFolder folder;
  for (const char* name : {"r.html", "r.pdf", "r.md"}) {
    const ProcessOutcome made = run_program({"run", "--strategy", "wang.os", "--mesh", "row=2,col=2", "--m",
                                             "64", "--k", "64", "--n", "64", "--report", folder.file(name)});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find("written: "), std::string::npos) << made.out;
  }
  EXPECT_NE(read_text(folder.file("r.html")).find("wang.os takes"), std::string::npos);
  const ProcessOutcome refused =
      run_program({"run", "--strategy", "wang.os", "--mesh", "row=2,col=2", "--m", "64", "--k", "64", "--n",
                   "64", "--report", folder.file("r.docx")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find(".docx"), std::string::npos) << refused.err;
}

TEST(CliReport, TwentyRunsFitAPageAndStandOnOneAxis) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope"), file = folder.file("r.html");
  ASSERT_EQ(run_program({"sweep", "all_4x4", "--numerics", "off", "--db", db}).exit_code, 0);
  const json runs = json::parse(run_program({"runs", "--db", db, "--json"}).out)["runs"];
  ASSERT_GE(runs.size(), 20U);
  std::string ids;
  for (size_t i = 0; i < 20; ++i) ids += (i > 0 ? "," : "") + std::to_string(runs[i]["id"].get<int>());
  const ProcessOutcome made =
      run_program({"compare", "--db", db, "--runs", ids, "--format", "html", "-o", file});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string html = read_text(file);
  EXPECT_LE(html.size(), 2'000'000U);
  EXPECT_NE(html.find("class=\"played\""), std::string::npos) << "the winner plays";
  const size_t from = html.find("id=\"timelines-1\""), to = html.find("id=\"s-operations\"");
  ASSERT_LT(from, to);
  const std::string timelines = html.substr(from, to - from);
  for (size_t i = 0; i < 20; ++i)
    EXPECT_NE(timelines.find("· run " + std::to_string(runs[i]["id"].get<int>())), std::string::npos) << i;
}

TEST(CliReport, AChipsNumbersStandWithTheirSources) {
  const TemporaryFolder folder;
  const std::string md = run_program({"compare", "--db", recorded(folder), "--runs", "1,2"}).out;
  EXPECT_NE(md.find("| Memory: HBM bandwidth | 819 GB/s | "), std::string::npos) << md;
}

// The number behind `key`.
double number_behind(const std::string& text, const std::string& key) {
  const size_t at = text.find(key);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + key.size()));
}

TEST(CliReport, AFigureIsAsWideAsAColumnAndNeedsNoFont) {
  const TemporaryFolder folder;
  const std::string db = recorded(folder);
  for (const char* view : {"timeline", "ring", "grid", "links", "memory"}) {
    for (const int width : {85, 178}) {
      const auto drawn = [&](const std::string& ending) {
        const std::string file = folder.file("f." + ending);
        const ProcessOutcome made =
            run_program({"render", "--db", db, "--run", "1", "--view", view, "--figure", "--width",
                         std::to_string(width) + "mm", "-o", file});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        const std::string first = read_text(file);
        return first;
      };
      const std::string svg = drawn("svg"), pdf = drawn("pdf"), png = drawn("png");
      EXPECT_NE(svg.find("width=\"" + std::to_string(width) + "mm\""), std::string::npos) << view;
      EXPECT_EQ(svg.find("<text"), std::string::npos) << "letters are shapes";
      EXPECT_EQ(svg, drawn("svg"));
      EXPECT_NEAR(number_behind(pdf, "/MediaBox [0 0 "), width / 25.4 * 72, 0.5) << view;
      EXPECT_NE(pdf.find("/FontFile2"), std::string::npos);
      EXPECT_EQ(pdf, drawn("pdf"));
      ASSERT_GT(png.size(), 24U);
      const auto byte = [&](size_t i) { return static_cast<int>(static_cast<unsigned char>(png[i])); };
      EXPECT_NEAR(byte(18) * 256 + byte(19), width / 25.4 * 300, 2) << view;
    }
  }
  const ProcessOutcome refused = run_program(
      {"render", "--db", db, "--run", "1", "--figure", "--width", "9km", "-o", folder.file("f.svg")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("85mm"), std::string::npos) << refused.err;
  EXPECT_EQ(run_program({"render", "--db", db, "--run", "1", "--view", "ring", "--figure", "--beat", "999",
                         "-o", folder.file("f.svg")})
                .exit_code,
            2);
}

}  // namespace
}  // namespace shardscope::cli_report_test

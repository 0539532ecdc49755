// SPDX-License-Identifier: Apache-2.0
// Events of the common form are taken without the parser of all JSON: both must read the same.
#include "engine/measure/import/json_events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/measure/import/kept_events.h"
#include "tests/engine/measure/profile_files.h"

namespace shardscope::json_events_test {
namespace {

std::string shown(const JsonEvent& e) {
  std::string out =
      fmt::format("{}|{}|{}|{}|{}|{}", e.phase, e.name, e.category, e.process, e.thread, e.bad_time);
  if (e.start) out += fmt::format("|{}.{}", e.start->ns, e.start->ps);
  if (e.duration) out += fmt::format("|+{}", *e.duration);
  for (const auto& [key, value] : e.arguments) out += fmt::format("|{}={}", key, value);
  return out;
}

Result<std::vector<std::string>> events_of(const std::string& text) {
  const ProfileFolder folder;
  const std::string path = folder.write("a.json", text);
  TRY(const auto source, ByteSource::open(path, {}));
  std::vector<std::string> out;
  const auto take = [&](JsonEvent& e) -> Result<void> {
    out.push_back(shown(e));
    return {};
  };
  TRY_VOID(read_json_events(*source, take));
  return out;
}

const std::vector<std::string> kFields = {
    R"("ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":-7,"ts":6841349041700.125,"dur":90)",
    R"( "ph" : "X" , "name" : "a" , "ts" : 1.5e3 , "dur" : 2E-1 , "pid" : "Spans" , "tid" : null )",
    R"("ph":"M","name":"process_name","pid":1.0)",
    R"("ph":"X","name":"","ts":0,"dur":-3)",
    R"("ph":"X","name":"late","ts":99999999999999999999999,"dur":true)",
    R"("ph":"X","name":"small","ts":0.1234567,"dur":.5)",
    R"("ph":"i","s":"t","name":"x","ts":12,"bp":"e","id":3)"};
const std::vector<std::string> kArguments = {
    R"()", R"("External id":12,"correlation":99,"stream":7,"device":0,"queued":0)",
    R"("Input Dims": [ [1024, 512] , [], [ 3 ] ], "Input type": ["float", "", "Scalar"], "Concrete Inputs": ["", "[1]"])",
    R"("Process Group Ranks":"[0, 1]","Collective name":"allreduce","In msg nelems":262144,"Group size":18446744073709551616)",
    R"("name":"/device:TPU:0","labels":true,"hlo_op":null,"bytes":-0.5)"};

TEST(JsonEvents, TheFastWayReadsWhatTheOtherDoes) {
  for (const std::string& fields : kFields)
    for (const std::string& arguments : kArguments) {
      const std::string event = "{" + fields + ",\"args\":{" + arguments + "}";
      const auto fast = events_of(chrome_file({event + "}", event + "}"}));
      // What nests is left to the other way.
      const auto other = events_of(chrome_file({event + ",\"z\":{}}", "{\"z\":[]," + event.substr(1) + "}"}));
      ASSERT_EQ(fast.ok(), other.ok()) << event;
      if (fast.ok()) {
        EXPECT_EQ(*fast, *other) << event;
      }
    }
}

TEST(JsonEvents, BothWaysKeepTheSameOfManyAndLongArguments) {
  std::string many;
  for (int k = 0; k < 100; ++k) many += fmt::format("\"unused{}\":{},", k, k);
  const std::string longest(1 << 16, 'x');
  for (const std::string& arguments :
       {many + R"("stream":7)", "\"long_name\":\"" + longest + "\"", "\"long_name\":\"" + longest + "x\""}) {
    const std::string event = R"({"ph":"X","args":{)" + arguments + "}";
    const auto fast = events_of(chrome_file({event + "}"}));
    const auto other = events_of(chrome_file({event + ",\"z\":{}}"}));
    ASSERT_TRUE(fast.ok());
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(*fast, *other);
  }
}

TEST(JsonEvents, EscapesOtherLettersAndListsThatAreTheWholeFileAreRead) {
  const auto read = events_of(
      "[\n{\"ph\":\"X\",\"name\":\"a\\\"\\u00e9\\n\",\"ts\":1},{\"ph\":\"X\",\"name\":\"µ\"} , 3, [{}],\n"
      "{\"name\":\"plain\"}]");
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read->size(), 3U);
  EXPECT_TRUE((*read)[0].starts_with("X|a\"é\n|"));
  EXPECT_TRUE((*read)[1].starts_with("X|µ|"));
  EXPECT_TRUE((*read)[2].starts_with("|plain|"));
}

TEST(JsonEvents, OtherListsOfObjectsAreNoEvents) {
  const auto read =
      events_of(R"({"deviceProperties":[{"name":"NVIDIA H200","id":0}],"x":{"traceEvents":[{"name":"no"}]},)"
                R"("traceEvents":[{"name":"yes"}],"after":[{"name":"no"}]})");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->size(), 1U);
}

// A number, a comma, a missing comma and a list damaged behind ten thousand good events: the place is the
// file's own.
TEST(JsonEvents, DamageIsFoundAtItsByte) {
  std::vector<std::string> events(10'000, R"({"ph":"X","name":"a","ts":1,"args":{"stream":7}})");
  for (const char* bad : {R"({"ph":"X","ts":01})", R"({"ph":"X",,"ts":1})", R"({"ph":"X" "ts":1})",
                          R"({"ph":"X","args":{"stream":[1,]}})"}) {
    events.back() = bad;
    const std::string text = chrome_file(events);
    const auto read = events_of(text);
    ASSERT_FALSE(read.ok()) << bad;
    const size_t begin = text.rfind(bad), at = read.error().what.find("at byte ");
    ASSERT_NE(at, std::string::npos) << read.error().text();
    const auto place = static_cast<size_t>(std::stoll(read.error().what.substr(at + 8)));
    EXPECT_GE(place, begin) << bad;
    EXPECT_LE(place, begin + std::string(bad).size() + 1) << bad;
  }
}

TEST(JsonEvents, KeptEventsComeBackAsTheyWere) {
  KeptEvents kept;
  std::vector<std::string> all;
  for (const std::string& fields : kFields)
    for (const std::string& arguments : kArguments) {
      const ProfileFolder folder;
      const std::string path =
          folder.write("a.json", chrome_file({"{" + fields + ",\"args\":{" + arguments + "}}"}));
      const auto source = ByteSource::open(path, {}).value();
      (void)read_json_events(*source, [&](JsonEvent& e) -> Result<void> {
        e.phase = "X";
        all.push_back(shown(e));
        kept.add(e);
        return {};
      });
    }
  ASSERT_GE(all.size(), 20U);
  ASSERT_FALSE(kept.full());
  std::vector<std::string> back;
  const auto taken = kept.each([&](JsonEvent& e) -> Result<void> {
    back.push_back(shown(e));
    return {};
  });
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(back, all);
}

}  // namespace
}  // namespace shardscope::json_events_test

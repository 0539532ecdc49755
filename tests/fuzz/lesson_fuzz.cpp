// SPDX-License-Identifier: Apache-2.0
// Any bytes are a lesson or an error with a place; what is read is written and read back as the same, and is
// evaluated to the end where nothing that it names can be had.
#include "engine/base/check.h"
#include "engine/lesson/check_lesson.h"
#include "tests/fuzz/text_mutator.h"

namespace {
using namespace shardscope;

constexpr std::string_view kWords[] = {"[[step]]\n",
                                       "[[experiments.ring.run]]\n",
                                       "[experiments.ring]\n",
                                       "[step.question]\n",
                                       "say = \"{runs.a.total}\"\n",
                                       "ask = \"{1 + 2}?\"\n",
                                       "answer = \"2 * 16 KiB\"\n",
                                       "wrong = [\"1\", \"because {2 > 1}\"]\n",
                                       "try = \"\"\n",
                                       "expect = \"mesh.x == 4 and not (1 > 2)\"\n",
                                       "view = \"ring\"\n",
                                       "point = \"device 3\"\n",
                                       "preset = \"teaching\"\n",
                                       "{{",
                                       "}",
                                       "{story.beat[1].arrives(device=2)}",
                                       "{max(1, min(2, 3 µs))}",
                                       "{percent(1, 3)}",
                                       "{-(-(1))}",
                                       "{1 / 0}",
                                       "{9223372036854775807 * 9223372036854775807}",
                                       "{\"a\" == 'a'}"};
}  // namespace
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const FactScope nothing = [](const FactPath& path) -> Result<FactValue> {
    return invalid("nothing is called " + path_text(path), "here");
  };
  (void)fill_in(text, nothing);
  (void)value_of(text, nothing);
  const auto file = parse_lesson(text, "f.lesson.toml");
  if (!file.ok()) {
    CHECK(file.error().where.starts_with("f.lesson.toml"), file.error().text());
    return 0;
  }
  const std::string written = lesson_toml(file->lesson);
  const auto again = parse_lesson(written, "g.lesson.toml");
  CHECK(again.ok(), again.ok() ? "" : again.error().text(), written);
  CHECK(again->lesson == file->lesson, written);
  CHECK(lesson_toml(again->lesson) == written, written);
  const RunsOfExperiment none = [](const LessonExperiment&) -> Result<FactRuns*> {
    return invalid("no run here", "experiment");
  };
  const auto checked = check_lesson(*file, none, {"ring", "grid"}, {});
  CHECK(checked.ok(), checked.ok() ? "" : checked.error().text());
  CHECK(checked->steps.size() == file->lesson.steps.size(), checked->steps.size());
  return 0;
}

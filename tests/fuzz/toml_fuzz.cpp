// SPDX-License-Identifier: Apache-2.0
// Any bytes are an experiment, a chip, a model or an error with a place; what is read is written and read
// back as the same.
#include <set>

#include "engine/base/check.h"
#include "engine/hardware/hardware.h"
#include "engine/request/experiment_file.h"
#include "engine/request/fields.h"
#include "engine/tune/model_file.h"
#include "tests/fuzz/text_mutator.h"

namespace {
using namespace shardscope;

// Keys and words of the one table of fields; what files hold beside them.
std::vector<std::string_view> words() {
  static std::set<std::string> kept;
  std::vector<std::string_view> out = {"[[run]]\n",
                                       "[mesh]\n",
                                       "[problem]\n",
                                       "[check]\n",
                                       "[[layer]]\n",
                                       "[[link.op]]\n",
                                       "[overlap]\n",
                                       "[calibration]\n",
                                       "[compute]\n",
                                       "[memory]\n",
                                       "[link]\n",
                                       "[node]\n",
                                       "hidden = 8\n",
                                       "strategy = \"wang.os\"\n",
                                       "{ name = \"x\", size = 2, wrap = true }",
                                       "topology = \"two-level\"\n",
                                       "= 1e400\n",
                                       "= -1\n",
                                       "= 9223372036854775807\n",
                                       "= nan\n",
                                       "= [[[[1]]]]\n",
                                       "\"\"\"\n"};
  for (const Field& field : fields()) {
    out.push_back(*kept.insert((field.file.empty() ? field.key : field.file) + " = ").first);
    for (const std::string& word : field.values) out.push_back(*kept.insert("\"" + word + "\"").first);
  }
  return out;
}
const std::vector<std::string_view> kWords = words();

void check_place(const Error& error) {
  CHECK(error.where.starts_with("f.toml"), error.text());
}

}  // namespace
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto experiment = parse_experiment(text, "f.toml"); experiment.ok()) {
    const auto again = parse_experiment(experiment_toml(*experiment), "g.toml");
    CHECK(again.ok(), again.ok() ? "" : again.error().text(), experiment_toml(*experiment));
    CHECK(*again == *experiment, experiment_toml(*experiment));
  } else {
    check_place(experiment.error());
  }
  if (const auto chip = parse_hardware(text, "f.toml"); chip.ok()) {
    const auto again = parse_hardware(hardware_toml(*chip), "g.toml");
    CHECK(again.ok(), again.ok() ? "" : again.error().text(), hardware_toml(*chip));
    CHECK(*again == *chip, hardware_toml(*chip));
  } else {
    check_place(chip.error());
  }
  if (const auto model = parse_model(text, "f.toml"); !model.ok()) check_place(model.error());
  return 0;
}

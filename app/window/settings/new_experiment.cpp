// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/new_experiment.h"

#include "app/window/settings/settings.h"
#include "engine/base/check.h"
#include "engine/base/say.h"

namespace shardscope::inline window {

const std::vector<NewField>& new_fields() {
  static const std::vector<NewField> kFields = {
      {"hardware", to_say("Chip"), "tpu-v5e", true}, {"mesh", to_say("Mesh"), "row=2,col=4"},
      {"m", to_say("Rows of X (m)"), "4096"},        {"k", to_say("Columns of X (k)"), "4096"},
      {"n", to_say("Columns of W (n)"), "1024"},     {"dtype", to_say("Element type"), "bf16"},
      {"fill", to_say("Filled with"), "integers"},   {"overlap", to_say("Overlap"), "on"},
  };
  return kFields;
}

Experiment new_experiment(const Settings& settings) {
  Experiment out;
  out.title = said("New experiment");
  for (const NewField& row : new_fields()) {
    const QString text = settings.value(QString("new.%1").arg(row.key)).toString();
    const auto done = put(*find_field(row.key), out, text.toStdString());
    CHECK(done.ok(), row.key);  // the setting refuses what the field does not take
  }
  return out;
}

}  // namespace shardscope::inline window

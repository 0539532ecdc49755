// SPDX-License-Identifier: Apache-2.0
// What a new experiment begins with: fields of experiments, by their keys, each with a setting.
#pragma once

#include <QString>
#include <vector>

#include "engine/request/fields.h"

namespace shardscope::inline window {

class Settings;

struct NewField {
  const char* key;    // of fields()
  const char* title;  // in the preferences
  const char* first;
  bool hardware = false;  // its words are the chips there are
};
const std::vector<NewField>& new_fields();

Experiment new_experiment(const Settings& settings);

}  // namespace shardscope::inline window

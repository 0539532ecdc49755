// SPDX-License-Identifier: Apache-2.0
// Everything of a Run that is one row: tables `run`, `numerics`, `numerics_region`, `instruction`,
// `device_total`.
#pragma once

#include <memory>
#include <string>

#include "engine/run/run.h"
#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// The value of an enum that ends with `last` whose name is `text`.
template <class Enum>
Result<Enum> named(const std::string& text, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value)
    if (name(static_cast<Enum>(value)) == text) return static_cast<Enum>(value);
  return io_error("database: unknown word '" + text + "'");
}

// Under status 'recording'.
Result<void> insert_run(const Database& db, int64_t id, const Run& run, const std::string& writer);
Result<void> insert_numerics(const Database& db, int64_t id, const NumericsReport& numerics);
// Numbers and wall-clock times of a run instead of those that are there; nothing where there is no such run.
Result<void> update_numbers(const Database& db, int64_t id, const Run& run);
Result<void> insert_instructions(const Database& db, int64_t id, const Program& program);
Result<void> insert_device_totals(const Database& db, int64_t id, const Timeline& timeline);

// The run without its events, memory and buffers. Unknown ids are invalid.
Result<std::shared_ptr<Run>> read_run(const Database& db, int64_t id);
Result<std::vector<Lane>> parse_lanes(const std::string& json, const std::string& where);

}  // namespace shardscope::inline trace

// SPDX-License-Identifier: Apache-2.0
// TOML tables read with the place of every mistake. The one door to toml++.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope {

// A table of a parsed TOML file. Each reader gives nothing when the key is absent, and an error with
// file:line:column, what was got and what was expected when its type is wrong. Keys that nobody asked for are
// a mistake of the user's: refuse_unread names the first. Cheap to copy: copies share the parsed document and
// what was asked for, so one thread reads a document.
class TomlTable {
 public:
  static Result<TomlTable> parse(std::string_view text, std::string_view file_name);

  Result<std::optional<std::string>> string(std::string_view key) const;
  Result<std::optional<int64_t>> integer(std::string_view key) const;
  Result<std::optional<double>> number(std::string_view key) const;  // integer or float
  Result<std::optional<bool>> boolean(std::string_view key) const;
  Result<std::optional<TomlTable>> table(std::string_view key) const;
  Result<std::vector<TomlTable>> tables(std::string_view key) const;  // array of tables or of inline tables
  Result<std::optional<std::vector<int64_t>>> integers(std::string_view key) const;
  Result<std::optional<std::vector<double>>> numbers(std::string_view key) const;
  Result<std::optional<std::vector<std::string>>> strings(std::string_view key) const;
  std::vector<std::string> keys() const;
  std::string where(std::string_view key = "") const;  // file:line:column of a key or of the table
  Result<void> refuse_unread() const;                  // "unknown key 'foo'", with the nearest known one

 private:
  struct Node;
  explicit TomlTable(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

// Values as TOML text: a basic string in quotes, a float that reads back equal.
std::string toml_text(std::string_view value);
std::string toml_text(double value);

}  // namespace shardscope

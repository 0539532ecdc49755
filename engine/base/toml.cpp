// SPDX-License-Identifier: Apache-2.0
#include "engine/base/toml.h"

#include <cctype>
#include <fmt/format.h>
#include <set>
#include <toml++/toml.h>

#include "engine/base/text.h"

namespace shardscope {
namespace {

std::string toml_place(const std::string& file, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", file, source.begin.line, source.begin.column);
}

const char* toml_kind(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

Error wrong_type(std::string_view key, const toml::node& node, const char* expected,
                 const std::string& file) {
  return invalid(fmt::format("'{}' must be {}, got {}", key, expected, toml_kind(node)),
                 toml_place(file, node.source()));
}

}  // namespace

struct TomlTable::Node {
  std::shared_ptr<const toml::table> document;  // owns `table`
  const toml::table* table = nullptr;
  std::string file;
  mutable std::set<std::string, std::less<>> read_keys;

  const toml::node* find(std::string_view key) const {
    read_keys.emplace(key);
    return table->get(key);
  }
  std::shared_ptr<const Node> child(const toml::table& part) const {
    return std::make_shared<const Node>(Node{document, &part, file, {}});
  }
};

Result<TomlTable> TomlTable::parse(std::string_view text, std::string_view file_name) {
  const std::string file(file_name);
  try {
    auto document = std::make_shared<const toml::table>(toml::parse(text, file));
    const toml::table* root = document.get();
    return TomlTable(std::make_shared<const Node>(Node{std::move(document), root, file, {}}));
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    if (!what.empty()) what[0] = small_letter(what[0]);
    while (!what.empty() && what.back() == '.') what.pop_back();
    return invalid(what, toml_place(file, error.source()), "write TOML");
  }
}

Result<std::optional<std::string>> TomlTable::string(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<std::string>();
  const auto* value = node->as_string();
  if (value == nullptr) return wrong_type(key, *node, "a string", node_->file);
  return std::optional<std::string>(value->get());
}

Result<std::optional<int64_t>> TomlTable::integer(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<int64_t>();
  const auto* value = node->as_integer();
  if (value == nullptr) return wrong_type(key, *node, "a whole number", node_->file);
  return std::optional<int64_t>(value->get());
}

Result<std::optional<double>> TomlTable::number(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<double>();
  if (const auto* whole = node->as_integer()) return std::optional<double>(static_cast<double>(whole->get()));
  const auto* value = node->as_floating_point();
  if (value == nullptr) return wrong_type(key, *node, "a number", node_->file);
  return std::optional<double>(value->get());
}

Result<std::optional<bool>> TomlTable::boolean(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<bool>();
  const auto* value = node->as_boolean();
  if (value == nullptr) return wrong_type(key, *node, "true or false", node_->file);
  return std::optional<bool>(value->get());
}

Result<std::optional<TomlTable>> TomlTable::table(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<TomlTable>();
  const toml::table* value = node->as_table();
  if (value == nullptr) return wrong_type(key, *node, "a table", node_->file);
  return std::optional<TomlTable>(TomlTable(node_->child(*value)));
}

Result<std::vector<TomlTable>> TomlTable::tables(std::string_view key) const {
  std::vector<TomlTable> out;
  const toml::node* node = node_->find(key);
  if (node == nullptr) return out;
  const toml::array* list = node->as_array();
  if (list == nullptr) return wrong_type(key, *node, "a list of tables", node_->file);
  for (const toml::node& item : *list) {
    const toml::table* value = item.as_table();
    if (value == nullptr) return wrong_type(key, item, "a list of tables", node_->file);
    out.push_back(TomlTable(node_->child(*value)));
  }
  return out;
}

Result<std::optional<std::vector<int64_t>>> TomlTable::integers(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<std::vector<int64_t>>();
  const toml::array* list = node->as_array();
  if (list == nullptr) return wrong_type(key, *node, "a list of whole numbers", node_->file);
  std::vector<int64_t> out;
  for (const toml::node& item : *list) {
    const auto* value = item.as_integer();
    if (value == nullptr) return wrong_type(key, item, "a list of whole numbers", node_->file);
    out.push_back(value->get());
  }
  return std::optional<std::vector<int64_t>>(std::move(out));
}

Result<std::optional<std::vector<double>>> TomlTable::numbers(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<std::vector<double>>();
  const toml::array* list = node->as_array();
  if (list == nullptr) return wrong_type(key, *node, "a list of numbers", node_->file);
  std::vector<double> out;
  for (const toml::node& item : *list) {
    const std::optional<double> value = item.value<double>();
    if (!item.is_number() || !value) return wrong_type(key, item, "a list of numbers", node_->file);
    out.push_back(*value);
  }
  return std::optional<std::vector<double>>(std::move(out));
}

Result<std::optional<std::vector<std::string>>> TomlTable::strings(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  const toml::array* list = node->as_array();
  if (list == nullptr) return wrong_type(key, *node, "a list of strings", node_->file);
  std::vector<std::string> out;
  for (const toml::node& item : *list) {
    const auto* value = item.as_string();
    if (value == nullptr) return wrong_type(key, item, "a list of strings", node_->file);
    out.push_back(value->get());
  }
  return std::optional<std::vector<std::string>>(std::move(out));
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : *node_->table) out.emplace_back(key.str());
  return out;
}

std::string TomlTable::where(std::string_view key) const {
  const auto at = key.empty() ? node_->table->cend() : node_->table->find(key);
  return toml_place(node_->file, at == node_->table->cend() ? node_->table->source() : at->second.source());
}

Result<void> TomlTable::refuse_unread() const {
  const toml::key* first = nullptr;  // in the file's order, not the alphabet's
  for (const auto& [key, value] : *node_->table) {
    if (node_->read_keys.count(key.str()) != 0) continue;
    if (first == nullptr || key.source().begin < first->source().begin) first = &key;
  }
  if (first == nullptr) return {};
  const std::vector<std::string> known(node_->read_keys.begin(), node_->read_keys.end());
  const auto near = nearest(first->str(), known);
  return invalid(fmt::format("unknown key '{}'", first->str()), toml_place(node_->file, first->source()),
                 near ? fmt::format("did you mean '{}'?", *near) : "known here: " + join(known, ", "));
}

std::string toml_text(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/hardware/hardware.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/request/command_line.h"
#include "engine/request/fields.h"
#include "engine/session/lessons/lesson_presets.h"
#include "engine/session/preset_catalogue.h"
#include "engine/strategies/strategy.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline cli {
namespace {

using Words = std::vector<std::string>;

enum class Takes : uint8_t { nothing, words, number, file };

struct CompletedOption {
  Words names;  // "-o", "--output"; none of a positional
  Takes takes = Takes::nothing;
  Words words;
  std::string help;
};
struct CompletedCommand {
  std::string at;  // "run", "hlo/partition"; "" is the program
  std::string name, help;
  std::vector<CompletedOption> options;
  CompletedOption positional;
  std::vector<CompletedCommand> parts;
};

// The names that a registry gives to what an option calls for by its own name.
Words registered(const std::string& name) {
  Words out;
  if (name == "preset")
    for (const CataloguedPreset& each : preset_catalogue()) out.push_back(each.name);
  if (name == "strategy" || name == "strategies")
    for (const Strategy& each : strategies()) out.emplace_back(each.id);
  if (name == "lesson")
    for (const LessonPreset& each : lesson_presets()) out.push_back(each.name);
  if (name == "kernel")
    for (const kernels::KernelEntry& each : kernels::catalogue()) out.emplace_back(each.id);
  if (name == "hardware") out = hardware_preset_names();
  if (name == "view") out = view_names();
  return out;
}

// "TEXT:{light,dark}": what its check admits.
Words checked(const std::string& type) {
  const size_t open = type.find('{');
  if (open == std::string::npos || type.back() != '}') return {};
  return split(type.substr(open + 1, type.size() - open - 2), ',');
}

// As one word of a shell's list: what needs quotes is not offered.
bool is_plain(const std::string& word) {
  return !word.empty() && shell_line({word}) == word;
}

Words words_of(const CLI::Option& option, const std::string& name) {
  Words out = checked(option.get_type_name());
  if (out.empty()) out = registered(name);
  if (const Field* field = find_field(name); field != nullptr && out.empty())
    out = field->values.empty() ? field->offered : field->values;
  std::erase_if(out, [](const std::string& word) { return !is_plain(word); });
  return out;
}

bool is_number(const std::string& type) {
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

CompletedOption completed(const CLI::Option& option) {
  CompletedOption out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  const std::string& description = option.get_description();
  out.help = description.substr(0, description.find('\n'));
  if (option.get_items_expected_max() == 0) return out;
  const std::string name = option.get_positional() ? option.get_name(true)
                           : out.names.empty()     ? ""
                                                   : option.get_lnames().front();
  out.words = words_of(option, name);
  const bool number = out.words.empty() && is_number(option.get_type_name());
  out.takes = number ? Takes::number : out.words.empty() ? Takes::file : Takes::words;
  return out;
}

CompletedCommand completed(const CLI::App& app, const std::string& at) {
  CompletedCommand out;
  out.at = at;
  out.name = app.get_name();
  out.help = app.get_description().substr(0, app.get_description().find('\n'));
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); })) {
    if (!option->get_positional())
      out.options.push_back(completed(*option));
    else if (out.positional.takes == Takes::nothing)
      out.positional = completed(*option);
  }
  for (const CLI::App* part : app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
    out.parts.push_back(completed(*part, at.empty() ? part->get_name() : at + "/" + part->get_name()));
  return out;
}

template <class Visit>
void walk(const CompletedCommand& command, const Visit& visit) {
  visit(command);
  for (const CompletedCommand& part : command.parts) walk(part, visit);
}

// "    '/run') at=run ;;" for each command: the words before the cursor lead to one.
std::string path_cases(const CompletedCommand& root) {
  std::string out;
  walk(root, [&](const CompletedCommand& c) {
    for (const CompletedCommand& part : c.parts)
      out += fmt::format("      '{}/{}') at='{}' ;;\n", c.at, part.name, part.at);
  });
  return out;
}

// "    'run --dtype') kind=words offered='f32 bf16' ;;": what may stand behind an option.
std::string value_cases(const CompletedCommand& root) {
  std::string out;
  const auto offer = [](const CompletedOption& o) {
    if (o.takes == Takes::words) return fmt::format("kind=words offered='{}'", join(o.words, " "));
    return std::string(o.takes == Takes::file ? "kind=file" : "kind=number");
  };
  walk(root, [&](const CompletedCommand& c) {
    for (const CompletedOption& o : c.options) {
      if (o.takes == Takes::nothing) continue;
      Words patterns;
      for (const std::string& name : o.names) patterns.push_back(fmt::format("'{} {}'", c.at, name));
      out += fmt::format("    {}) {} ;;\n", join(patterns, "|"), offer(o));
    }
  });
  return out;
}

// "    'run') options='--dtype …' parts='' …": what may stand at a command.
std::string command_cases(const CompletedCommand& root) {
  std::string out;
  walk(root, [&](const CompletedCommand& c) {
    Words options, words = c.positional.words;
    for (const CompletedOption& o : c.options) options.insert(options.end(), o.names.begin(), o.names.end());
    for (const CompletedCommand& part : c.parts) words.push_back(part.name);
    out += fmt::format("    '{}') options='{}' offered='{}' kind={} ;;\n", c.at, join(options, " "),
                       join(words, " "), c.positional.takes == Takes::nothing ? "words" : "both");
  });
  return out;
}

// A row of zsh's _describe: 'name:what it is'.
std::string described(const std::string& name, const std::string& help) {
  std::string row = name + ":" + help;
  std::string out;
  for (const char c : row) out += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + out + "'";
}

std::string described_cases(const CompletedCommand& root) {
  std::string out;
  walk(root, [&](const CompletedCommand& c) {
    Words options, parts;
    for (const CompletedOption& o : c.options)
      for (const std::string& name : o.names) options.push_back(described(name, o.help));
    for (const CompletedCommand& part : c.parts) parts.push_back(described(part.name, part.help));
    out += fmt::format("    '{}')\n      options=({})\n      parts=({})\n      offered='{}' files={} ;;\n",
                       c.at, join(options, " "), join(parts, " "), join(c.positional.words, " "),
                       c.positional.takes == Takes::nothing ? 0 : 1);
  });
  return out;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const CompletedCommand root = completed(app, "");
  return "# bash completion of shardscope; `shardscope completion bash` writes it.\n"
         "_shardscope() {\n"
         "  local at='' kind='' offered='' options='' index IFS=$' \\t\\n'\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  for ((index = 1; index < COMP_CWORD; ++index)); do\n"
         "    case \"$at/${COMP_WORDS[index]}\" in\n" +
         path_cases(root) +
         "    esac\n  done\n"
         "  case \"$at $prev\" in\n" +
         value_cases(root) +
         "  esac\n"
         "  if [[ -z $kind ]]; then\n"
         "    case \"$at\" in\n" +
         command_cases(root) +
         "    esac\n"
         "    [[ $cur != -* ]] || { offered=$options kind=words; }\n"
         "  fi\n"
         "  local front=''\n"
         "  [[ $cur != *,* ]] || { front=${cur%,*},; cur=${cur##*,}; }\n"
         "  COMPREPLY=()\n"
         "  [[ $kind != words && $kind != both ]] || COMPREPLY=($(compgen -P \"$front\" -W \"$offered\" -- "
         "\"$cur\"))\n"
         "  if [[ $kind == file || $kind == both ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    local name\n"
         "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$front$cur\")\n"
         "  fi\n"
         "}\n"
         "complete -F _shardscope shardscope\n";
}

std::string zsh_completion(const CLI::App& app) {
  const CompletedCommand root = completed(app, "");
  return "#compdef shardscope\n"
         "# zsh completion of shardscope; `shardscope completion zsh` writes it.\n"
         "_shardscope() {\n"
         "  local at='' kind='' offered='' index files=0\n"
         "  local -a options parts\n"
         "  for ((index = 2; index < CURRENT; ++index)); do\n"
         "    case \"$at/${words[index]}\" in\n" +
         path_cases(root) +
         "    esac\n  done\n"
         "  case \"$at ${words[CURRENT-1]}\" in\n" +
         value_cases(root) +
         "  esac\n"
         "  case $kind in\n"
         "    words) compset -P '*,'; compadd -- ${=offered}; return ;;\n"
         "    file) _files; return ;;\n"
         "    number) return ;;\n"
         "  esac\n"
         "  case \"$at\" in\n" +
         described_cases(root) +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then\n"
         "    _describe -o option options\n"
         "    return\n"
         "  fi\n"
         "  (( ! $#parts )) || _describe command parts\n"
         "  [[ -z $offered ]] || compadd -- ${=offered}\n"
         "  (( ! files )) || _files\n"
         "}\n"
         "if [[ ${funcstack[1]} == _shardscope ]]; then _shardscope \"$@\"; else compdef _shardscope "
         "shardscope; fi\n";
}

}  // namespace shardscope::inline cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/man_page.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardscope {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c;
    if (c == '\n') out += ".br\n";
  }
  // A line that starts with a dot or quote would be a request.
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); })) {
    const bool takes_value = option->get_items_expected_max() > 0;
    out += fmt::format(".TP\n.B {}{}\n{}\n", roff(option->get_name(option->get_positional(), true)),
                       takes_value && !option->get_positional() ? " \\fIVALUE\\fR" : "",
                       roff(option->get_description()));
  }
  return out;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string out =
      fmt::format(".TH SHARDSCOPE 1 \"\" \"shardscope {}\" \"User Commands\"\n", SHARDSCOPE_VERSION);
  out += ".SH NAME\nshardscope \\- explore sharded matrix multiplication on device meshes\n";
  out +=
      ".SH SYNOPSIS\n.B shardscope\n[\\fIFILE\\fR]\n.br\n.B shardscope\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  out += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH OPTIONS\n" + options_of(app);
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += fmt::format(".SS {}\n{}\n{}", roff(command->get_name()), roff(command->get_description()),
                       options_of(*command));
    for (const CLI::App* part : command->get_subcommands([](const CLI::App*) { return true; })) {
      out += fmt::format(".SS {} {}\n{}\n{}", roff(command->get_name()), roff(part->get_name()),
                         roff(part->get_description()), options_of(*part));
    }
  }
  out += ".SH EXIT STATUS\n" + roff(app.get_footer()) + "\n";
  return out;
}

}  // namespace shardscope

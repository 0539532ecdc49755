// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/man_page.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/report/made_now.h"
#include "engine/help/topics.h"

namespace shardscope::inline cli {
namespace {

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); })) {
    const bool takes_value = option->get_items_expected_max() > 0;
    out += fmt::format(".TP\n.B {}{}\n{}\n", roff_text(option->get_name(option->get_positional(), true)),
                       takes_value && !option->get_positional() ? " \\fIVALUE\\fR" : "",
                       roff_text(option->get_description()));
  }
  return out;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string out =
      fmt::format(".TH SHARDSCOPE 1 \"\" \"shardscope {}\" \"User Commands\"\n", built_version());
  out += ".SH NAME\nshardscope \\- explore sharded matrix multiplication on device meshes\n";
  out +=
      ".SH SYNOPSIS\n.B shardscope\n[\\fIFILE\\fR]\n.br\n.B shardscope\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  out += ".SH DESCRIPTION\n" + roff_text(app.get_description()) + "\n.SH OPTIONS\n" + options_of(app);
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += fmt::format(".SS {}\n{}\n{}", roff_text(command->get_name()),
                       roff_text(command->get_description()), options_of(*command));
    for (const CLI::App* part : command->get_subcommands([](const CLI::App*) { return true; })) {
      out += fmt::format(".SS {} {}\n{}\n{}", roff_text(command->get_name()), roff_text(part->get_name()),
                         roff_text(part->get_description()), options_of(*part));
    }
  }
  out += ".SH THE WINDOW\n";
  for (const HelpGroup& group : help_groups()) {
    for (const HelpTopic& each : group.topics) out += roff_section(each);
  }
  for (const HelpPage& each : help_guides()) out += roff_section(each);
  out += ".SH EXIT STATUS\n" + roff_text(app.get_footer()) + "\n";
  return out;
}

}  // namespace shardscope::inline cli

// SPDX-License-Identifier: Apache-2.0
// A way to start every command, for tests of what holds for all of them.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace shardscope {

using Words = std::vector<std::string>;

// A workspace with two runs at `db`, and a profile at `db`.json.
void make_runs(const std::string& db);
// What prints most of each command, and takes no time; `db`: of make_runs().
std::vector<Words> commands_that_print(const std::string& db);
// The commands that `shardscope --help` lists.
std::set<std::string> listed_commands();
// These, and in the place of one that has commands of its own those: "hlo parse".
std::set<std::string> listed_subcommands();
// Of `listed`, what `words` begin with.
std::string command_of(const Words& words, const std::set<std::string>& listed);

}  // namespace shardscope

// SPDX-License-Identifier: Apache-2.0
// Files that are written without waiting for the disk, and what a loss of power leaves of them. A process
// that is killed leaves what SQLite's journal takes back; a machine that stops leaves any mixture of what was
// written. So such a file says from before the first of these writes until behind the last that it is one, in
// its header (https://www.sqlite.org/fileformat.html): in place of its version, which is positive, stands a
// negative number of the time since the machine was started. Whoever finds the number of another start, and
// no log, has a file that nothing can be believed of.
#pragma once

#include <cstdint>
#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// Of the time since the machine was started; empty where the kernel does not say.
std::string boot_id();

// Whether a file's version says that it is written so.
inline bool is_unsynced(int64_t version) {
  return version < 0;
}

// Commits of `db`, which has a journal, no longer wait for the disk; the file says so before. Error: they
// wait as before.
Result<void> stop_syncing(const Database& db);
// They wait again, and the disk has all of the file, which says `version` from then on. Error: it says what
// it said; those that are to come wait.
Result<void> sync_again(const Database& db, int64_t version);

// Whether a loss of power may have damaged the file, which is of the program that `application` is the id of.
// To be asked before anything is read from it.
bool lost_with_power(const Database& db, int64_t application);
// Makes such a file an empty one; no other process does at the same time. Error: somebody holds the file for
// longer than one waits for.
Result<void> empty_lost(const Database& db, int64_t application);

}  // namespace shardscope::inline trace

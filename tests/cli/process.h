// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace shardscope {

struct ProcessOutcome {
  int exit_code = -1;  // 128 + signal when killed
  std::string out, err;
};

// Runs the built program with `arguments`, waits for it. `environment` is laid over ours ("NAME=value").
ProcessOutcome run_program(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment = {});

// Any program by its words; `meanwhile` runs beside it.
ProcessOutcome run_words(const std::vector<std::string>& words,
                         const std::vector<std::string>& environment = {},
                         const std::function<void(int process)>& meanwhile = {});

// The same with a reader of its output that closes its end after the first bytes, as `head` does. SIGPIPE is
// ignored from the start, as under nohup.
ProcessOutcome run_into_closed_pipe(const std::vector<std::string>& arguments);

// Starts it without waiting; its output goes nowhere.
int start_program(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {});
int wait_for(int process);  // exit code, 128 + signal when killed
// The same of one that has `seconds` to end; one that has not is killed: none.
std::optional<int> wait_for(int process, int seconds);

// An empty folder that goes away with the object.
std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace shardscope

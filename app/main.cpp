// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

int main(int argc, char** argv) {
  const auto outcome = shardscope::run_cli(argc, argv);
  if (const int* code = std::get_if<int>(&outcome)) return *code;
  return shardscope::run_window(argc, argv, std::get<shardscope::WindowOptions>(outcome));
}

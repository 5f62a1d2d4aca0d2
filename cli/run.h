// The program behind its executable: one command line.
#pragma once

namespace eqm::cli {

// Parses the arguments and runs the verb; answers the exit code. Throws what stops it.
int run(int argc, char** argv);

}  // namespace eqm::cli

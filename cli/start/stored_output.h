// What the program prints for requests that need no computation (help, version, lists, completions,
// the manual page) is stored in a file when the program is built, and printed from there: LibTorch
// takes a third of a second to load.
//
// The file is a sequence of records: a line `<bytes> <words of the request>`, then that many bytes
// of output.
#pragma once

#include <string>

namespace eqm::cli {

inline constexpr const char* kStoredOutputFile = "eqm-stored-output";

// Prints the stored output for these arguments to standard output. False if there is none or not
// all of it could be written; the program then does it itself, with its own words about what fails.
bool print_stored_output(const std::string& file, int argc, char** argv);

}  // namespace eqm::cli

// Runs the program under test as a process of its own and keeps what it said. Arguments reach it
// unchanged: there is no shell. A run past its time limit is killed and fails the test.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace eqm::test {

struct ProgramResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string output;  // stdout
  std::string errors;  // stderr

  std::vector<std::string> error_lines() const;
};

// Where the program's stdout goes.
enum class Output {
  kept,         // into ProgramResult
  full_disk,    // /dev/full
  broken_pipe,  // a pipe that nobody reads
  closed,       // it starts without one
};

struct RunSettings {
  std::filesystem::path folder;  // working folder
  Output output = Output::kept;
  std::vector<std::string> environment = {};  // "NAME=value", beside the environment of the tests
  std::chrono::seconds limit{60};
  std::filesystem::path program = {};  // empty: program_path()
};

// A program that has been started. Ends it when destroyed.
class RunningProgram {
 public:
  RunningProgram(const std::vector<std::string>& arguments, const RunSettings& settings);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  bool has_ended();
  void send(int signal);
  // Waits until stderr holds this; false when the program ended, or its time was up, before.
  bool wait_for(const std::string& part);
  ProgramResult wait();

 private:
  using Clock = std::chrono::steady_clock;

  bool reap();

  RunSettings settings_;
  std::filesystem::path record_;  // folder for stdout and stderr: files cannot fill up like pipes
  Clock::time_point start_;
  pid_t process_ = -1;
  int status_ = 0;
};

// EQM_PROGRAM from the environment, else the one built beside the tests.
std::string program_path();

ProgramResult run_program(const std::vector<std::string>& arguments, const RunSettings& settings);

bool contains(const std::string& text, const std::string& part);

}  // namespace eqm::test

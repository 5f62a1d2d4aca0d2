#include "tests/cli/run_program.h"

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/content_of.h"

#ifndef EQM_PROGRAM_PATH
#define EQM_PROGRAM_PATH "build/eqm"
#endif

namespace eqm::test {
namespace {

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "eqm-run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return name;
}

// As exec wants its lists; valid as long as `words` is.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

constexpr int kCouldNotStart = 126;

// In the child: only calls that are safe between fork and exec.
void redirect(int stream, const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT, 0600);
  if (file < 0 || ::dup2(file, stream) < 0) ::_exit(kCouldNotStart);
  if (file != stream) ::close(file);
}

void redirect_output(Output output, const char* path) {
  int ends[2];
  switch (output) {
    case Output::kept:
      return redirect(STDOUT_FILENO, path);
    case Output::full_disk:
      return redirect(STDOUT_FILENO, "/dev/full");
    case Output::broken_pipe:
      if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(kCouldNotStart);
      ::close(ends[0]);
      ::close(ends[1]);
      return;
    case Output::closed:
      ::close(STDOUT_FILENO);
  }
}

}  // namespace

std::vector<std::string> ProgramResult::error_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(errors);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string program_path() {
  const char* path = std::getenv("EQM_PROGRAM");
  return std::filesystem::absolute(path ? path : EQM_PROGRAM_PATH).string();
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const RunSettings& settings)
    : settings_(settings), record_(new_folder()), start_(Clock::now()) {
  const std::string program = settings.program.empty() ? program_path() : settings.program.string();
  const std::string output = (record_ / "output").string();
  const std::string errors = (record_ / "errors").string();
  std::vector<std::string> words = {"eqm"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = pointers_to(words);
  std::vector<std::string> variables = settings.environment;  // the first of a name counts
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  const std::vector<char*> environment = pointers_to(variables);

  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ > 0) return;
  redirect(STDERR_FILENO, errors.c_str());
  redirect_output(settings.output, output.c_str());
  if (!settings.folder.empty() && ::chdir(settings.folder.c_str()) != 0) ::_exit(kCouldNotStart);
  ::execve(program.c_str(), pointers.data(), environment.data());
  ::_exit(kCouldNotStart);
}

RunningProgram::~RunningProgram() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, &status_, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(record_, ignored);
}

bool RunningProgram::reap() {
  if (process_ < 0) return true;
  if (::waitpid(process_, &status_, WNOHANG) != process_) return false;
  process_ = -1;
  return true;
}

bool RunningProgram::has_ended() {
  return reap();
}

void RunningProgram::send(int signal) {
  if (!reap()) ::kill(process_, signal);
}

bool RunningProgram::wait_for(const std::string& part) {
  const std::filesystem::path errors = record_ / "errors";
  const auto said = [&] {
    std::error_code ignored;  // it may not have begun
    return std::filesystem::exists(errors, ignored) && contains(content_of(errors), part);
  };
  while (!said()) {
    if (reap() || Clock::now() - start_ > settings_.limit) return said();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

ProgramResult RunningProgram::wait() {
  while (!reap()) {
    if (Clock::now() - start_ > settings_.limit) {
      ADD_FAILURE() << "the program did not end within " << settings_.limit.count() << " s";
      ::kill(process_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ProgramResult result;
  if (WIFEXITED(status_)) result.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result.signal = WTERMSIG(status_);
  if (settings_.output == Output::kept) result.output = content_of(record_ / "output");
  result.errors = content_of(record_ / "errors");
  EXPECT_NE(result.exit_code, kCouldNotStart) << "could not start " << program_path();
  return result;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const RunSettings& settings) {
  return RunningProgram(arguments, settings).wait();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace eqm::test

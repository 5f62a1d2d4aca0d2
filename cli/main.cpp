// The program: picks the verb, reads its options, and turns errors into one line, a hint and an
// exit code.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/flags.h"
#include "cli/help_format.h"
#include "cli/interrupt.h"
#include "cli/outline.h"
#include "cli/run.h"
#include "cli/terminal_host.h"
#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/option_keys.h"
#include "eqm/base/version.h"
#include "eqm/kernel/dispatch.h"
#include "eqm/tensor/blas_kernels.h"
#include "eqm/tensor/process.h"

namespace eqm::cli {
namespace {

struct Command {
  std::unique_ptr<Verb> verb;
  OptionSet options;
  std::unique_ptr<Flags> flags;
  CLI::App* app = nullptr;
};

int report(const Error& error) {
  std::cerr << "eqm: " << render_keys(error.what(), as_flag) << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << render_keys(error.hint(), as_flag) << '\n';
  return exit_code(error.kind());
}

// Writing to a closed stream must not kill the program in the middle of its work, and not end up in
// a file that was opened later and got the stream's number.
void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of write(), not a death
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (::open("/dev/null", O_RDONLY) < 0) std::abort();
  }
}

bool has_lost_its_reader(int stream) {
  pollfd question = {.fd = stream, .events = POLLOUT, .revents = 0};
  return ::poll(&question, 1, 0) > 0 && (question.revents & (POLLERR | POLLHUP)) != 0;
}

// A pipe whose reader has seen enough (`eqm --help | head`) ends the program as it ends others:
// without a word, by SIGPIPE, but after its work.
void finish_output() {
  if (std::cout.flush()) return;
  if (has_lost_its_reader(STDOUT_FILENO)) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw Error(ErrorKind::io, "cannot write to standard output",
              "is the disk full, or the stream closed?");
}

std::vector<Command> all_commands(CLI::App& app) {
  std::vector<Command> commands;
  std::vector<std::unique_ptr<Verb>> verbs = all_verbs();
  commands.reserve(verbs.size());  // Flags refer to their command's options
  for (auto& verb : verbs) {
    Command& command = commands.emplace_back();
    command.verb = std::move(verb);
    command.app = app.add_subcommand(command.verb->name(), command.verb->summary());
    command.app->footer(command.verb->advice());
    command.verb->declare(command.options);
    command.flags = std::make_unique<Flags>(*command.app, *command.verb, command.options);
  }
  return commands;
}

[[noreturn]] void refuse_verb(const std::string& word, const std::vector<std::string>& names) {
  throw Error(ErrorKind::usage, fmt::format("unknown verb '{}'", word), suggestion(word, names));
}

void refuse_extras(const CLI::App& app, const std::vector<Command>& commands) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return;
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.verb->name());
  const std::string& word = words.front();
  if (!word.starts_with("-")) refuse_verb(word, names);
  const std::vector<std::string> flags = {"--help", "--version", "--quiet", "--verbose"};
  const std::string close = nearest(word, flags);
  throw Error(ErrorKind::usage, fmt::format("unknown option {}", word),
              close.empty() ? fmt::format("name a verb first, one of: {}", fmt::join(names, ", "))
                            : fmt::format("did you mean {}?", close));
}

// Before anything is parsed: --help behind a wrong verb would show that of the program.
void refuse_help_for_nothing(const std::vector<std::string>& words,
                             const std::vector<Command>& commands) {
  if (words.size() < 2 || words[0].starts_with("-") || words[1] != "--help") return;
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.verb->name());
  if (std::find(names.begin(), names.end(), words[0]) != names.end()) return;
  refuse_verb(words[0], names);
}

// `eqm help` and `eqm help train` are what people try first.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// How many threads the options ask for; 0 where they do not.
int64_t threads_in(const OptionSet& options) {
  const Option* threads = options.find("threads");
  return threads ? std::get<int64_t>(threads->get()) : 0;
}

// The hint that leads on: the help of the verb that the words name, or of the program.
std::string help_for(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  for (const std::string& word : words) {
    for (const Command& command : commands) {
      if (command.verb->name() == word) return fmt::format("see `eqm {} --help`", word);
    }
  }
  return "see `eqm --help`";
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app(
      "eqm: Equilibrium Matching. Learns one gradient landscape and samples by descending it.");
  app.name("eqm");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", version());
  app.allow_extras();            // judged below, with suggestions
  app.require_subcommand(0, 1);  // a second verb is refused as an extra word
  bool quiet = false, verbose = false;
  app.add_flag("--quiet", quiet, "no progress, warnings only");
  app.add_flag("--verbose", verbose, "say more");
  app.footer("Begin with `eqm landscape`; each verb explains itself with --help.");
  std::vector<Command> commands = all_commands(app);
  for (Command& command : commands) command.app->fallthrough();

  const std::vector<std::string> words = words_of(argc, argv);
  const std::string see = help_for(words, commands);
  check_words(words, see);
  refuse_help_for_nothing(words, commands);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
  } catch (const CLI::Success& success) {                               // --help, --version
    const int code = app.exit(success);
    finish_output();
    return code;
  } catch (const CLI::ParseError& error) {
    refuse_words(error, words, see);
  }
  // Unknown options first: their values may have been taken for other words.
  for (const Command& command : commands) {
    if (command.app->parsed()) command.flags->check(*command.app);
  }
  check_repeats(app, see);
  for (const Command& command : commands) check_repeats(*command.app, see);

  TerminalHost host(quiet     ? Verbosity::quiet
                    : verbose ? Verbosity::verbose
                              : Verbosity::normal,
                    quiet ? ProgressStyle::none : progress_style_for(STDERR_FILENO));
  kernel::dispatch_process(kernel::dispatch_from_environment());
  for (Command& command : commands) {
    if (!command.app->parsed()) continue;
    command.flags->apply(*command.app);
    prepare_process(threads_in(command.options));
    const int code = command.verb->run(command.options, host);
    finish_output();
    return code;
  }
  refuse_extras(app, commands);
  std::cout << app.help();
  finish_output();
  return 0;
}

}  // namespace eqm::cli

// Called by cli/start/main.cpp.
extern "C" int eqm_run(int argc, char** argv) {
  eqm::restart_with_fitting_blas_kernels(argv);
  using eqm::Error;
  using eqm::ErrorKind;
  eqm::cli::guard_standard_streams();
  eqm::cli::leave_on_interrupts();
  try {
    return eqm::cli::run(argc, argv);
  } catch (const Error& error) {
    return eqm::cli::report(error);
  } catch (const std::bad_alloc&) {
    return eqm::cli::report(Error(ErrorKind::usage, "not enough memory for this request",
                                  "lower the counts or sizes asked for"));
  } catch (const std::system_error& error) {
    return eqm::cli::report(Error(ErrorKind::io, std::string("the system refused: ") + error.what(),
                                  "are there enough threads, files and memory left?"));
  } catch (const std::exception& error) {
    const std::string text = error.what();
    if (text.find("DefaultCPUAllocator") != std::string::npos ||
        text.find("out of memory") != std::string::npos) {
      return eqm::cli::report(Error(ErrorKind::usage, "not enough memory for this request",
                                    "lower the counts or sizes asked for"));
    }
    return eqm::cli::report(
        Error(ErrorKind::internal, "internal error: " + text.substr(0, text.find('\n')),
              "this is a mistake of eqm; please report it with the command you ran"));
  }
}

// The program: picks the verb, reads its options, and turns errors into one line, a hint and an
// exit code.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/embedded_text.h"
#include "cli/flags.h"
#include "cli/help_format.h"
#include "cli/interrupt.h"
#include "cli/option_text.h"
#include "cli/run.h"
#include "cli/terminal_host.h"
#include "cli/verb.h"
#include "eqm/base/any_error.h"
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
  for (auto& verb : all_verbs()) {
    CLI::App* verb_app = app.add_subcommand(verb->name(), verb->use().summary);
    verb_app->footer(advice_of(verb->name()));
    verb_app->fallthrough();
    auto flags = std::make_unique<Flags>(*verb_app, *verb);
    commands.push_back({std::move(verb), std::move(flags), verb_app});
  }
  return commands;
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.verb->name());
  return names;
}

[[noreturn]] void refuse_verb(const std::string& word, const std::vector<std::string>& names) {
  throw Error(ErrorKind::usage, fmt::format("unknown verb '{}'", word), suggestion(word, names));
}

void refuse_extras(const CLI::App& app, const std::vector<Command>& commands) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return;
  const std::vector<std::string> names = names_of(commands);
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
  const std::vector<std::string> names = names_of(commands);
  if (std::ranges::find(names, words[0]) == names.end()) refuse_verb(words[0], names);
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
  const std::vector<std::string> names = names_of(commands);
  const auto verb = std::ranges::find_first_of(words, names);
  return verb == words.end() ? "see `eqm --help`" : fmt::format("see `eqm {} --help`", *verb);
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
  const auto given =
      std::ranges::find_if(commands, [](const Command& command) { return command.app->parsed(); });
  if (given == commands.end()) {
    check_repeats(app, see);
    refuse_extras(app, commands);
    std::cout << app.help();
    finish_output();
    return 0;
  }
  given->flags->check();  // first: values of unknown options may have been taken for other words
  check_repeats(app, see);
  check_repeats(*given->app, see);
  TerminalHost host(quiet     ? Verbosity::quiet
                    : verbose ? Verbosity::verbose
                              : Verbosity::normal,
                    quiet ? ProgressStyle::none : progress_style_for(STDERR_FILENO));
  kernel::dispatch_process(kernel::dispatch_from_environment());
  given->flags->apply();
  prepare_process(threads_in(given->verb->options()));
  const bool stopped = given->verb->run(host);
  finish_output();
  return stopped ? exit_code_of(interrupt_requested()) : 0;
}

}  // namespace eqm::cli

// Called by cli/start/main.cpp.
extern "C" int eqm_run(int argc, char** argv) {
  eqm::restart_with_fitting_blas_kernels(argv);
  eqm::cli::guard_standard_streams();
  eqm::cli::leave_on_interrupts();
  try {
    return eqm::cli::run(argc, argv);
  } catch (const std::exception& exception) {
    return eqm::cli::report(eqm::error_from(exception));
  }
}

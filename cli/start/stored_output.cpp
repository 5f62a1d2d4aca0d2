#include "cli/start/stored_output.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace eqm::cli {
namespace {

// Empty where it cannot be read.
std::string content_of(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[65536];
  for (ssize_t got = 0; (got = ::read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  ::close(file);
  return text;
}

// The record whose words are `request`; null data where there is none.
std::string_view find_record(std::string_view records, std::string_view request) {
  while (!records.empty()) {
    const size_t line = records.find('\n'), space = records.find(' ');
    if (line == std::string_view::npos || space > line) return {};
    const size_t size = std::strtoull(records.data(), nullptr, 10);
    const std::string_view words = records.substr(space + 1, line - space - 1);
    records.remove_prefix(line + 1);
    if (size > records.size()) return {};
    if (words == request) return records.substr(0, size);
    records.remove_prefix(size);
  }
  return {};
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

}  // namespace

bool print_stored_output(const std::string& file, int argc, char** argv) {
  constexpr int kMostWords = 2;
  if (argc > 1 + kMostWords) return false;
  std::string request;
  for (int i = 1; i < argc; ++i) {
    if (std::strpbrk(argv[i], " \n") != nullptr) return false;
    request += (i > 1 ? " " : "") + std::string(argv[i]);
  }
  const std::string records = content_of(file);
  const std::string_view output = find_record(records, request);
  return !output.empty() && write_all(output);
}

}  // namespace eqm::cli

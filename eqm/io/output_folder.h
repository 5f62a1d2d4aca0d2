// A folder for results. It is made with its parents at once, so that a bad place is refused before
// any work; whatever of that is still empty in the end is removed again, so that a run which was
// refused or stopped before its first result leaves nothing. Folders that were there stay.
#pragma once

#include <filesystem>
#include <vector>

#include "eqm/io/live_temporaries.h"

namespace eqm {

class OutputFolder {
 public:
  // Every failure is an Error of kind io; an empty path is one of kind usage.
  explicit OutputFolder(const std::filesystem::path& path);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

 private:
  void remove_empty() const noexcept;

  std::vector<std::filesystem::path> made_;  // innermost first
  std::vector<LiveTemporary> listed_;        // the same, for signals
};

}  // namespace eqm

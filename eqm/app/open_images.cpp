#include "eqm/app/open_images.h"

#include <filesystem>
#include <system_error>

#include "eqm/data/missing_part.h"
#include "eqm/io/text.h"

namespace eqm::app {

ColourNotice colour_warning(const std::string& what, const std::string& whose,
                            std::shared_ptr<Logger> log) {
  return [=](ColourChange change) {
    if (change == ColourChange::dropped) {
      log->warn("{} is in colour, and {} are grey: its colours are dropped", in_quotes(what),
                whose);
    } else {
      log->warn("{} is grey, and {} are in colour: its three channels will be equal",
                in_quotes(what), whose);
    }
  };
}

SourcePtr open_images(const std::string& what, const SourceOptions& options) {
  try {
    return open_source(what, options);
  } catch (const Error& error) {
    std::error_code ignored;
    const bool is_there = std::filesystem::exists(what, ignored);
    if (error.kind() != ErrorKind::usage || !is_there) throw;
    throw Error(ErrorKind::input, error.what(), "give a set of images");
  }
}

SourcePtr open_unseen(const std::string& what, SourceOptions options) {
  options.split = Split::test;
  try {
    return open_images(what, options);
  } catch (const MissingPart&) {
    options.split = Split::train;
    return open_images(what, options);
  }
}

}  // namespace eqm::app

#include "eqm/io/output_folder.h"

#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"

namespace eqm {

OutputFolder::OutputFolder(const std::filesystem::path& path) {
  std::error_code ignored;  // what cannot be asked about, create_folder() will refuse
  for (std::filesystem::path part = path;
       !part.empty() && !std::filesystem::exists(part, ignored) && !ignored;
       part = part.parent_path()) {
    made_.push_back(part);
    listed_.emplace_back(part);
  }
  try {
    create_folder(path);
  } catch (const Error&) {
    remove_empty();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  remove_empty();
}

// The system itself refuses to remove a folder that holds anything.
void OutputFolder::remove_empty() const noexcept {
  for (const std::filesystem::path& folder : made_) ::rmdir(folder.c_str());
}

}  // namespace eqm

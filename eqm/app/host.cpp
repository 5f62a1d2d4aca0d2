#include "eqm/app/host.h"

#include <fmt/ranges.h>

namespace eqm::app {

void announce(Host& host, const std::filesystem::path& folder,
              const std::vector<std::string>& names) {
  for (const std::string& name : names) host.wrote(folder / name);
  host.log()->info("wrote {} to {}", fmt::join(names, ", "), folder.string());
}

}  // namespace eqm::app

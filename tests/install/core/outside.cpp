#include <array>
#include <iostream>
#include <string>

#include "eqm/base/nearest.h"

int main() {
  const std::array<std::string, 2> names = {"eta", "mu"};
  std::cout << eqm::suggestion("etta", names) << '\n';
}

// What outside programs include compiles by itself.
#include "eqm/eqm.h"

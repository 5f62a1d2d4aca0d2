// A report about the neighbours that were found.
#pragma once

#include <string>
#include <vector>

#include "eqm/app/neighbour_figure.h"
#include "eqm/data/source.h"
#include "eqm/io/csv_records.h"
#include "eqm/measure/neighbours.h"

namespace eqm::app {

struct Findings {
  SourcePtr pictures;                           // what was asked about
  SourcePtr data;                               // what was searched
  std::vector<std::vector<Neighbour>> nearest;  // of each picture, at least one
};

// A record per picture and neighbour, and the names of its cells.
CsvRecord neighbour_header();
std::vector<CsvRecord> neighbour_records(const Findings& findings);

// A line per picture with its nearest image, and the mean of their distances.
std::string neighbour_table(const Findings& findings);

// The first pictures with all their neighbours, for the figure.
std::vector<NeighbourRow> neighbour_rows(const Findings& findings, size_t most);

}  // namespace eqm::app

// What samples are compared by and with: a network whose features are taken, and pictures or
// statistics of pictures. The same options for every verb that measures quality.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eqm/app/host.h"
#include "eqm/codec/codec.h"
#include "eqm/data/image_source.h"
#include "eqm/data/split.h"
#include "eqm/landscape/model.h"
#include "eqm/measure/inception_input.h"
#include "eqm/measure/statistics_file.h"

namespace eqm::app {

struct ComparisonOptions {
  std::string features = "fashion-classifier";
  InceptionConvention convention = InceptionConvention::adm;
  std::string reference = "fashion-mnist";
  int64_t reference_count = 10000;
  int64_t size = 0;

  void declare(OptionSet& options);
  void declare_with_size(OptionSet& options);
};

// A classifier of eqm (a file, a run folder, a checkpoint or a name), or the weights of Inception.
FeatureNetPtr load_features(const ComparisonOptions& options, const torch::TensorOptions& type);

// Pictures of a set as the network wants them, at most so many, chosen by chance but always the
// same, in their order. Inception takes grey ones in three equal channels, as everywhere; of that
// there is no notice.
SourcePtr pictures_for(const FeatureNet& network, const ComparisonOptions& options,
                       const std::string& set, Split split, int64_t count,
                       const ColourNotice& notice = {});

struct ReferenceData {
  SourcePtr pictures;                           // null where only statistics are known
  std::optional<FeatureStatistics> statistics;  // of a file; they stand for those of the pictures
};

// A data set, a folder, a tar, an .npz of pictures or of statistics. Kind input for statistics of
// another network.
ReferenceData open_reference(const FeatureNet& network, const ComparisonOptions& options,
                             Host& host);

// `count` pictures of the reference's test part; null when it has none, as a file of statistics.
SourcePtr unseen_pictures(const FeatureNet& network, const ComparisonOptions& options,
                          int64_t count);

// When there are so few pictures that the covariance of their features is singular.
void warn_of_few(const std::string& what, int64_t pictures, int64_t features, Host& host);

// Kind input when the network cannot look at what the model makes.
void require_fitting(const FeatureNet& network, const Model& model, const Codec& codec);

}  // namespace eqm::app

// The public face of the library: include this one. It and the headers that it includes, directly
// or not, are what is installed and what stays; all others are internal (scripts/public_headers.sh
// lists the public ones).
//
// Everything throws eqm::Error (kind, sentence, hint) and nothing prints: progress, log and the
// wish to stop are handed in. Sentences name options by key, as {eta}; render_keys() turns that
// into your own words.
#pragma once

// What everything speaks with.
#include "eqm/base/any_error.h"
#include "eqm/base/error.h"
#include "eqm/base/log.h"
#include "eqm/base/nearest.h"
#include "eqm/base/option_keys.h"
#include "eqm/base/options.h"
#include "eqm/base/progress.h"

// Device, threads, precision; what a program that owns its process may settle.
#include "eqm/tensor/blas_kernels.h"
#include "eqm/tensor/process.h"
#include "eqm/tensor/runtime.h"
#include "eqm/tensor/torch.h"

// Data: sources by path or name.
#include "eqm/data/open_source.h"
#include "eqm/data/source.h"

// Models: files, objectives, gradient fields and sums of them.
#include "eqm/landscape/composed_field.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/ideal_field.h"
#include "eqm/landscape/model.h"
#include "eqm/landscape/objective.h"
#include "eqm/landscape/terms.h"

// Descent: the engine, rules and integrators, sampling, denoising, scores.
#include "eqm/descend/denoise.h"
#include "eqm/descend/energy_path.h"
#include "eqm/descend/engine.h"
#include "eqm/descend/held.h"
#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/likelihood.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "eqm/descend/score.h"

// Training runs.
#include "eqm/train/options.h"
#include "eqm/train/run.h"

// Pictures of states, and files of them.
#include "eqm/codec/codec.h"
#include "eqm/codec/pictures.h"
#include "eqm/io/png.h"

// Quality of samples.
#include "eqm/measure/frechet.h"
#include "eqm/measure/neighbours.h"

// The uses, as the program has them: options declared once, and run(options, host). Link eqm::app.
#include "eqm/app/denoise.h"
#include "eqm/app/encode.h"
#include "eqm/app/evaluate.h"
#include "eqm/app/export.h"
#include "eqm/app/host.h"
#include "eqm/app/import.h"
#include "eqm/app/info.h"
#include "eqm/app/inpaint.h"
#include "eqm/app/interpolate.h"
#include "eqm/app/landscape.h"
#include "eqm/app/likelihood.h"
#include "eqm/app/neighbours.h"
#include "eqm/app/reproduce.h"
#include "eqm/app/sample.h"
#include "eqm/app/score.h"
#include "eqm/app/sweep.h"
#include "eqm/app/train.h"
#include "eqm/app/uses.h"

// Safetensors files: eight bytes of header length, a JSON header naming every tensor, then the
// tensors' bytes. Format: https://huggingface.co/docs/safetensors. Reading is strict and copies
// nothing; writing is atomic.
#pragma once

#include "eqm/io/safetensors_reader.h"
#include "eqm/io/safetensors_writer.h"

#pragma once

#include "gguf_model.hpp"

namespace axelram::checkpoints {

/// The config.json of a GGUF model's Hugging Face directory, with all that transformers needs to
/// load it. Sizes are written even if the GGUF file leaves them out, since defaults differ. Throws
/// files::InputError for what a directory cannot express, and for ids beyond the vocabulary.
nlohmann::json folder_config(const GgufModel& model);

}  // namespace axelram::checkpoints

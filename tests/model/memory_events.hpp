#pragma once

#include "axelram/transformer/kv_cache.hpp"
#include "text.hpp"

FIELDS(axelram::transformer::MemoryEvents, stored_bits, injected, words, corrected, parity_only,
       detected, miscorrected);

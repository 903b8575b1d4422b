#pragma once

#include "axelram/binary_scale.hpp"
#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/key_store.hpp"
#include "axelram/kivi.hpp"
#include "axelram/memory.hpp"
#include "axelram/parameters.hpp"
#include "axelram/similarity.hpp"
#include "axelram/tier_bytes.hpp"
#include "axelram/tiers.hpp"
#include "text.hpp"

/// Fields of golden's structs, for messages.
FIELDS(axelram::BinaryScale, significand, exponent);
FIELDS(axelram::DecodeCounts, clean, corrected, parity_only, detected);
FIELDS(axelram::HeadRotation, signs, residual_signs, high_channels, balance);
FIELDS(axelram::KeyStoreEvents, corrected, parity_only, detected, scrubbed, first_error);
FIELDS(axelram::KiviLayout, bits, groups, size, next_element, next_group, step);
FIELDS(axelram::MemoryEvent, evicted, oldest, against, leaver, summary, written);
FIELDS(axelram::MemoryState, tokens, labels, gates, positions, stamps, merged, key_records,
       value_records, masters, keys, values, wide_keys, wide_values);
FIELDS(axelram::Nearest, slot, acc, root);
FIELDS(axelram::Parameters, head_dim, index_bits, significand_bits, boundary_fraction_bits,
       query_bits, centroid_bits, element_format, codebook, kind, scale, states, split_high,
       split_low, centered, balanced, exact_first, exact_last, exact_bits);
FIELDS(axelram::StoreBytes, fp16, warm, archive);
FIELDS(axelram::TierBounds, warm_end, archive_end);
FIELDS(axelram::TierBytes, rows, codes, scales, minima, outliers);
FIELDS(axelram::TierStore, format, bits);
FIELDS(axelram::Word, data, check);

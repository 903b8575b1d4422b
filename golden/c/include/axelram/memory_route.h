#ifndef AXELRAM_MEMORY_ROUTE_H
#define AXELRAM_MEMORY_ROUTE_H

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): programs in C read this
#include <stdint.h>  // NOLINT(modernize-deprecated-headers)

#if defined(__GNUC__)
#define AXELRAM_EXPORT __attribute__((visibility("default")))
#else
#define AXELRAM_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a memory of constant size and of the records that decide in it
   (bit-contract.md#memory-parameters, bit-contract.md#parameters). */
struct axelram_memory_route_options {
  int32_t head_dim;               /* d: 32, 64, 128, 256 */
  int32_t index_bits;             /* b: 2, 3, 4 */
  int32_t significand_bits;       /* 12..20; default 16 */
  int32_t boundary_fraction_bits; /* 10..16; default 13 */
  int32_t centroid_bits;          /* 6..8; default 8 */
  int32_t beta_codebook;          /* 0: gaussian; 1: beta */
  int32_t window;                 /* W: 1..65536 */
  int32_t exact;                  /* M_e: 0..65536 */
  int32_t summary;                /* M_s: 0..65536 */
  int32_t sinks;                  /* 0..M_e */
  int32_t evict_by_gate;          /* 0: lru; 1: gate */
  int32_t rows;                   /* 0: records; 1: FP16 rows; 2: FP32 rows */
  double novel;                   /* 0..2 */
  double match;                   /* novel..2; NaN: the default */
  double gate_exact;              /* 0..1 */
  double gate_summary;            /* 0..1 */
  double blend;                   /* 0..1; code / 255 gives this code */
};

/* Decisions of a memory on a whole sequence of one KV head, the very ones of inference: a trainer
   masks with them (bit-contract.md#memory-order).
   signs: d of +1 or -1. values: FP32 [tokens, d], rounded to FP16 here. gates: FP32 [tokens],
   logits. events: I32 [tokens, 6] (bit-contract.md#memory-events). labels: U8 [tokens, S],
   positions: I32 [tokens, S], S = W + M_e + M_s: the slots that queries of each token meet
   (bit-contract.md#memory-attend). Each output may be null.
   Returns 0, or 1 with one line of at most error_bytes - 1 bytes in `error`: an option out of
   range, or the token whose value or gate is not finite. Outputs of tokens before it are written.
   Threads may call it at the same time. */
AXELRAM_EXPORT int axelram_memory_route(const struct axelram_memory_route_options* options,
                                        const int8_t* signs, const float* values,
                                        const float* gates, int64_t tokens, int32_t* events,
                                        uint8_t* labels, int32_t* positions, char* error,
                                        size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif

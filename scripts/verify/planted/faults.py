"""Faults that scripts/verify/planted_faults plants."""
import typing

MEMORY = "golden/memory/"
STEPS = MEMORY + "include/axelram/memory_steps.hpp"
BLEND = "golden/rows/blend/ref.cpp"
SIMILARITY = "golden/rows/include/axelram/similarity.hpp"


class Fault(typing.NamedTuple):
    name: str
    case: str     # the test case that must fail, by its exact name
    edits: tuple  # of (file, text, the text in its place)
    test: str = "test_golden"  # executable, or a script of Python
    area: str = "memory"
    says: tuple = ()  # what the message must have: the case, the place, both values


OF_MEMORY = (
    Fault("tie taken high", "of equally near slots the lowest is nearest", (
        (SIMILARITY, "acc_p} * root_q > std", "acc_p} * root_q >= std"),)),
    Fault("victim by slot alone", "the victim has the least gate, then the least stamp, then the lowest slot", (
        (MEMORY + "memory/ref.cpp", "std::pair(by_gate ? state_.gates[slot] : 0, state_.stamps[slot])",
         "std::pair(by_gate ? 0 : 0, slot)"),
        (MEMORY + "memory/fast.cpp", "gate << 48 | stamp << 16 | static", "0 * gate + 0 * stamp + static"))),
    Fault("stamp not refreshed", "with lru gates do not keep anything, and a hit refreshes the stamp", (
        (STEPS, "    stamp(n.slot) = position(e);\n", ""),)),
    Fault("leaver lost", "a displaced token is summarised, not lost", (
        (STEPS, "if (leaver >= 0) summarise(leaver);",
         "if (leaver >= 0) {\n      event_.leaver = Leaver::dropped;\n      slots_.free(leaver);\n    }"),)),
    Fault("sink displaced", "a sink is neither compared nor displaced", (
        (STEPS, "slots_.relabel(e, SlotLabel::sink);", "slots_.relabel(e, SlotLabel::exact);"),)),
    Fault("hit below the threshold", "a cosine exactly on a threshold of a memory reaches it", (
        (STEPS, "close(n, rules_.match, e)", "close(n, rules_.match - 1, e)"),)),
    Fault("threshold equality missed", "a cosine that lies exactly on a threshold reaches it", (
        (SIMILARITY, ">=\n         std::int64_t{threshold}", ">\n         std::int64_t{threshold}"),)),
    Fault("a hit not summarised", "a token that hits is summarised too", (
        (STEPS, "    return end(Evicted::hit, e);",
         "    slots_.free(e);\n    event_.leaver = Leaver::dropped;\n    return end(Evicted::hit, -1);"),)),
    Fault("fused multiply-add in the blend", "a blend rounds difference, product and sum, and is never contracted", (
        (BLEND, "  const float product = eta * difference;\n  return m + product;",
         "  return std::fma(eta, difference, m);"),
        (BLEND, '#include "axelram/half.hpp"', '#include <cmath>\n#include "axelram/half.hpp"'))),
    Fault("gate of the wrong slot", "the gate of the leaver decides, not that of the token that displaced it", (
        (MEMORY + "memory_rows.cpp", "state->gates[of_y]);", "state->gates[of_s]);"),)),
    # An FP16 or FP32 row may have an element -0, and a blend may give one.
    Fault("-0 in a master", "a master keeps the sign of a zero, and of what rounds to one", (
        (BLEND, "saturated_half(double{row[i]})", "saturated_half(double{row[i]} + 0.0)"),)),
    Fault("-0 in a blended master", "a master keeps the sign of a zero, and of what rounds to one", (
        (BLEND, "double{blended(eta, row[i], m)}", "double{blended(eta, row[i], m)} + 0.0"),)),
)

ALIGN_KEY = "kernels/write/align_key.cuh"
BALANCE = "kernels/units/balance.cuh"
EVERY_FIELD = "balance: every largest exponent field, every distance of the exponents"


def kernel(name, file, old, new, case=EVERY_FIELD, test="test_kernels"):
    return Fault(name, case, ((file, old, new),), test, "kernel")


# Exponents in the kernels of keys and queries, and where these are called.
OF_BALANCE = (
    kernel("zeros without their power", ALIGN_KEY, "(of_products > 1 ? of_products : 1)", "of_products"),
    kernel("a center that E does not know", ALIGN_KEY, "kCentered && field <", "false && field <"),
    kernel("the largest power of a lane alone", ALIGN_KEY, "of_key |= shuffle_xor", "of_key |= 0 * shuffle_xor"),
    kernel("2^-15 becomes 0", BALANCE, "binade, kLeastHalf)", "binade, 0 * kLeastHalf)"),
    kernel("one sign of a pair of the center", ALIGN_KEY, "factors[j] & kSigns", "factors[j] & kSigns >> 16"),
    kernel("factors below FP16", ALIGN_KEY, "alignment.e <= -lane.spread", "alignment.e <= 0"),
    kernel("subnormal products of BF16", ALIGN_KEY, "alignment.e > -125", "alignment.e > -160"),
    kernel("elements that are not finite", ALIGN_KEY, "finite ? words[j] : 0", "words[j]",
           "balance: both kernels equal golden for every dimension, index width, format, center"),
    kernel("queries divided as keys are", BALANCE, "exponents.data + first, false}", "exponents.data + first, true}",
           "queries: rounded as golden does, for every dimension, width and format"),
    kernel("a subnormal element of a larger field", BALANCE, "(field > 1 ? field : 1) + power",
           "(field > 0 ? field + power : 1)"),
    kernel("a center times the power of the key", "kernels/common/general_row.cuh",
           "(static_cast<std::uint32_t>(other), 0)", "(static_cast<std::uint32_t>(other), power[i])"),
    kernel("exponents of another head", "kernels/write/write_feedback.cuh", "of_key(exponents, head * kDim)",
           "of_key(exponents, 0 * head)",
           "feedback: keys are golden's for every dimension, index width, trellis and rank"),
    kernel("balanced values", "engines/cuda/attention_run.cpp", "constants.balanced = constants.centered = false",
           "constants.centered = false", "cuda: the attention of every kind of macro is golden's", "test_engines"),
    kernel("exponents of another layer", "model/gpu/src/paged_records.cpp", "balance_.data() + first", "balance_.data()",
           "keys on the device are golden's records of two parts and of balance, in every layer", "test_gpu_model"),
)


# One of each area, whose message is judged.
MESSAGES = (
    Fault("a subnormal norm read at half its size", "a norm as read has no special values", (
        ("golden/numbers/half.cpp", "if (field == 0) return {fraction(norm, kHalf), -24};",
         "if (field == 0) return {fraction(norm, kHalf), -25};"),), area="numbers", says=("code = 1",)),
    Fault("a root that rounds up at a half", "the root is the nearest integer", (
        ("golden/keys/norm/ref.cpp", "(remainder > floor ? 1 : 0)", "(remainder >= floor ? 1 : 0)"),),
          area="keys", says=("s = 0", "0 > 1")),
    Fault("golay24 without its last pattern", "algebraic Golay decoding equals the table on every word", (
        ("golden/codes/golay/ref.cpp", "if (weight(sb ^ b) <= 2)", "if (weight(sb ^ b) <= 1)"),),
          area="codes", says=("received = ", "logic.word", ".data: 59 != 2619")),
    Fault("a weight of one bit too many", "references never fall, and the denominator is the sum of powers", (
        ("golden/attention/softmax.cpp", "27 - weight_bits + state", "26 - weight_bits + state"),),
          area="attention", says=("trial = 0", "t = ", "bits = ")),
    next(fault for fault in OF_MEMORY if fault.name.startswith("fused"))._replace(says=("blended",)),
    Fault("a minimum -0", "KIVI: constant groups, zeros of both signs, scales of 0", (
        ("golden/tiers/kivi/ref.cpp", "low == 0 ? std::uint16_t{0} : double_to_half(low)", "double_to_half(low)"),),
          area="tiers", says=("bits = 2, value = 32768", "first [5]", "128 != 0")),
    Fault("a sign of a butterfly of AVX2", "fast rotation equals rotate_ref, also beyond the macro's sizes", (
        ("golden/keys/hadamard/simd.cpp", "_mm256_setr_epi32(1, 1, -1, -1, 1, 1, -1, -1)",
         "_mm256_setr_epi32(1, 1, -1, -1, 1, 1, -1, 1)"),), area="SIMD twin", says=("level = avx2", "d = ", "first [")),
    Fault("tensors that may overlap", "offsets that do not cover the data once", (
        ("golden/files/tensors/safetensors_read.cpp", "if (tensor.begin != next)", "if (tensor.begin > next)"),),
          "test_files", "files", ("overlap",)),
    Fault("a power moved by the wrong distance",
          "logits, powers and weights of the units alone equal golden, whatever the scores and norms", (
              ("rtl/attention/axelram_softmax.sv", "power_back_q <= distance(maximum, ceiling_q);",
               "power_back_q <= distance(maximum, maximum_q);"),), "test_sim", "RTL", ("first t = ", "!=")),
    Fault("scales of another token", "INT4 stores hold what golden's INT4 functions make", (
        ("model/caches/baselines/int4_cache.cpp", "memory_.row(t), scales_of(t),", "memory_.row(t), scales_of(first),"),),
          "test_caches", "cache", ("mode = symmetric, group = 0", "j = 0", "t = ")),
    Fault("a row not scaled", "hadamard: rows of integers are transformed exactly and rounded once", (
        ("kernels/write/hadamard_rows.cu", "half2_of_floats(x[i] * scale, x[i + 1] * scale)",
         "half2_of_floats(x[i] * scale, x[i + 1])"),), "test_kernels", "kernel",
          ("d = 32, rows = 1, scale = 0.0625", "first [1]")),
    Fault("the last column for the name", "list prints tables, names alone, and JSON", (
        ("cli/list.cpp", "std::cout << row.front()", "std::cout << row.back()"),), "test_cli", "program", ("golden",)),
    Fault("KIVI rounds half down", "Vectors.test_kivi", (
        ("tests/independent/kivi.py", "divmod(2 * numerator + denominator,", "divmod(2 * numerator + denominator - 1,"),),
          "tests/independent/selfcheck_tiers.py", "Python", ("!=",)),
)
FAULTS = OF_MEMORY + OF_BALANCE + tuple(fault for fault in MESSAGES if fault.name not in {of.name for of in OF_MEMORY})

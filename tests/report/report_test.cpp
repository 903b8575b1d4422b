#include <cmath>
#include <map>

#include "axelram/run/gaussian_trace.hpp"
#include "support.hpp"

namespace axelram::report {
TEST_CASE("operations of a vector do not depend on the lanes, units in the hardware do") {
  const auto wide = report_of("{}");
  const auto folded = report_of("microarchitecture: {key_lanes: 2, read_lanes: 32}");
  for (const char* name : {"butterflies_per_vector", "comparisons_per_key", "squarings_per_key",
                           "additions_per_key_scored", "multiplications_per_query"})
    CHECK_AT(name, count_of(wide, name) == count_of(folded, name));
  // 6 row stages of 2 butterflies and a lane stage of 1.
  CHECK(count_of(folded, "butterflies_in_hardware") == 13);
  CHECK(count_of(folded, "comparators_in_hardware") == 14);
  CHECK(count_of(folded, "squarers_in_hardware") == 2);
  CHECK(count_of(folded, "square_root_stages_in_hardware") == 2);
  CHECK(count_of(wide, "threshold_multipliers_in_hardware") == 2 * 7);
  CHECK(count_of(wide, "threshold_adders_in_hardware") == 7);
  CHECK(count_of(wide, "index_adders_in_hardware") == 128 * 6);
  CHECK(count_of(folded, "index_adders_in_hardware") == 2 * 6);
  CHECK(count_of(wide, "exponent_comparators_in_hardware") == 128);
  CHECK(count_of(wide, "square_root_stages_in_hardware") == 19);
  CHECK(count_of(folded, "adders_in_hardware") == 31);
  CHECK(count_of(folded, "table_multipliers_in_hardware") == 8);
  // The paper draws the parallel macro; its operations hold for the folded one too.
  CHECK(!line_of(folded, "butterflies_in_hardware").paper);
  CHECK(line_of(folded, "butterflies_per_vector").paper == 448);
}

TEST_CASE("what the paper leaves out stands on lines of its own and in the reduction") {
  const auto lines = report_of("{}");
  CHECK(count_of(lines, "squarings_per_key") == 128);
  CHECK(count_of(lines, "square_roots_per_key") == 1);
  CHECK(count_of(lines, "norm_roundings_per_key") == 1);
  CHECK(count_of(lines, "threshold_multiplications_per_key") == 7);
  CHECK(count_of(lines, "multiplications_per_decoding_step") == 5120 + 135);
  CHECK(figure_of(lines, "multiplication_reduction_per_decoding_step") ==
        near(524288.0 / 5255, 1e-12));
  CHECK(figure_of(lines, "multiplication_reduction_single_query") ==
        near(524288.0 / (5120 + 4096 * 135), 1e-12));
  for (const char* name :
       {"squarings_per_key", "square_roots_per_key", "multiplication_reduction_per_decoding_step"})
    CHECK_AT(name, !line_of(lines, name).paper);
}

TEST_CASE("the paper's figures stand beside its own configuration only") {
  CHECK(line_of(report_of("{}"), "multiplication_reduction").paper == 102.4);
  for (const char* yaml : {"macro: {index_bits: 4}", "macro: {head_dim: 64}"}) {
    CASE(yaml);
    for (const Line& line : report_of(yaml)) CHECK_AT(line.name, !line.paper);
  }
  const auto shallow = report_of("macro: {max_keys: 1024}");
  CHECK(!line_of(shallow, "multiplication_reduction").paper);
  CHECK(figure_of(shallow, "multiplication_reduction") == 64);
  CHECK(line_of(shallow, "bytes_per_key").paper == 50);
}

TEST_CASE("storage follows from the RTL") {
  const auto wide = report_of("{}");
  CHECK(count_of(wide, "key_store_bits") == 4096 * 400);
  CHECK(count_of(wide, "row_delay_bits") == 24 * 128 * 23);
  CHECK(count_of(wide, "hadamard_delay_bits") == 0);
  CHECK(count_of(wide, "hadamard_pipeline_bits") == 128 * (17 + 18 + 19 + 20 + 21 + 22 + 23));
  CHECK(count_of(wide, "table_bits") == 16384);
  CHECK(count_of(wide, "score_fifo_bits") == 16 * 34);
  const auto folded = report_of("microarchitecture: {key_lanes: 32}");
  // Two row stages: 2 rows of 17 bits, 1 row of 18 bits, 32 lanes.
  CHECK(count_of(folded, "hadamard_delay_bits") == 32 * (2 * 17 + 18));
}

TEST_CASE("an unbiased norm has lines of its own, in the form that the lanes ask for") {
  const auto wide = report_of("quantizer: {scale: unbiased}");
  CHECK(count_of(wide, "correlation_multiplications_per_key") == 4);
  CHECK(count_of(wide, "correlation_multipliers_in_hardware") == 4);
  CHECK(count_of(wide, "correlation_adders_in_hardware") == 4 * 128 + 3);
  CHECK(count_of(wide, "divider_stages_in_hardware") == 13);
  CHECK(count_of(wide, "scale_latency_cycles") == 27);
  CHECK(count_of(wide, "write_path_multiplications_per_key") == 128 + 7 + 4);
  const auto narrow = report_of("quantizer: {scale: unbiased}\nmicroarchitecture: {key_lanes: 8}");
  CHECK(count_of(narrow, "correlation_multiplications_per_key") == 128);
  CHECK(count_of(narrow, "correlation_multipliers_in_hardware") == 8);
  CHECK(count_of(narrow, "correlation_adders_in_hardware") == 8);
  CHECK(count_of(narrow, "divider_stages_in_hardware") == 2);
  CHECK(count_of(narrow, "correlation_negators_in_hardware") == 8);
  const auto plain = report_of("{}");
  for (const Line& line : wide) {
    CASE(line.name);
    if (line.section == "unbiased norm")
      for (const Line& other : plain) CHECK_AT(other.name, other.name != line.name);
  }
}

TEST_CASE("a trellis has lines of its own, in place of thresholds and comparators") {
  const auto wide = report_of("quantizer: {kind: trellis, scale: unbiased}");
  CHECK(count_of(wide, "distances_per_key") == 128 * 16);
  CHECK(count_of(wide, "nearest_comparisons_per_key") == 128 * 4 * 3);
  CHECK(count_of(wide, "path_additions_per_key") == 2 * 8 * 128);
  CHECK(count_of(wide, "survivor_memory_bits") == 2 * 128 * (8 + 8));
  CHECK(count_of(wide, "reconstruction_multipliers_in_hardware") == 2 * 8);
  CHECK(count_of(wide, "reconstruction_adders_in_hardware") == 2 * 8);
  CHECK(count_of(wide, "correlation_multipliers_in_hardware") == 4);
  CHECK(count_of(wide, "divider_stages_in_hardware") == 2);
  CHECK(count_of(wide, "table_multiplications_per_query") == 128 * 16);
  CHECK(count_of(wide, "write_path_multiplications_per_key") == 128 + 8 + 4 * 128 + 4 * 128);
  CHECK(count_of(wide, "key_interval_cycles") == 132);
  CHECK(count_of(wide, "level_xors_in_hardware") == 2 * 128);
  CHECK(count_of(wide, "bytes_per_key") == 50);
  const auto distortion = [](const std::vector<Line>& lines) {
    for (const Line& line : lines)
      if (line.name == "gaussian_distortion") return std::get<double>(line.value);
    return 0.0;
  };
  CHECK(distortion(wide) < 0.026);
  CHECK(distortion(report_of("{}")) > 0.033);
  for (const Line& line : wide)
    for (const char* gone : {"comparators_in_hardware", "threshold_multipliers_in_hardware"}) {
      CASE(line.name, gone);
      CHECK(line.name != gone);
    }
  const auto folded = report_of(
      "quantizer: {kind: trellis, states: 4}\nmicroarchitecture: {key_lanes: 8, "
      "read_lanes: 16}");
  CHECK(count_of(folded, "level_xors_in_hardware") == 16);
  CHECK(count_of(folded, "key_interval_cycles") == 132);
}

TEST_CASE("exact tokens have lines of their own") {
  const auto wide = report_of("quantizer: {scale: unbiased}\nexact: {first: 1, last: 16}");
  CHECK(count_of(wide, "copies") == 17);
  CHECK(count_of(wide, "copy_multiplications_per_query") == 17 * 128);
  CHECK(count_of(wide, "copy_additions_per_query") == 17 * 127);
  CHECK(count_of(wide, "copy_rounders_in_hardware") == 128);
  CHECK(count_of(wide, "wide_multipliers_in_hardware") == 8);
  CHECK(line_of(wide, "wide_multipliers_in_hardware").note.find("8 x 16 bits in place of 8 x 8") !=
        std::string::npos);
  CHECK(count_of(wide, "copy_adders_in_hardware") == 8);
  CHECK(count_of(wide, "copy_memory_bits") == 17 * 128 * 16);
  CHECK(count_of(wide, "copy_exponent_bits") == 17 * 12);
  CHECK(count_of(wide, "copy_rounding_bits") == 128 * 16 + 12 + 2 * 23);
  CHECK(count_of(wide, "copy_shift_bits") == 64 * (3 + 5));
  CHECK(count_of(wide, "waiting_accumulator_bits") == 32 * (30 + 12));
  CHECK(count_of(wide, "copy_flag_bits") == 17 + 16);
  CHECK(count_of(wide, "wider_register_bits") == 8 * 8 + 30 - 22);

  const auto folded = report_of(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {scale: unbiased}\n"
      "exact: {first: 2, last: 3, bits: 13}\n"
      "microarchitecture: {key_lanes: 8, read_lanes: 4, "
      "table_multipliers: 64}");
  CHECK(count_of(folded, "wide_multipliers_in_hardware") == 8);
  CHECK(count_of(folded, "copy_rounders_in_hardware") == 8);
  CHECK(count_of(folded, "copy_memory_bits") == 5 * 32 * 13);
  CHECK(count_of(folded, "waiting_accumulator_bits") == 8 * (8 + 13 - 1 + 5 + 12));

  const auto plain = report_of("{}");
  for (const Line& line : wide) {
    CASE(line.name);
    if (line.section == "exact tokens") {
      const bool netlist = line.name.find("_in_netlist") != std::string::npos;
      CHECK(line.method == (netlist ? Method::not_available : Method::counted));
      CHECK(!line.paper);
      for (const Line& other : plain) CHECK_AT(other.name, other.name != line.name);
    }
  }
}

TEST_CASE("score lanes: table, memories, multipliers and multiplications") {
  const std::string lane = "microarchitecture: {score_lane: ";
  const auto half = report_of(lane + "half_table}");
  CHECK(count_of(half, "table_multiplications_per_query") == 512);
  CHECK(count_of(half, "table_memory") == 1024);
  CHECK(count_of(half, "table_bits") == 8192);
  CHECK(count_of(half, "table_multipliers_in_hardware") == 8);
  CHECK(line_of(half, "table_memories_in_hardware").note == "read_lanes, of 4 words each");
  CHECK(count_of(half, "lane_negators_in_hardware") == 128);
  CHECK(count_of(half, "lane_negations_per_key_scored") == 128);
  CHECK(count_of(half, "table_build_latency_cycles") == 64);
  CHECK(count_of(half, "full_store_build_cycles") == 64);
  CHECK(count_of(half, "multiplications_per_query") == 512 + 4096);

  const auto multiply = report_of(lane + "multiplier, read_lanes: 32}");
  for (const char* none : {"table_multiplications_per_query", "table_memory", "table_bits",
                           "table_multipliers_in_hardware", "table_memories_in_hardware"})
    CHECK_AT(none, count_of(multiply, none) == 0);
  CHECK(count_of(multiply, "lane_multipliers_in_hardware") == 32);
  CHECK(count_of(multiply, "lane_multiplications_per_key_scored") == 128);
  CHECK(count_of(multiply, "table_build_latency_cycles") == 1);
  CHECK(count_of(multiply, "multiplications_per_query") == 4096 * 129);
  CHECK(figure_of(multiply, "multiplication_reduction") == near(128.0 / 129, 1e-12));

  const auto residual = report_of("quantizer: {kind: prod}\n" + lane + "multiplier}");
  CHECK(count_of(residual, "multiplications_per_query") == 4096 * (128 + 3));
  CHECK(count_of(residual, "plain_multiplications_per_query") == 4096 * 129);
  CHECK(count_of(report_of("quantizer: {kind: trellis}\n" + lane + "half_table}"),
                 "distances_per_key") == 128 * 16);
  const auto whole = report_of("{}");
  for (const auto& [name, lines] :
       std::map<std::string, std::vector<Line>>{{"half_table", half}, {"multiplier", multiply}})
    for (const Line& line : lines) {
      CASE(name, line.name);
      CHECK(!line.paper);
      if (line.name.rfind("lane_", 0) == 0)
        for (const Line& other : whole) CHECK_AT(other.name, other.name != line.name);
    }
}

TEST_CASE("a gated write path: its clock gate, and the cycles with a clock") {
  const std::string gated = "microarchitecture: {clock_gating: write_path";
  const auto lines = report_of(gated + "}");
  CHECK(count_of(lines, "write_clock_gates_in_hardware") == 1);
  CHECK(count_of(lines, "write_enable_bits") == 1);
  // A beat, and the cycles to its record; 6 bits count them.
  CHECK(count_of(lines, "write_clock_cycles") == 1 + count_of(lines, "key_store_latency_cycles"));
  CHECK(count_of(lines, "write_clock_bits") == 6);
  const auto coded = report_of("ecc: {code: hamming84, stages: 3}\n" + gated + ", key_lanes: 4}");
  CHECK(count_of(coded, "write_clock_cycles") ==
        32 - 3 + count_of(coded, "key_store_latency_cycles"));
  for (const Line& line : report_of("{}"))
    CHECK_MESSAGE(line.name.rfind("write_clock", 0) != 0, line.name);
}

TEST_CASE("a table of latches: storage and clock gates") {
  const std::string latches = "microarchitecture: {table_storage: latches";
  const auto gates = [&](const std::string& lanes, const std::string& rest = "") {
    const auto lines = report_of(rest + latches + lanes + "}");
    CHECK(count_of(lines, "table_enable_bits") == count_of(lines, "table_clock_gates_in_hardware"));
    return count_of(lines, "table_clock_gates_in_hardware");
  };
  // 1024 entries over the entries that a step writes in a lane.
  CHECK(gates("") == 128);
  CHECK(gates(", table_multipliers: 2") == 512);
  CHECK(gates(", table_multipliers: 512") == 128);
  CHECK(gates(", read_lanes: 4, table_multipliers: 512") == 8);
  CHECK(gates(", score_lane: half_table") == 128);
  CHECK(gates(", score_lane: half_table, table_multipliers: 2") == 256);
  CHECK(gates("", "quantizer: {kind: prod}\n") == 128);

  const auto lines = report_of(latches + "}");
  CHECK(count_of(lines, "table_bits") == 16384);
  CHECK(line_of(lines, "table_bits").note == "latches: d * 2^b entries");
  CHECK(count_of(lines, "table_memories_in_hardware") == 128);
  CHECK(line_of(lines, "table_memories_in_hardware").note ==
        "read_lanes, of 8 words each, of latches");
  const auto plain = report_of("{}");
  for (const Line& line : plain) {
    CASE(line.name);
    if (line.name != "table_bits" && line.name != "table_memories_in_hardware")
      CHECK(line_of(lines, line.name).note == line.note);
    CHECK_SAME(line_of(lines, line.name).value, line.value);
  }
}

TEST_CASE("exact tokens in the multiplications of a query and in its memory") {
  const auto lines = report_of("quantizer: {scale: unbiased}\nexact: {first: 1, last: 16}");
  // 4079 norms; the others are those of copies.
  CHECK(count_of(lines, "multiplications_per_query") == 1024 + 2176 + 4079);
  CHECK(figure_of(lines, "multiplication_reduction") == near(524288.0 / 7279, 1e-12));
  CHECK(count_of(lines, "multiplications_per_decoding_step") == 7279 + 139);
  CHECK(figure_of(lines, "multiplication_reduction_single_query") ==
        near(524288.0 / (7279 + 4096 * 139), 1e-12));
  // The store holds a record of every token; copies are beside it.
  CHECK(count_of(lines, "key_store_bits") == 4096 * 400);
  CHECK(figure_of(lines, "copies_memory") == near(17 * (256 + 1.5) / 1024, 1e-12));
  CHECK(figure_of(lines, "compression_with_copies") == near(1048576 / (204800 + 4377.5), 1e-12));
  CHECK(figure_of(lines, "model_copies") == near(256 * 4377.5 / 1048576, 1e-12));
  const auto larger = report_of(
      "macro: {max_keys: 8192}\nquantizer: {scale: unbiased}\n"
      "exact: {first: 1, last: 16}");
  CHECK(figure_of(larger, "copies_memory") == figure_of(lines, "copies_memory"));
  // Fewer keys than copies: each has one.
  const auto few = report_of(
      "macro: {max_keys: 10}\nquantizer: {scale: unbiased}\n"
      "exact: {first: 1, last: 16}");
  CHECK(count_of(few, "multiplications_per_query") == 1024 + 10 * 128);
}

TEST_CASE("copies delay the reads of a query by the first ones alone if there are enough keys") {
  const auto lines = report_of("quantizer: {scale: unbiased}\nexact: {first: 1, last: 16}");
  CHECK(count_of(lines, "copy_cycles") == 16);
  CHECK(count_of(lines, "first_copy_latency_cycles") == 16 + 5);
  CHECK(count_of(lines, "last_copy_latency_cycles") == 17 * 16 + 5);
  CHECK(count_of(lines, "copy_read_delay_cycles") == 16 + 5);
  CHECK(count_of(lines, "keys_that_hide_copies") == 257);
  CHECK(count_of(lines, "full_store_read_cycles") == 4096 + 21);
  const auto reads = [](int keys) {
    const auto lines_of = report_of("macro: {max_keys: " + std::to_string(keys) +
                                    "}\nquantizer: {scale: unbiased}\n"
                                    "exact: {first: 1, last: 16}");
    return count_of(lines_of, "full_store_read_cycles");
  };
  CHECK(reads(257) == 257 + 21);
  CHECK(reads(256) == 256 + 22);
  CHECK(reads(17) == 277 + 1);  // the last copy is awaited, then read
  CHECK(reads(1) == 21 + 1);
  // Newest tokens alone: records are read meanwhile.
  const auto newest = report_of("quantizer: {scale: unbiased}\nexact: {last: 16}");
  CHECK(count_of(newest, "copy_read_delay_cycles") == 0);
  CHECK(count_of(newest, "keys_that_hide_copies") == 16 * 16 + 5 + 1);
  CHECK(count_of(newest, "full_store_read_cycles") == 4096);
  const auto folded = report_of(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {scale: unbiased}\n"
      "exact: {first: 2, last: 3}\n"
      "microarchitecture: {key_lanes: 8, read_lanes: 4, "
      "table_multipliers: 2}");
  // Copies are accumulated after 19, 35, 51, 67 and 83 cycles, a key is read in 8.
  CHECK(count_of(folded, "copy_read_delay_cycles") == 35 - 8);
  CHECK(count_of(folded, "keys_that_hide_copies") == 8);
  CHECK(count_of(folded, "full_store_read_cycles") == 24 * 8 + 27);
}

TEST_CASE("the record input is in every macro") {
  const auto wide = report_of("{}");
  CHECK(count_of(wide, "record_input_bits") == 400);
  CHECK(count_of(wide, "record_interval_cycles") == 1);
  CHECK(count_of(wide, "record_store_latency_cycles") == 1);
  const auto folded =
      report_of("microarchitecture: {key_lanes: 8}\necc: {code: hamming84, stages: 2}");
  // 400 bits in beats of 128: three wait for the last.
  CHECK(count_of(folded, "record_input_bits") == 400 + 3 * 128);
  CHECK(count_of(folded, "record_interval_cycles") == 4);
  CHECK(count_of(folded, "record_store_latency_cycles") == 1 + 2);
}

TEST_CASE("distortion on Gaussian data is near theory and within the bounds") {
  const double theory[] = {0.1175, 0.03455, 0.009501};
  for (int b = 2; b <= 4; ++b)
    for (const int d : {32, 128, 256}) {
      CASE(b, d);
      const auto lines = report_of("macro: {head_dim: " + std::to_string(d) +
                                   ", index_bits: " + std::to_string(b) + "}");
      CHECK(figure_of(lines, "distortion_theory") == near(theory[b - 2], 5e-4));
      const double measured = figure_of(lines, "gaussian_distortion");
      // Keys scaled to unit length lie on a sphere: its density is the exact theory at any d.
      CHECK(measured == near(figure_of(lines, "distortion_theory_sphere"), 0.01));
      CHECK(measured > figure_of(lines, "distortion_lower_bound"));
      CHECK(measured < figure_of(lines, "distortion_upper_bound"));
      CHECK(figure_of(lines, "gaussian_distortion_rom") == near(measured, 0.01));
    }
}

TEST_CASE("figures that do not exist are n/a, not zero and not NaN") {
  const files::Config config = config_of("macro: {head_dim: 32, max_keys: 8}");
  for (const auto& [keys, queries] : {std::pair<std::size_t, std::size_t>{0, 0}, {4, 0}, {0, 4}}) {
    CASE(keys, queries);
    const auto lines = report(config, run::gaussian_trace(config.parameters, keys, queries, 1));
    const Line& error = line_of(lines, "trace_score_relative_rms_error");
    CHECK(error.method == Method::not_available);
    CHECK(std::holds_alternative<std::monostate>(error.value));
    CHECK((line_of(lines, "trace_distortion").method == Method::measured) == (keys > 0));
  }
  files::Trace zeros = run::gaussian_trace(config.parameters, 4, 2, 1);
  std::fill(zeros.keys.begin(), zeros.keys.end(), std::uint16_t{0});
  const auto lines = report(config, zeros);
  CHECK(line_of(lines, "trace_distortion").method == Method::not_available);
  CHECK(figure_of(lines, "trace_score_max_abs_error") == 0);
  for (const Line& line : lines)
    if (const auto* real = std::get_if<double>(&line.value))
      CHECK_MESSAGE(std::isfinite(*real), line.name);
}

TEST_CASE("behind a code the memory is that of the codewords") {
  const auto coded = report_of("ecc: {code: hamming84, stages: 2}");
  const auto plain = report_of("{}");
  CHECK(count_of(coded, "bytes_per_key") == 50);
  CHECK(count_of(coded, "stored_bytes_per_key") == 100);
  CHECK(count_of(coded, "key_store_bits") == 2 * count_of(plain, "key_store_bits"));
  CHECK(count_of(coded, "score_latency_cycles") == count_of(plain, "score_latency_cycles") + 2 + 6);
  CHECK(count_of(coded, "key_store_latency_cycles") ==
        count_of(plain, "key_store_latency_cycles") + 2);
  CHECK(count_of(coded, "hamming84_score_latency_cycles") == 8);
  CHECK(count_of(coded, "injection_register_bits") == 1602);
  CHECK(count_of(coded, "repaired_record_bits") == 3 * 400 + 4);
  CHECK(count_of(coded, "float_rounders_in_hardware") == 3);
  CHECK(count_of(coded, "index_interpolation_adders_in_hardware") == 2 * 128);
}

}  // namespace axelram::report

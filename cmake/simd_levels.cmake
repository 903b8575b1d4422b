# Compile flags of the instruction-set levels of axelram/simd.hpp.
set(AXELRAM_FLAGS_portable "")
set(AXELRAM_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(AXELRAM_FLAGS_avx512
  ${AXELRAM_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vnni -mgfni
  -mavx512vbmi2 -mavx512vpopcntdq)

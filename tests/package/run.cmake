# Installs BUILD into a prefix of its own, builds the consumer against it and runs what it built.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${SCRATCH}/build
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix "-DCMAKE_CXX_FLAGS=${FLAGS}"
  "-DCMAKE_EXE_LINKER_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/score_keys)
run(${SCRATCH}/build/write_rtl)
run(${SCRATCH}/build/read_model ${SCRATCH}/prefix/share/axelram/models/byte-llama-d128)
run(${SCRATCH}/build/list_engines)
if(EXISTS ${SCRATCH}/build/find_gpu)
  run(${SCRATCH}/build/find_gpu)
endif()
run(${SCRATCH}/prefix/bin/axelram --version)

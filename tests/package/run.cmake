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
# The guide shows this program and what it prints.
execute_process(COMMAND ${SCRATCH}/build/score_keys OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CMAKE_CURRENT_LIST_DIR}/consumer/score_keys.cpp program)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/reference/programmers-guide.md guide)
foreach(shown IN ITEMS program printed)
  string(FIND "${guide}" "\n${${shown}}```\n" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "docs/programmers-guide.md does not show this ${shown} of score_keys.cpp:\n${${shown}}")
  endif()
endforeach()
run(${SCRATCH}/build/write_rtl)
run(${SCRATCH}/build/read_model ${SCRATCH}/prefix/share/axelram/models/byte-llama-d128)
run(${SCRATCH}/build/list_engines)
if(EXISTS ${SCRATCH}/build/find_gpu)
  run(${SCRATCH}/build/find_gpu)
endif()
run(${SCRATCH}/prefix/bin/axelram --version)
# Outside of the repository, a pretrained model is got by the installed script.
execute_process(COMMAND ${CMAKE_COMMAND} -E env XDG_CACHE_HOME=${SCRATCH} ${SCRATCH}/prefix/bin/axelram list models
  OUTPUT_VARIABLE models COMMAND_ERROR_IS_FATAL ANY)
if(NOT models MATCHES "/prefix/share/axelram/scripts/get_model smollm2-135m")
  message(FATAL_ERROR "axelram list models names no installed scripts/get_model:\n${models}")
endif()
run(${SCRATCH}/prefix/share/axelram/scripts/get_model --help)

# cmake -DREPLAY=PROGRAM -DARCHIVE=FILE -DFOLDER=DIR -P replay.cmake
# Unpacks a corpus into an empty FOLDER and replays it.
file(REMOVE_RECURSE ${FOLDER})
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${FOLDER})
execute_process(COMMAND ${REPLAY} ${FOLDER} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${REPLAY} ended with ${result}; the input is the last one named above")
endif()

# Writes version and commit into OUTPUT as C++ strings, if they changed. The commit is that of the tree
# SOURCE, with "+" behind it if files differ from it; empty if SOURCE is not the root of a repository.
set(commit "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(root STREQUAL source)
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=12 HEAD
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(commit AND changes)
      string(APPEND commit "+")
    endif()
  endif()
endif()
set(text "#include \"axelram/commands/version.hpp\"\n\nnamespace axelram::commands {\n\n")
string(APPEND text "const char* const kVersion = \"${VERSION}\";\nconst char* const kCommit = \"${commit}\";\n")
string(APPEND text "\n}  // namespace axelram::commands\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()

# Writes the scripts FILES (a list of paths below ROOT) into OUTPUT as a table of C++ string literals.
set(text "#include \"scripts.hpp\"\n\nnamespace axelram::commands {\n\n")
string(APPEND text "const std::vector<Script>& scripts() {\n  static const std::vector<Script> all = {\n")
foreach(path IN LISTS FILES)
  file(READ ${ROOT}/${path} source)
  string(APPEND text "      {\"${path}\", R\"SCRIPT(${source})SCRIPT\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace axelram::commands\n")
file(WRITE ${OUTPUT} "${text}")

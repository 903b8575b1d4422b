# Writes the harness into OUTPUT as a C++ string literal.
file(READ ${INPUT} source)
file(WRITE ${OUTPUT} "#include \"rtl/model/harness_text.hpp\"\n\nnamespace axelram::sim {\n\nstd::string harness_text() {\n  return R\"CPP(${source})CPP\";\n}\n\n}  // namespace axelram::sim\n")

# Writes the script INPUT into OUTPUT as a C++ string literal.
file(READ ${INPUT} source)
file(WRITE ${OUTPUT} "#include \"plot_script.hpp\"\n\nnamespace axelram::cli {\n\nconst char* const kPlotScript = R\"PY(${source})PY\";\n\n}  // namespace axelram::cli\n")

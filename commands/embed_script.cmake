# Writes the script INPUT into OUTPUT as a C++ string literal.
file(READ ${INPUT} source)
file(WRITE ${OUTPUT} "namespace axelram::commands {\n\nextern const char* const kPlotScript;\nconst char* const kPlotScript = R\"PY(${source})PY\";\n\n}  // namespace axelram::cli\n")

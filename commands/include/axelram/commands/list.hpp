#pragma once

#include <string>
#include <utility>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/names.hpp"

namespace axelram {

/// The tables that `axelram list` prints.
enum class ListKind { codes, codebooks, caches, engines, configurations, keys, models };

template <>
struct EnumNames<ListKind> {
  static constexpr EnumRow<ListKind> rows[] = {
      {ListKind::codes, "codes", "error-correcting codes of stored keys"},
      {ListKind::codebooks, "codebooks", "densities that codebooks are made for"},
      {ListKind::caches, "caches", "KV caches of a language model"},
      {ListKind::engines, "engines", "what can execute a macro or a model"},
      {ListKind::configurations, "configurations", "shipped configurations"},
      {ListKind::keys, "keys", "keys of a configuration file"},
      {ListKind::models, "models", "pretrained models, and where they are cached"},
  };
};

namespace commands {

struct ListOptions {
  ListKind kind = ListKind::codes;
  std::string json;  ///< "-": written by the caller
  bool force = false;
};

struct ListResult {
  ListKind kind;
  std::vector<std::string> columns;  ///< names of the cells, "name" first
  std::vector<std::vector<std::string>> rows;
};

/// One of the tables that parsers, help and documents read.
ListResult list(const ListOptions& options, const Show<ListResult>& show = {});

std::string to_json(const ListResult& result);

}  // namespace commands
}  // namespace axelram

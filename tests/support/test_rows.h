// Rows and results as plain values, so that tests can write them down, compare and print them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/runtime/batch.h"

namespace tidemark::test_support {

// std::monostate is NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

inline const Cell kNull{};

// Cells of a query's keys, values and carried columns. With punctuated watermarks, one more.
struct Row {
  EventTime time = 0;
  std::vector<Cell> cells;
};

struct ResultRow {
  std::uint32_t window = 0;
  EventTime start = 0;
  EventTime end = 0;
  std::vector<Cell> keys;
  std::vector<Cell> aggregates;
};

Cell cell_at(const Column& column, std::size_t row);

// The batch must not be full; its first columns fit the row's cells. Columns behind them are left.
void append_row(Batch& batch, const Row& row);
Row row_at(const Batch& batch, std::size_t row);

// Different cells have different texts: integers and doubles, NULL and '', 0.0 and -0.0. Doubles
// are written with all their digits; every NaN is "nan".
std::string to_text(const Cell& cell);
std::string to_text(const std::vector<Cell>& cells);
std::string to_text(const Row& row);
std::string to_text(const ResultRow& result);

// By window end, window start, window number, then keys by their text.
void sort_canonically(std::vector<ResultRow>& results);

// One line per element, in their order.
std::vector<std::string> to_lines(const std::vector<ResultRow>& results);
// One line per element, sorted: a multiset.
std::vector<std::string> to_sorted_lines(const std::vector<Row>& rows);

}  // namespace tidemark::test_support

#include <cstdio>

#include "tidemark/runtime/batch.h"

int main() {
  tidemark::Batch batch({{"user", tidemark::ColumnType::kInt64}});
  batch.times()[0] = 1000;
  batch.column(0).int64s()[0] = 7;
  batch.set_size(1);
  std::printf("%zu row\n", batch.size());
  return batch.size() == 1 ? 0 : 1;
}

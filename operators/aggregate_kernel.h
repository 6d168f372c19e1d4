// Typed loops over aggregate state: one virtual call per chunk of rows or entries, never per row.
//
// An entry holds the states of all primitives of its key side by side:
//
//   | slot: u32 | valid: u32 | state of primitive 0 | state of primitive 1 | ...
//
// A state of fixed size is plain bytes. One that grows with what is in it (the values behind a
// median, say) is a handle of 8 bytes to an object that entries share and count references to.
//
// Bit i of `valid` says that value column i has had a value that is not NULL. Primitives are what
// aggregates are made of: avg(x) is the sum and the count of x, and shares them with sum(x) and
// count(x).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

struct EntryHeader {
  std::uint32_t slot;
  std::uint32_t valid;
};

inline EntryHeader& entry_header(std::byte* entry) {
  return *reinterpret_cast<EntryHeader*>(entry);
}
inline const EntryHeader& entry_header(const std::byte* entry) {
  return *reinterpret_cast<const EntryHeader*>(entry);
}

enum class Primitive : std::uint8_t {
  kCountRows,
  kCountValues,
  kSum,
  kCompensatedSum,  // doubles only: can be undone without losing small values or keeping NaN
  kMin,
  kMax,
  kMoments,
  kFirst,
  kLast,
  kCountedValues,  // a multiset: can be undone
  kValueRuns,      // values that are only joined
  kTimedRuns,      // the same with their event times
  kDistinctSketch,
  kQuantileBuckets,
  kUser,
};

// All pointers are to whole entries; the kernel knows where its state is. `n` is a number of rows
// or entries. The order of merges matters for rounding of doubles, and for what happens at the same
// event time (first, last, collect): the older state is the one on the left.
class PrimitiveKernel {
 public:
  explicit PrimitiveKernel(std::size_t state_offset) : offset_(state_offset) {}
  virtual ~PrimitiveKernel() = default;

  // Bytes of state, a multiple of 8.
  virtual std::size_t state_size() const = 0;
  virtual bool invertible() const = 0;
  // The state is plain bytes: no handle.
  virtual bool trivial() const { return true; }

  // Sets the state of no rows at all.
  virtual void init(std::byte* entry) const = 0;
  // Adds row begin + i of `values`, at event time times[begin + i], to entries[i]; NULLs are
  // skipped. `values` is ignored by kCountRows. Entries may repeat.
  virtual void update(std::byte* const* entries, const Column* values, const EventTime* times,
                      std::size_t begin, std::size_t n) const = 0;
  // into[i] += from[i], where from are entries `stride` bytes apart and not older than into[i].
  // States of `into` lie `shift` bytes behind their place in an entry.
  virtual void merge(std::byte* const* into, std::size_t shift, const std::byte* from,
                     std::size_t stride, std::size_t n) const = 0;
  // into[i] -= from[i]. Only if invertible().
  virtual void subtract(std::byte* const* into, const std::byte* from, std::size_t stride,
                        std::size_t n) const = 0;
  // Exchanges: into[i] becomes from[i] + into[i], and from[i] what into[i] was before. Here from[i]
  // is the older one.
  virtual void fold(std::byte* const* into, std::size_t shift, std::byte* from, std::size_t stride,
                    std::size_t n) const = 0;

  // Whether so much has been subtracted that the state may be far from one summed up afresh.
  virtual bool worn(const std::byte* /*entry*/) const { return false; }

  // Of kernels that are not trivial(), for `n` entries `stride` bytes apart: counts one more holder
  // of each state, after its bytes have been copied; and lets go of it, leaving the state of no
  // rows.
  virtual void retain(std::byte* /*entries*/, std::size_t /*stride*/, std::size_t /*n*/) const {}
  virtual void release(std::byte* /*entries*/, std::size_t /*stride*/, std::size_t /*n*/) const {}

 protected:
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

// `type` is the type of the value column; not used by kCountRows. Of all primitives but kUser.
std::unique_ptr<PrimitiveKernel> make_primitive_kernel(Primitive primitive, ColumnType type,
                                                       std::size_t state_offset,
                                                       std::pmr::memory_resource& memory);
// Of those whose states are handles; nullptr of all others.
std::unique_ptr<PrimitiveKernel> make_growing_kernel(Primitive primitive, ColumnType type,
                                                     std::size_t state_offset,
                                                     std::pmr::memory_resource& memory);

// State types, in the order of their bytes. Read and written by memcpy, so that entries need no
// alignment beyond 8.
struct WideInteger {
  std::uint64_t low;
  std::int64_t high;
};

struct CompensatedDouble {
  double sum;
  double compensation;
  std::int32_t nans;
  std::int32_t positive_infinities;
  std::int32_t negative_infinities;
  // The greatest magnitude that the compensation has had: what rounding errors are made of.
  float peak_compensation;

  double value() const;
};

// Count, mean as the distance from one of the values, and the sum of squared distances from the
// mean.
template <typename T>
struct Moments {
  std::uint64_t count;
  T origin;  // the oldest value
  double mean;
  double squares;
};

template <typename T>
struct TimedState {
  EventTime time;
  T value;
};

// Entries are short: their words are copied in place rather than by a call.
inline void copy_entry(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t at = 0;
  for (; at + 16 <= bytes; at += 16) std::memcpy(to + at, from + at, 16);
  if (at < bytes) std::memcpy(to + at, from + at, 8);
}

template <typename T>
T load_state(const std::byte* entry, std::size_t offset) {
  T state;
  std::memcpy(&state, entry + offset, sizeof(T));
  return state;
}

template <typename T>
void store_state(std::byte* entry, std::size_t offset, const T& state) {
  std::memcpy(entry + offset, &state, sizeof(T));
}

}  // namespace tidemark

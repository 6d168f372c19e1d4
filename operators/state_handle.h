// Handles to states that grow: entries share the objects behind them and count references.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "tidemark/operators/aggregate_kernel.h"

namespace tidemark {

// Internal to the aggregate kernels and outputs. References are counted plainly: a state never
// leaves its window stage.

// The object of an entry; nullptr holds nothing.
template <typename Object>
Object* object_of(const std::byte* entry, std::size_t offset) {
  return load_state<Object*>(entry, offset);
}

// Objects that are changed in place, and copied first where others hold them too. `Object` has
// `references`, a constructor from memory, one from another object and memory, and add(), merge()
// and, if it can, subtract().
template <typename Object>
struct CopyOnWrite {
  using Memory = std::pmr::memory_resource;

  static Object& writable(Object*& handle, Memory& memory) {
    std::pmr::polymorphic_allocator<> allocator(&memory);
    if (handle == nullptr) {
      handle = allocator.new_object<Object>(memory);
    } else if (handle->references > 1) {
      Object* const copy = allocator.new_object<Object>(std::as_const(*handle), memory);
      --handle->references;
      handle = copy;
    }
    return *handle;
  }

  template <typename Input>
  static void add(Object*& handle, Input value, EventTime /*time*/, Memory& memory) {
    writable(handle, memory).add(value);
  }
  // Neither is nullptr.
  static void append(Object*& older, Object* newer, Memory& memory) {
    writable(older, memory).merge(*newer);
  }
  static void subtract(Object*& handle, const Object* leaves, Memory& memory) {
    writable(handle, memory).subtract(*leaves);
  }
  static void retain(Object* handle) { ++handle->references; }
  static void release(Object* handle, Memory& memory) {
    if (--handle->references > 0) return;
    std::pmr::polymorphic_allocator<>(&memory).delete_object(handle);
  }
};

// The kernel of a state that is a handle. `Policy` is CopyOnWrite<Object>, or has its members.
template <typename Object, typename Policy, typename Input, bool kInvertible>
class HandleKernel final : public PrimitiveKernel {
 public:
  HandleKernel(std::size_t offset, std::pmr::memory_resource& memory)
      : PrimitiveKernel(offset), memory_(memory) {}

  std::size_t state_size() const override { return sizeof(Object*); }
  bool invertible() const override { return kInvertible; }
  bool trivial() const override { return false; }
  void init(std::byte* entry) const override { put(entry, nullptr); }

  void update(std::byte* const* entries, const Column* values, const EventTime* times,
              std::size_t begin, std::size_t n) const override {
    const Input* const cells = static_cast<const Input*>(values->cells()) + begin;
    const bool has_nulls = values->has_nulls();
    for (std::size_t i = 0; i < n; ++i) {
      if (has_nulls && values->is_null(begin + i)) continue;
      Object* object = get(entries[i]);
      Policy::add(object, cells[i], times[begin + i], memory_);
      put(entries[i], object);
    }
  }

  void merge(std::byte* const* into, std::size_t shift, const std::byte* from, std::size_t stride,
             std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* const to = into[i] + shift;
      put(to, joined(get(to), get(from + i * stride)));
    }
  }

  void subtract(std::byte* const* into, const std::byte* from, std::size_t stride,
                std::size_t n) const override {
    if constexpr (kInvertible) {
      for (std::size_t i = 0; i < n; ++i) {
        const Object* const leaves = get(from + i * stride);
        if (leaves == nullptr) continue;
        Object* object = get(into[i]);
        Policy::subtract(object, leaves, memory_);
        put(into[i], object);
      }
    } else {
      (void)into, (void)from, (void)stride, (void)n;
    }
  }

  void fold(std::byte* const* into, std::size_t shift, std::byte* from, std::size_t stride,
            std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* const entry = from + i * stride;
      std::byte* const to = into[i] + shift;
      Object* const newer = get(to);
      put(to, joined(get(entry), newer));
      put(entry, newer);
    }
  }

  void retain(std::byte* entries, std::size_t stride, std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      if (Object* const object = get(entries + i * stride)) Policy::retain(object);
    }
  }
  void release(std::byte* entries, std::size_t stride, std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* const entry = entries + i * stride;
      if (Object* const object = get(entry)) Policy::release(object, memory_);
      put(entry, nullptr);
    }
  }

 private:
  Object* get(const std::byte* entry) const { return object_of<Object>(entry, offset()); }
  void put(std::byte* entry, Object* object) const { store_state(entry, offset(), object); }

  // Both together; takes over the reference to `older` and leaves that to `newer` where it is.
  Object* joined(Object* older, Object* newer) const {
    if (newer == nullptr) return older;
    if (older == nullptr) {
      Policy::retain(newer);
      return newer;
    }
    Policy::append(older, newer, memory_);
    return older;
  }

  std::pmr::memory_resource& memory_;
};

}  // namespace tidemark

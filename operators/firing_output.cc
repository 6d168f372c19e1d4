#include "tidemark/operators/firing_output.h"

namespace tidemark {

void FiringOutput::add(EventTime start, EventTime end, const std::byte* content,
                       const PaneInfo& pane) {
  firings_.push_back({start, end, pane});
  contents_.insert(contents_.end(), content, content + layout_.entry_size());
  layout_.retain(contents_.data() + contents_.size() - layout_.entry_size(), 1);
}

bool FiringOutput::drain(ResultEmitter& emitter) {
  for (; next_ < firings_.size(); ++next_) {
    const Firing& firing = firings_[next_];
    emitter.begin_window(specification_, firing.start, firing.end);
    if (emitter.room() == 0) return false;
    emitter.emit_pane(layout_, contents_.data() + next_ * layout_.entry_size(), firing.pane);
  }
  release_contents();
  firings_.clear();
  contents_.clear();
  next_ = 0;
  return true;
}

}  // namespace tidemark

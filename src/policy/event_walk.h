#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"
#include "policy/event_redactor.h"
#include "policy/event_texts.h"
#include "policy/masked_copy.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {

// One walk over the data of one event: masks its whole strings, gives the pieces of texts to those,
// and puts together what goes out. Of event_redactor.cpp alone.
class EventWalk {
 public:
  EventWalk(const Redactor& redactor, Tally& tally, EventTexts& texts, EventKind kind) noexcept
      : redactor_(redactor), tally_(tally), texts_(texts), kind_(kind), reader_({}) {}

  // The masked event; nullopt when it is no JSON object in UTF-8, has too many texts,
  // a place that has two spellings, or more of a text that has ended.
  [[nodiscard]] std::optional<std::string> run(std::string_view data);

  // What an event made for held text says beside it: `id`, `model` and the like.
  [[nodiscard]] std::string envelope() const;
  // The paths of the choices that finish with this event.
  [[nodiscard]] const std::vector<std::string>& finished() const noexcept { return finished_; }
  [[nodiscard]] std::optional<std::size_t> found() const noexcept { return found_; }

 private:
  // What the strings at a place are: whole in each event, or the next pieces of texts.
  enum class Strings : std::uint8_t { kWhole, kPieces };
  // A step on the way to a value: a member's name, or an element's place and what it says of
  // itself.
  struct Step {
    enum class Kind : std::uint8_t { kMember, kElement };
    Kind kind = Kind::kMember;
    std::string_view key = {};    // as written
    std::string_view index = {};  // its `index`, as written
    bool odd = false;             // its `index` is no whole number in its one spelling
    std::string_view type = {};   // its `type`, as written between the quotes
    bool choice = false;          // it is one of the reply's choices
    bool finishes = false;        // it has a finish_reason
  };
  struct Member {
    std::string_view key;
    std::string_view value;
  };

  void value(Strings strings);
  void members(Strings strings);
  void elements(Strings strings);
  void string(std::string_view raw, Strings strings);
  void piece(std::string_view raw);
  void mask(std::string_view raw);
  [[nodiscard]] Step describe() const;
  [[nodiscard]] std::string_view member_above(std::size_t out) const noexcept;
  [[nodiscard]] std::string masked_name(std::string_view raw) const;
  [[nodiscard]] bool text_waits();
  [[nodiscard]] EventText* text_here();
  [[nodiscard]] std::string opening() const;
  [[nodiscard]] std::string closing() const;
  void enter(const Step& step, std::string_view name);
  void enter_member(std::string_view key);
  void leave(std::size_t path_size);

  const Redactor& redactor_;
  Tally& tally_;
  EventTexts& texts_;
  EventKind kind_;
  json::Reader reader_;
  MaskedCopy copy_{{}};
  std::string path_;
  std::vector<Step> steps_;
  std::vector<Member> envelope_;
  std::vector<std::string> finished_;
  std::string scratch_;
  std::optional<std::size_t> found_;
  bool unknown_ = false;
};

}  // namespace penstock::policy

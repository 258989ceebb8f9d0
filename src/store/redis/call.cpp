#include "store/redis/call.h"

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "store/redis/client.h"
#include "store/redis/command_text.h"
#include "store/redis/outage.h"
#include "store/redis/standing.h"

namespace penstock::store::redis {

void append_call(std::string& out, Call& call, Introduce introduce) {
  call.skip = 0;
  if (introduce == Introduce::kYes) {
    append_command(out, {"SCRIPT", "LOAD", call.script->source()});
    ++call.skip;
  }
  if (call.asking) {  // holds for the next command only
    append_command(out, {"ASKING"});
    ++call.skip;
  }
  append_words(out, call.word_count + 2);
  append_word(out, call.whole_text ? "EVAL" : "EVALSHA");
  append_word(out, call.whole_text ? call.script->source() : call.script->sha());
  out.append(call.words);
}

void finish(std::unique_ptr<Call> call, RunResult result, Standing& standing) {
  if (call->posted && !result) {
    standing.failed(result.error().reason);
    standing.dropped();
  }
  CallWaiter* const waiter = call->waiter;
  call.reset();
  if (waiter == nullptr) return;
  waiter->call = nullptr;
  waiter->result.emplace(std::move(result));
  waiter->alarm.wake();
}

void fail_call(std::unique_ptr<Call> call, OutageReason reason, Effect effect, Standing& standing) {
  const Outage outage{reason, effect};
  finish(std::move(call), std::unexpected(outage), standing);
}

}  // namespace penstock::store::redis

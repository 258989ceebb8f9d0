#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/endpoint.h"
#include "store/redis/error_reply.h"
#include "store/redis/outage.h"
#include "store/redis/reply_parser.h"

namespace penstock::store::redis {

// A connection to a node, and what has come of its next reply.
struct Connection {
  explicit Connection(std::unique_ptr<net::ByteStream> made)
      : stream(std::move(made)), input(*stream) {}
  std::unique_ptr<net::ByteStream> stream;
  net::Input input;
  ReplyParser parser;
};

struct Opened {
  std::unique_ptr<Connection> connection;  // nullptr: see the reason
  OutageReason reason = OutageReason::kAway;
  std::string detail;  // for operators
};

// How a node is connected to.
struct Approach {
  runtime::EventLoop& loop;
  net::Dialer& dialer;
  const Endpoint& endpoint;  // who we are; its host and port are not looked at
  Duration connect;          // to connect, TLS included
  Duration answer;           // for the greeting
};

// Connects to a node, says who we are, chooses the database and has a script run that writes
// nothing, but that only a node which takes writes will run. All of that is one round trip.
//
// key: declared by that script if not empty, so that the node's slots and our rights are looked at.
[[nodiscard]] runtime::Task<Opened> open_connection(Approach approach, Place place, std::string key,
                                                    runtime::CallContext context);

}  // namespace penstock::store::redis

#pragma once

#include "base/metric_source.h"

namespace penstock::telemetry {

// Where what is known of the issuer's keys is read from. On the scrape's thread.
struct KeySetReads {
  CallbackSource::Read age;  // seconds; nullopt: no set was fetched yet
  CallbackSource::Read keys;
  CallbackSource::Read fetched;
  CallbackSource::Read failed;
};

// Adds the rows of `auth.jwt`; in other modes there are none.
void add_key_set_rows(CallbackSource& source, KeySetReads reads);

}  // namespace penstock::telemetry

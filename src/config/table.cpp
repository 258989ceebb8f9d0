#include "config/table.h"

#include "base/field_table.h"
#include "base/field_type.h"
#include "config/config.h"

namespace penstock::config {

const TypeInfo& config_type() { return type_of<Config>(); }

}  // namespace penstock::config

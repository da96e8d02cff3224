/* What the files of this library share. */
#ifndef NEGOTIATOR_INTERNAL_H
#define NEGOTIATOR_INTERNAL_H

#include "negotiator.h"

#include <wasm.h>
#include <wasmtime.h>

typedef wasmtime_component_val_t value;

struct negotiator_component {
  wasm_engine_t *engine;
  wasmtime_component_t *code;
  wasmtime_component_linker_t *linker;
};

/* Functions of the component that the library calls. */
enum function {
  CONFIGURE,
  READ_INBOUND,
  READ_OUTBOUND,
  SETTLE,
  REFUSE,
  NOT_DURABLE,
  FUNCTIONS
};

struct negotiator {
  wasmtime_store_t *store;
  wasmtime_component_instance_t instance;
  wasmtime_component_func_t functions[FUNCTIONS];
  /* After a failure the component may be in the middle of anything. */
  bool broken;
};

struct negotiator_exchange {
  value value;
};

negotiator_status fail(negotiator_error *error, negotiator_status status, const char *path,
                       const char *message);
bool find_function(negotiator *host, const char *interface, const char *name,
                   wasmtime_component_func_t *out);
/* Calls a function; takes the arguments over and gives one result to be deleted, also on failure. */
negotiator_status call_function(negotiator *host, const wasmtime_component_func_t *function,
                                value *arguments, size_t count, value *result,
                                negotiator_error *error);
/* Reads a record.settlement, or an answer.reply alone. */
negotiator_status read_settlement(const value *from, negotiator_settlement **out);
negotiator_status read_reply(const value *from, negotiator_settlement **out);

/* --- values: each constructor gives a value that owns all it holds ----------------------------- */

bool is_utf8(negotiator_text text);
value text_value(negotiator_text text);
/* Bytes that are no UTF-8 become U+FFFD. */
value lossy_value(negotiator_text text);
value bool_value(bool b);
value enum_value(const char *name);
/* Takes the payload over; NULL: no payload. */
value variant_value(const char *name, const value *payload);
value none_value(void);
value some_value(value inner);
value optional_text(negotiator_text text);
/* A list or a tuple of `size` elements; fill them through the pointer. */
value list_value(size_t size, value **elements);
value tuple_value(size_t size, value **elements);
/* A record with room for `size` fields. */
value record_value(size_t size);
void set_field(value *record, size_t index, const char *name, value field);

/* --- reading: NULL where a value is not of that shape ------------------------------------------- */

const value *field_of(const value *record, const char *name);
/* The inner value of `some`, else NULL. */
const value *inner_of(const value *option);
bool is_name(const wasm_name_t *name, const char *text);

#endif

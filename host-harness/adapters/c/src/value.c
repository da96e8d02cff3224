/* Values of the component model: making and reading them.
 *
 * Vectors are allocated by wasmtime and belong to the value that holds them, so that one
 * wasmtime_component_val_delete frees a whole tree. wasmtime ends the process on text that is not
 * UTF-8: nothing becomes a string here that is not. */
#include "internal.h"

#include <string.h>

/* The length of the UTF-8 sequence at `at`, or 0: no overlong forms, no surrogates, at most
 * U+10FFFF. */
static size_t sequence(const unsigned char *at, size_t left) {
  unsigned char first = at[0], low = 0x80, high = 0xBF;
  size_t length;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  else if (first >= 0xE0 && first <= 0xEF) length = 3;
  else if (first >= 0xF0 && first <= 0xF4) length = 4;
  else return 0;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (left < length || at[1] < low || at[1] > high) return 0;
  for (size_t n = 2; n < length; n++)
    if ((at[n] & 0xC0) != 0x80) return 0;
  return length;
}

bool is_utf8(negotiator_text text) {
  for (size_t at = 0; at < text.size;) {
    size_t length = sequence((const unsigned char *)text.data + at, text.size - at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

static wasm_name_t name_of(const char *text) {
  wasm_name_t name;
  wasm_byte_vec_new(&name, strlen(text), text);
  return name;
}

value text_value(negotiator_text text) {
  value v = {.kind = WASMTIME_COMPONENT_STRING};
  wasm_byte_vec_new(&v.of.string, text.size, text.data ? text.data : "");
  return v;
}

value lossy_value(negotiator_text text) {
  if (is_utf8(text)) return text_value(text);
  const unsigned char *from = (const unsigned char *)text.data;
  size_t size = 0;
  for (size_t at = 0; at < text.size;) {
    size_t length = sequence(from + at, text.size - at);
    size += length ? length : 3;
    at += length ? length : 1;
  }
  value v = {.kind = WASMTIME_COMPONENT_STRING};
  wasm_byte_vec_new_uninitialized(&v.of.string, size);
  char *to = v.of.string.data;
  for (size_t at = 0; at < text.size;) {
    size_t length = sequence(from + at, text.size - at);
    memcpy(to, length ? (const char *)from + at : "\xEF\xBF\xBD", length ? length : 3);
    to += length ? length : 3;
    at += length ? length : 1;
  }
  return v;
}

value bool_value(bool b) {
  return (value){.kind = WASMTIME_COMPONENT_BOOL, .of.boolean = b};
}

value enum_value(const char *name) {
  return (value){.kind = WASMTIME_COMPONENT_ENUM, .of.enumeration = name_of(name)};
}

static value *boxed(value v) { return wasmtime_component_val_new(&v); }

value variant_value(const char *name, const value *payload) {
  value v = {.kind = WASMTIME_COMPONENT_VARIANT};
  v.of.variant.discriminant = name_of(name);
  v.of.variant.val = payload ? boxed(*payload) : NULL;
  return v;
}

value none_value(void) {
  return (value){.kind = WASMTIME_COMPONENT_OPTION, .of.option = NULL};
}

value some_value(value inner) {
  return (value){.kind = WASMTIME_COMPONENT_OPTION, .of.option = boxed(inner)};
}

value optional_text(negotiator_text text) {
  return text.data ? some_value(text_value(text)) : none_value();
}

value list_value(size_t size, value **elements) {
  value v = {.kind = WASMTIME_COMPONENT_LIST};
  wasmtime_component_vallist_new_uninit(&v.of.list, size);
  *elements = v.of.list.data;
  return v;
}

value tuple_value(size_t size, value **elements) {
  value v = {.kind = WASMTIME_COMPONENT_TUPLE};
  wasmtime_component_valtuple_new_uninit(&v.of.tuple, size);
  *elements = v.of.tuple.data;
  return v;
}

value record_value(size_t size) {
  value v = {.kind = WASMTIME_COMPONENT_RECORD};
  wasmtime_component_valrecord_new_uninit(&v.of.record, size);
  return v;
}

void set_field(value *record, size_t index, const char *name, value field) {
  record->of.record.data[index].name = name_of(name);
  record->of.record.data[index].val = field;
}

bool is_name(const wasm_name_t *name, const char *text) {
  return name->size == strlen(text) && memcmp(name->data, text, name->size) == 0;
}

const value *field_of(const value *record, const char *name) {
  if (!record || record->kind != WASMTIME_COMPONENT_RECORD) return NULL;
  for (size_t n = 0; n < record->of.record.size; n++)
    if (is_name(&record->of.record.data[n].name, name)) return &record->of.record.data[n].val;
  return NULL;
}

const value *inner_of(const value *option) {
  return option && option->kind == WASMTIME_COMPONENT_OPTION ? option->of.option : NULL;
}

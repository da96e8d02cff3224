/* Reading a settlement out of the component's values. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* A settlement and all its texts in one block: first the size is counted, then it is filled. */
typedef struct {
  negotiator_settlement public;
  char *free;
} block;

static size_t text_size(const value *v) {
  return v && v->kind == WASMTIME_COMPONENT_STRING ? v->of.string.size + 1
         : v && v->kind == WASMTIME_COMPONENT_ENUM ? v->of.enumeration.size + 1
                                                   : 0;
}

/* The bytes of all texts in a value, each with its NUL. */
static size_t texts_size(const value *v) {
  size_t size = text_size(v);
  if (!v) return 0;
  switch (v->kind) {
  case WASMTIME_COMPONENT_RECORD:
    for (size_t n = 0; n < v->of.record.size; n++) size += texts_size(&v->of.record.data[n].val);
    break;
  case WASMTIME_COMPONENT_LIST:
    for (size_t n = 0; n < v->of.list.size; n++) size += texts_size(&v->of.list.data[n]);
    break;
  case WASMTIME_COMPONENT_TUPLE:
    for (size_t n = 0; n < v->of.tuple.size; n++) size += texts_size(&v->of.tuple.data[n]);
    break;
  case WASMTIME_COMPONENT_OPTION:
    size += texts_size(v->of.option);
    break;
  case WASMTIME_COMPONENT_VARIANT:
    size += texts_size(v->of.variant.val);
    break;
  default:
    break;
  }
  return size;
}

static const char *take(block *b, const value *v) {
  size_t size = text_size(v);
  if (size == 0) return NULL;
  const wasm_name_t *text =
      v->kind == WASMTIME_COMPONENT_STRING ? &v->of.string : &v->of.enumeration;
  char *at = b->free;
  memcpy(at, text->data, text->size);
  at[text->size] = '\0';
  b->free += size;
  return at;
}

static block *new_block(const value *texts, const value *reply) {
  const value *headers = field_of(reply, "headers");
  if (!headers || headers->kind != WASMTIME_COMPONENT_LIST) return NULL;
  size_t headers_size = headers->of.list.size * sizeof(negotiator_reply_header);
  block *b = calloc(1, sizeof *b + headers_size + texts_size(texts));
  if (!b) return NULL;
  negotiator_reply_header *to = (negotiator_reply_header *)(b + 1);
  b->free = (char *)(b + 1) + headers_size;
  for (size_t n = 0; n < headers->of.list.size; n++) {
    const value *pair = headers->of.list.data[n].of.tuple.data;
    to[n] = (negotiator_reply_header){take(b, &pair[0]), take(b, &pair[1])};
  }
  negotiator_reply *out = &b->public.reply;
  const value *status = field_of(reply, "status");
  out->status = status && status->kind == WASMTIME_COMPONENT_U16 ? status->of.u16 : 0;
  out->headers = to;
  out->headers_size = headers->of.list.size;
  out->error = take(b, inner_of(field_of(reply, "error")));
  out->envelope = take(b, inner_of(field_of(reply, "envelope")));
  return b;
}

negotiator_status read_reply(const value *from, negotiator_settlement **out) {
  block *b = new_block(from, from);
  if (!b) return NEGOTIATOR_COMPONENT;
  *out = &b->public;
  return NEGOTIATOR_OK;
}

negotiator_status read_settlement(const value *from, negotiator_settlement **out) {
  const value *decision = field_of(from, "decision"), *entry = field_of(from, "entry");
  block *b = new_block(from, field_of(from, "reply"));
  if (!b || !decision || decision->kind != WASMTIME_COMPONENT_VARIANT) {
    free(b);
    return NEGOTIATOR_COMPONENT;
  }
  negotiator_settlement *s = &b->public;
  const value *payload = decision->of.variant.val;
  s->accepted = is_name(&decision->of.variant.discriminant, "accepted");
  s->cause = take(b, field_of(payload, "cause"));
  if (s->accepted) {
    const value *downgraded = field_of(payload, "downgraded");
    s->version = take(b, field_of(payload, "version"));
    s->downgraded = downgraded && downgraded->of.boolean;
    s->reason = "ok";
  } else {
    s->reason = take(b, field_of(payload, "refusal"));
  }
  const value *audience = inner_of(field_of(entry, "audience"));
  s->home = take(b, field_of(entry, "home"));
  s->tenant = take(b, field_of(audience, "tenant"));
  s->workspace = take(b, inner_of(field_of(audience, "workspace")));
  s->payload = take(b, field_of(entry, "payload"));
  s->event = take(b, inner_of(field_of(entry, "event")));
  s->requested = take(b, inner_of(field_of(entry, "requested")));
  s->peer_digest = take(b, inner_of(field_of(entry, "peer-digest")));
  *out = s;
  return NEGOTIATOR_OK;
}

void negotiator_settlement_delete(negotiator_settlement *settlement) {
  /* The settlement is the first member of its block. */
  free(settlement);
}

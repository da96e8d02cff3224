/* What hosts call: reading an exchange, settling it, and the plain JSON entry. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static value protocol_value(negotiator_protocol protocol) {
  return enum_value(protocol == NEGOTIATOR_A2A ? "a2a" : "mcp");
}

/* Refuses text that is no UTF-8, and names the member. */
static negotiator_status check(negotiator_text text, const char *path, negotiator_error *error) {
  return is_utf8(text) ? NEGOTIATOR_OK
                       : fail(error, NEGOTIATOR_REQUEST, path, "must be UTF-8");
}

static negotiator_status read_exchange(negotiator *host, enum function function, value message,
                                       negotiator_exchange **out, negotiator_error *error) {
  negotiator_exchange *exchange = calloc(1, sizeof *exchange);
  if (!exchange) {
    wasmtime_component_val_delete(&message);
    return fail(error, NEGOTIATOR_COMPONENT, "", "no memory");
  }
  negotiator_status status =
      call_function(host, &host->functions[function], &message, 1, &exchange->value, error);
  if (status == NEGOTIATOR_OK)
    *out = exchange;
  else
    negotiator_exchange_delete(exchange);
  return status;
}

negotiator_status negotiator_read_inbound(negotiator *host, const negotiator_inbound *message,
                                          negotiator_exchange **out, negotiator_error *error) {
  static const char *const methods[] = {"post", "get", "delete"};
  *out = NULL;
  negotiator_status status = check(message->params, "exchange.params", error);
  if (status != NEGOTIATOR_OK) return status;
  value *pairs, *pair, record = record_value(8);
  value headers = list_value(message->headers_size, &pairs);
  for (size_t n = 0; n < message->headers_size; n++) {
    pairs[n] = tuple_value(2, &pair);
    pair[0] = lossy_value(message->headers[n].name);
    pair[1] = lossy_value(message->headers[n].value);
  }
  set_field(&record, 0, "protocol", protocol_value(message->protocol));
  set_field(&record, 1, "authenticated", bool_value(message->authenticated));
  set_field(&record, 2, "http-method", enum_value(methods[message->http_method]));
  set_field(&record, 3, "headers", headers);
  set_field(&record, 4, "query",
            message->query.data ? some_value(lossy_value(message->query)) : none_value());
  set_field(&record, 5, "method",
            message->method.data ? some_value(lossy_value(message->method)) : none_value());
  set_field(&record, 6, "params", optional_text(message->params));
  set_field(&record, 7, "session",
            message->session.data ? some_value(lossy_value(message->session)) : none_value());
  return read_exchange(host, READ_INBOUND, record, out, error);
}

static value listing_value(const negotiator_outbound *message) {
  static const char *const names[] = {"nothing", "card", "discover", "error", "offers"};
  if (message->listing == NEGOTIATOR_NOTHING) return variant_value("nothing", NULL);
  value payload, *elements;
  if (message->listing == NEGOTIATOR_OFFERS) {
    payload = list_value(message->offers_size, &elements);
    for (size_t n = 0; n < message->offers_size; n++) elements[n] = lossy_value(message->offers[n]);
  } else {
    payload = text_value(message->listing_text);
  }
  return variant_value(names[message->listing], &payload);
}

negotiator_status negotiator_read_outbound(negotiator *host, const negotiator_outbound *message,
                                           negotiator_exchange **out, negotiator_error *error) {
  *out = NULL;
  negotiator_status status = check(message->listing_text, "exchange.listing", error);
  if (status == NEGOTIATOR_OK) status = check(message->initialize, "exchange.initialize", error);
  if (status != NEGOTIATOR_OK) return status;
  value record = record_value(5);
  set_field(&record, 0, "protocol", protocol_value(message->protocol));
  set_field(&record, 1, "authenticated", bool_value(message->authenticated));
  set_field(&record, 2, "requested",
            message->requested.data ? some_value(lossy_value(message->requested)) : none_value());
  set_field(&record, 3, "listing", listing_value(message));
  set_field(&record, 4, "initialize", optional_text(message->initialize));
  return read_exchange(host, READ_OUTBOUND, record, out, error);
}

void negotiator_exchange_delete(negotiator_exchange *exchange) {
  if (!exchange) return;
  wasmtime_component_val_delete(&exchange->value);
  free(exchange);
}

static value optional(const char *string) {
  return string ? some_value(lossy_value(negotiator_text_of(string))) : none_value();
}

static value context_value(const negotiator_context *context) {
  value record = record_value(6), subject = none_value(), sequence = none_value();
  if (context->tenant) {
    value owner = record_value(2);
    set_field(&owner, 0, "tenant", lossy_value(negotiator_text_of(context->tenant)));
    set_field(&owner, 1, "workspace", optional(context->workspace));
    subject = some_value(owner);
  }
  if (context->sequence)
    sequence = some_value((value){.kind = WASMTIME_COMPONENT_U64, .of.u64 = *context->sequence});
  set_field(&record, 0, "at", lossy_value(negotiator_text_of(context->at)));
  set_field(&record, 1, "peer-url", optional(context->peer_url));
  set_field(&record, 2, "subject", subject);
  set_field(&record, 3, "run-id", optional(context->run_id));
  set_field(&record, 4, "sequence", sequence);
  set_field(&record, 5, "event-id", optional(context->event_id));
  return record;
}

static void copy_text(char *to, size_t room, const value *from) {
  size_t size = from && from->kind == WASMTIME_COMPONENT_STRING ? from->of.string.size : 0;
  if (size >= room) size = room - 1;
  if (size) memcpy(to, from->of.string.data, size);
  to[size] = '\0';
}

static negotiator_status settle(negotiator *host, enum function function, value *arguments,
                                size_t count, negotiator_settlement **out,
                                negotiator_error *error) {
  value result;
  negotiator_status status =
      call_function(host, &host->functions[function], arguments, count, &result, error);
  if (status == NEGOTIATOR_OK && result.of.result.is_ok) {
    status = read_settlement(result.of.result.val, out);
    if (status != NEGOTIATOR_OK)
      fail(error, status, "", "the component gave an answer that cannot be read");
  } else if (status == NEGOTIATOR_OK) {
    status = fail(error, NEGOTIATOR_REQUEST, "", "");
    if (error) {
      copy_text(error->path, sizeof error->path, field_of(result.of.result.val, "path"));
      copy_text(error->message, sizeof error->message, field_of(result.of.result.val, "problem"));
    }
  }
  wasmtime_component_val_delete(&result);
  return status;
}

static value exchange_value(const negotiator_exchange *exchange) {
  value copy;
  wasmtime_component_val_clone(&exchange->value, &copy);
  return copy;
}

negotiator_status negotiator_settle(negotiator *host, const negotiator_exchange *exchange,
                                    const negotiator_context *context, negotiator_settlement **out,
                                    negotiator_error *error) {
  *out = NULL;
  value arguments[2] = {exchange_value(exchange), context_value(context)};
  return settle(host, SETTLE, arguments, 2, out, error);
}

negotiator_status negotiator_refuse(negotiator *host, const negotiator_exchange *exchange,
                                    const negotiator_context *context, negotiator_host_refusal why,
                                    negotiator_settlement **out, negotiator_error *error) {
  *out = NULL;
  const char *name = why == NEGOTIATOR_POLICY_FAILED ? "policy-failed" : "credential-required";
  value arguments[3] = {exchange_value(exchange), context_value(context), enum_value(name)};
  return settle(host, REFUSE, arguments, 3, out, error);
}

negotiator_status negotiator_not_durable(negotiator *host, const negotiator_exchange *exchange,
                                         negotiator_settlement **out, negotiator_error *error) {
  *out = NULL;
  value argument = exchange_value(exchange), result;
  negotiator_status status =
      call_function(host, &host->functions[NOT_DURABLE], &argument, 1, &result, error);
  if (status == NEGOTIATOR_OK) status = read_reply(&result, out);
  wasmtime_component_val_delete(&result);
  return status;
}

negotiator_status negotiator_call(negotiator *host, const char *operation, negotiator_text request,
                                  char **answer, bool *ok, negotiator_error *error) {
  static const char not_utf8[] =
      "{\"error\":{\"code\":\"bad-request\",\"path\":\"request\",\"problem\":\"must be UTF-8\"}}";
  *answer = NULL;
  *ok = false;
  if (!is_utf8(request)) {
    *answer = malloc(sizeof not_utf8);
    if (*answer) memcpy(*answer, not_utf8, sizeof not_utf8);
    return NEGOTIATOR_OK;
  }
  wasmtime_component_func_t function;
  if (!find_function(host, "json", operation, &function))
    return fail(error, NEGOTIATOR_REQUEST, "operation", "there is no such operation");
  value argument = text_value(request), result;
  negotiator_status status = call_function(host, &function, &argument, 1, &result, error);
  if (status == NEGOTIATOR_OK) {
    const wasm_name_t *text = &result.of.result.val->of.string;
    *ok = result.of.result.is_ok;
    *answer = malloc(text->size + 1);
    if (*answer) {
      memcpy(*answer, text->data, text->size);
      (*answer)[text->size] = '\0';
    }
  }
  wasmtime_component_val_delete(&result);
  return status;
}

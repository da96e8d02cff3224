/* Loading the component, and calling its functions. */
#include "internal.h"
#include "pins.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most memory of an instance. Growth past this is a fault. */
enum { MAX_MEMORY = 16 << 20 };

negotiator_text negotiator_text_of(const char *string) {
  return (negotiator_text){string, string ? strlen(string) : 0};
}

negotiator_status fail(negotiator_error *error, negotiator_status status, const char *path,
                       const char *message) {
  if (error) {
    snprintf(error->path, sizeof error->path, "%s", path);
    snprintf(error->message, sizeof error->message, "%s", message);
  }
  return status;
}

static bool is_pinned(const void *bytes, size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  char hex[2 * EVP_MAX_MD_SIZE + 1] = "";
  if (!EVP_Digest(bytes, size, digest, &length, EVP_sha256(), NULL)) return false;
  for (unsigned n = 0; n < length; n++) sprintf(hex + 2 * n, "%02x", digest[n]);
  return strcmp(hex, NEGOTIATOR_PIN) == 0;
}

negotiator_status negotiator_component_from_bytes(const void *bytes, size_t size,
                                                  negotiator_component **out,
                                                  negotiator_error *error) {
  *out = NULL;
  if (!is_pinned(bytes, size))
    return fail(error, NEGOTIATOR_DIGEST, "",
                "the bytes are not those of the pinned negotiator.wasm, sha256 " NEGOTIATOR_PIN);
  negotiator_component *component = calloc(1, sizeof *component);
  if (component) component->engine = wasm_engine_new();
  if (!component || !component->engine) {
    negotiator_component_delete(component);
    return fail(error, NEGOTIATOR_COMPONENT, "", "no engine");
  }
  wasmtime_error_t *failed =
      wasmtime_component_new(component->engine, bytes, size, &component->code);
  if (failed) {
    wasmtime_error_delete(failed);
    negotiator_component_delete(component);
    return fail(error, NEGOTIATOR_COMPONENT, "", "the component cannot be compiled");
  }
  /* It imports nothing, so there is nothing to define. */
  component->linker = wasmtime_component_linker_new(component->engine);
  *out = component;
  return NEGOTIATOR_OK;
}

negotiator_status negotiator_component_load(const char *path, negotiator_component **out,
                                            negotiator_error *error) {
  *out = NULL;
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t size = 0, room = 1 << 20;
  if (file && (bytes = malloc(room)) != NULL) {
    size_t got;
    while ((got = fread(bytes + size, 1, room - size, file)) > 0) {
      size += got;
      if (size == room) {
        char *more = realloc(bytes, room *= 2);
        if (!more) break;
        bytes = more;
      }
    }
  }
  negotiator_status status;
  if (!bytes || ferror(file))
    status = fail(error, NEGOTIATOR_NO_FILE, "", "the file cannot be read");
  else
    status = negotiator_component_from_bytes(bytes, size, out, error);
  if (file) fclose(file);
  free(bytes);
  return status;
}

void negotiator_component_delete(negotiator_component *component) {
  if (!component) return;
  if (component->linker) wasmtime_component_linker_delete(component->linker);
  if (component->code) wasmtime_component_delete(component->code);
  if (component->engine) wasm_engine_delete(component->engine);
  free(component);
}

bool find_function(negotiator *host, const char *interface, const char *name,
                   wasmtime_component_func_t *out) {
  wasmtime_context_t *context = wasmtime_store_context(host->store);
  char full[96];
  int length = snprintf(full, sizeof full, "openwop:negotiation/%s@2.0.0", interface);
  wasmtime_component_export_index_t *outer = wasmtime_component_instance_get_export_index(
      &host->instance, context, NULL, full, (size_t)length);
  if (!outer) return false;
  wasmtime_component_export_index_t *inner = wasmtime_component_instance_get_export_index(
      &host->instance, context, outer, name, strlen(name));
  bool found = inner && wasmtime_component_instance_get_func(&host->instance, context, inner, out);
  if (inner) wasmtime_component_export_index_delete(inner);
  wasmtime_component_export_index_delete(outer);
  return found;
}

negotiator_status call_function(negotiator *host, const wasmtime_component_func_t *function,
                                value *arguments, size_t count, value *result,
                                negotiator_error *error) {
  *result = bool_value(false);
  wasmtime_error_t *failed = NULL;
  bool broken = host->broken;
  if (!broken) {
    wasmtime_context_t *context = wasmtime_store_context(host->store);
    failed = wasmtime_component_func_call(function, context, arguments, count, result, 1);
    if (!failed) failed = wasmtime_component_func_post_return(function, context);
    host->broken = failed != NULL;
  }
  for (size_t n = 0; n < count; n++) wasmtime_component_val_delete(&arguments[n]);
  if (failed) wasmtime_error_delete(failed);
  if (host->broken) return fail(error, NEGOTIATOR_COMPONENT, "", "the component failed");
  return NEGOTIATOR_OK;
}

static bool instantiate(negotiator *host, const negotiator_component *component) {
  static const struct {
    const char *interface, *name;
  } wanted[FUNCTIONS] = {
      [CONFIGURE] = {"negotiate", "configure"},     [READ_INBOUND] = {"wire", "read-inbound"},
      [READ_OUTBOUND] = {"wire", "read-outbound"},  [SETTLE] = {"record", "settle"},
      [REFUSE] = {"record", "refuse"},              [NOT_DURABLE] = {"answer", "not-durable"},
  };
  host->store = wasmtime_store_new(component->engine, NULL, NULL);
  wasmtime_store_limiter(host->store, MAX_MEMORY, -1, -1, -1, -1);
  wasmtime_error_t *failed =
      wasmtime_component_linker_instantiate(component->linker, wasmtime_store_context(host->store),
                                            component->code, &host->instance);
  if (failed) {
    wasmtime_error_delete(failed);
    return false;
  }
  for (int n = 0; n < FUNCTIONS; n++)
    if (!find_function(host, wanted[n].interface, wanted[n].name, &host->functions[n]))
      return false;
  return true;
}

static value facet_value(const negotiator_facet *facet) {
  if (!facet) return none_value();
  value *versions, record = record_value(3);
  value offered = list_value(facet->offered_size, &versions);
  for (size_t n = 0; n < facet->offered_size; n++)
    versions[n] = lossy_value(negotiator_text_of(facet->offered[n]));
  set_field(&record, 0, "offered", offered);
  set_field(&record, 1, "preferred", lossy_value(negotiator_text_of(facet->preferred)));
  set_field(&record, 2, "floor", lossy_value(negotiator_text_of(facet->floor)));
  return some_value(record);
}

/* Joins the faults to one message. */
static void list_faults(const value *faults, negotiator_error *error) {
  size_t used = 0;
  if (!error || !faults || faults->kind != WASMTIME_COMPONENT_LIST) return;
  for (size_t n = 0; n < faults->of.list.size && used < sizeof error->message; n++) {
    const value *path = field_of(&faults->of.list.data[n], "path");
    const value *problem = field_of(&faults->of.list.data[n], "problem");
    if (!path || !problem) continue;
    int wrote = snprintf(error->message + used, sizeof error->message - used, "%s%.*s: %.*s",
                         n ? "; " : "", (int)path->of.string.size, path->of.string.data,
                         (int)problem->of.string.size, problem->of.string.data);
    if (wrote > 0) used += (size_t)wrote;
  }
}

negotiator_status negotiator_new(const negotiator_component *component,
                                 const negotiator_facets *facets, const char *settings,
                                 negotiator **out, negotiator_error *error) {
  *out = NULL;
  negotiator *host = calloc(1, sizeof *host);
  if (!host || !instantiate(host, component)) {
    negotiator_delete(host);
    return fail(error, NEGOTIATOR_COMPONENT, "", "the component cannot be instantiated");
  }
  if (!facets) {
    *out = host;
    return NEGOTIATOR_OK;
  }
  value record = record_value(2);
  set_field(&record, 0, "a2a", facet_value(facets->a2a));
  set_field(&record, 1, "mcp", facet_value(facets->mcp));
  value arguments[2] = {record, lossy_value(negotiator_text_of(settings))}, result;
  negotiator_status status =
      call_function(host, &host->functions[CONFIGURE], arguments, 2, &result, error);
  if (status == NEGOTIATOR_OK && !result.of.result.is_ok) {
    status = fail(error, NEGOTIATOR_FACETS, "", "");
    list_faults(result.of.result.val, error);
  }
  wasmtime_component_val_delete(&result);
  if (status == NEGOTIATOR_OK)
    *out = host;
  else
    negotiator_delete(host);
  return status;
}

void negotiator_delete(negotiator *host) {
  if (!host) return;
  if (host->store) wasmtime_store_delete(host->store);
  free(host);
}

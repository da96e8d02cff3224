/**
 * Decides which version of A2A or MCP to use in an exchange, and writes the record that proves it:
 * OpenWOP RFC 0175 and RFC 0242. The rules are those of a certified WebAssembly component, run by
 * wasmtime; this library only carries values in and out, through the component's typed interfaces,
 * and loads no other bytes than those it was released with.
 *
 * Threads: a negotiator_component may be shared by all threads. A negotiator is one instance of it:
 * make one per thread, and use each in one thread at a time.
 *
 * Memory: what a function gives through an `out` parameter belongs to the caller and has a
 * `_delete` function, which takes NULL too. Arguments are only read during the call.
 */
#ifndef NEGOTIATOR_H
#define NEGOTIATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text of any length; NUL is a byte like any other. `data` NULL: absent. */
typedef struct {
  const char *data;
  size_t size;
} negotiator_text;

/** The text of a C string; absent for NULL. */
negotiator_text negotiator_text_of(const char *string);

/** How a call ended. A refusal is an answer, and NEGOTIATOR_OK. */
typedef enum {
  NEGOTIATOR_OK = 0,
  /** The file cannot be read. */
  NEGOTIATOR_NO_FILE,
  /** The bytes are not those of the pinned component. */
  NEGOTIATOR_DIGEST,
  /** Nothing can be decided under these facets; the message lists every fault. */
  NEGOTIATOR_FACETS,
  /** An argument cannot be read; the path names it. */
  NEGOTIATOR_REQUEST,
  /** The component failed: the negotiator must be deleted, and nothing was decided. */
  NEGOTIATOR_COMPONENT
} negotiator_status;

/** What went wrong. It repeats nothing of the arguments. */
typedef struct {
  /** The member, such as `context.eventId`; empty where there is none. */
  char path[128];
  /** In words. */
  char message[1024];
} negotiator_error;

/** The certified component, checked and compiled. */
typedef struct negotiator_component negotiator_component;

/** Loads negotiator.wasm. `error` may be NULL, here and everywhere. */
negotiator_status negotiator_component_load(const char *path, negotiator_component **out,
                                            negotiator_error *error);
/** The same from memory. */
negotiator_status negotiator_component_from_bytes(const void *bytes, size_t size,
                                                  negotiator_component **out,
                                                  negotiator_error *error);
/** Frees it, once all negotiators made from it are deleted. */
void negotiator_component_delete(negotiator_component *component);

/** What a host advertises for one protocol (RFC 0175 §B.1). */
typedef struct {
  /** Every version offered, in any order. */
  const char *const *offered;
  size_t offered_size;
  /** Used when the other side names none. */
  const char *preferred;
  /** Nothing is agreed below it. */
  const char *floor;
} negotiator_facet;

/** The facets of one host; NULL: the protocol is not spoken. */
typedef struct {
  const negotiator_facet *a2a;
  const negotiator_facet *mcp;
} negotiator_facets;

/** Decides under the facets that it was made with. One thread at a time. */
typedef struct negotiator negotiator;

/** Makes one. `settings` are the policy's; the default policy takes none (NULL). Without facets
 *  (NULL) it is for negotiator_call alone, whose requests bring their own. */
negotiator_status negotiator_new(const negotiator_component *component,
                                 const negotiator_facets *facets, const char *settings,
                                 negotiator **out, negotiator_error *error);
void negotiator_delete(negotiator *host);

typedef enum { NEGOTIATOR_A2A, NEGOTIATOR_MCP } negotiator_protocol;
typedef enum { NEGOTIATOR_POST, NEGOTIATOR_GET, NEGOTIATOR_DELETE } negotiator_http_method;

typedef struct {
  negotiator_text name, value;
} negotiator_header;

/** What this host saw of a message that reached it. */
typedef struct {
  negotiator_protocol protocol;
  /** The caller's identity was proven. */
  bool authenticated;
  /** POST also for transports that are not HTTP. */
  negotiator_http_method http_method;
  /** As received: any case, repeats kept, values untrimmed. Bytes that are no UTF-8 are read as
   *  U+FFFD, which is in no version. */
  const negotiator_header *headers;
  size_t headers_size;
  /** Raw query string without `?`. */
  negotiator_text query;
  /** JSON-RPC method. */
  negotiator_text method;
  /** JSON text of the JSON-RPC params. */
  negotiator_text params;
  /** The version that this MCP session agreed on earlier. */
  negotiator_text session;
} negotiator_inbound;

/** What a peer told of the versions that it speaks. */
typedef enum {
  NEGOTIATOR_NOTHING,
  /** Text: JSON of its agent card. */
  NEGOTIATOR_CARD,
  /** Text: JSON of the result of `server/discover`. */
  NEGOTIATOR_DISCOVER,
  /** Text: JSON of its JSON-RPC error object. */
  NEGOTIATOR_ERROR,
  /** Offers: versions that the host has already. */
  NEGOTIATOR_OFFERS
} negotiator_listing;

/** What this host knows before it calls a peer. */
typedef struct {
  negotiator_protocol protocol;
  /** This host acts under its own proven identity. */
  bool authenticated;
  /** The version to ask for; the preferred one when absent. */
  negotiator_text requested;
  negotiator_listing listing;
  negotiator_text listing_text;
  const negotiator_text *offers;
  size_t offers_size;
  /** MCP: JSON text of the result of `initialize`, once it was answered. */
  negotiator_text initialize;
} negotiator_outbound;

/** What was read of one exchange, and all that a decision depends on. */
typedef struct negotiator_exchange negotiator_exchange;

negotiator_status negotiator_read_inbound(negotiator *host, const negotiator_inbound *message,
                                          negotiator_exchange **out, negotiator_error *error);
negotiator_status negotiator_read_outbound(negotiator *host, const negotiator_outbound *message,
                                           negotiator_exchange **out, negotiator_error *error);
void negotiator_exchange_delete(negotiator_exchange *exchange);

/** What the host adds to a decision to put it on record. */
typedef struct {
  /** When: RFC 3339 with offset. Required. */
  const char *at;
  /** Only the digest of its origin is recorded. */
  const char *peer_url;
  /** Who owns the record, from the credential alone; NULL if the caller has no identity. */
  const char *tenant;
  const char *workspace;
  const char *run_id;
  /** The event's place in that run's log; NULL: none. */
  const uint64_t *sequence;
  /** Unique for the host: `^[A-Za-z0-9._~-]{16,128}$`. NULL: a payload but no envelope. */
  const char *event_id;
} negotiator_context;

/** A header to set. */
typedef struct {
  const char *name, *value;
} negotiator_reply_header;

/** What to send back. */
typedef struct {
  /** 200, 400, 401 or 503. */
  int status;
  const negotiator_reply_header *headers;
  size_t headers_size;
  /** JSON text of the JSON-RPC error object of an inbound refusal, else NULL. */
  const char *error;
  /** JSON text of the OpenWOP error envelope of a refusal, else NULL. */
  const char *envelope;
} negotiator_reply;

/** Decision, record and reply of one exchange. NULL stands for absent. */
typedef struct {
  bool accepted;
  /** The only version that may be used on the wire; NULL when refused. */
  const char *version;
  /** `ok`, `below-floor`, `unsupported` or `unauthenticated`. */
  const char *reason;
  /** Finer than the reason and never on record: for people and metrics. */
  const char *cause;
  /** On record as requested. */
  const char *requested;
  /** Accepted below the version that was named. */
  bool downgraded;

  /** `run` or `host`: where the record lives. */
  const char *home;
  /** Who may read it; tenant NULL: nobody may. */
  const char *tenant, *workspace;
  /** Exact JSON text of the payload: store it as it is. */
  const char *payload;
  /** Exact JSON text of the closed envelope; NULL without an event id. */
  const char *event;
  const char *peer_digest;

  negotiator_reply reply;
} negotiator_settlement;

/**
 * Decides, records and answers. Make the record durable before anything else happens; when that
 * fails, answer with negotiator_not_durable instead.
 */
negotiator_status negotiator_settle(negotiator *host, const negotiator_exchange *exchange,
                                    const negotiator_context *context, negotiator_settlement **out,
                                    negotiator_error *error);

typedef enum { NEGOTIATOR_POLICY_FAILED, NEGOTIATOR_CREDENTIAL_REQUIRED } negotiator_host_refusal;

/** Refuses without asking the policy, with the record that belongs to it. */
negotiator_status negotiator_refuse(negotiator *host, const negotiator_exchange *exchange,
                                    const negotiator_context *context, negotiator_host_refusal why,
                                    negotiator_settlement **out, negotiator_error *error);

/** The reply when a record could not be made durable: 503, and nothing is served (R15). Only the
 *  reply of `out` is set. */
negotiator_status negotiator_not_durable(negotiator *host, const negotiator_exchange *exchange,
                                         negotiator_settlement **out, negotiator_error *error);

void negotiator_settlement_delete(negotiator_settlement *settlement);

/**
 * The plain JSON entry: one request of the JSON contract, one answer, exact text. `*ok` is false
 * for an error answer, which is JSON too. `*answer` is NUL-terminated; free it with free().
 */
negotiator_status negotiator_call(negotiator *host, const char *operation, negotiator_text request,
                                  char **answer, bool *ok, negotiator_error *error);

#ifdef __cplusplus
}
#endif

#endif

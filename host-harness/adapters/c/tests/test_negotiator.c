/* test_negotiator NEGOTIATOR.WASM */
#include <negotiator.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                                  \
  ((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define TEXT(literal) ((negotiator_text){literal, sizeof literal - 1})

static const char *const offered[] = {"0.3", "1.0"};
static const negotiator_facet a2a = {offered, 2, "1.0", "0.3"};
static const negotiator_facets facets = {.a2a = &a2a};
static const negotiator_context at = {.at = "2026-11-30T12:00:00Z"};

static negotiator_settlement *settle(negotiator *host, negotiator_text version, bool authenticated,
                                     const negotiator_context *context) {
  negotiator_header header = {TEXT("a2a-version"), version};
  negotiator_inbound message = {.protocol = NEGOTIATOR_A2A, .authenticated = authenticated,
                                .headers = &header, .headers_size = 1,
                                .method = TEXT("SendMessage")};
  negotiator_exchange *exchange;
  negotiator_settlement *settled = NULL;
  CHECK(negotiator_read_inbound(host, &message, &exchange, NULL) == NEGOTIATOR_OK);
  negotiator_settle(host, exchange, context, &settled, NULL);
  negotiator_exchange_delete(exchange);
  return settled;
}

static void accepted(negotiator *host) {
  negotiator_context context = {.at = "2026-11-30T12:00:00Z", .tenant = "acme",
                                .workspace = "ws-1", .event_id = "hev-0123456789abcdef01234567"};
  negotiator_settlement *s = settle(host, TEXT("0.3"), true, &context);
  CHECK(s->accepted && !s->downgraded && !strcmp(s->version, "0.3") && !strcmp(s->reason, "ok"));
  CHECK(!strcmp(s->cause, "exact") && !strcmp(s->requested, "0.3") && !strcmp(s->home, "host"));
  CHECK(!strcmp(s->tenant, "acme") && !strcmp(s->workspace, "ws-1") && !s->peer_digest);
  const char *payload = "{\"protocol\":\"a2a\",\"outcome\":\"accepted\",\"requested\":\"0.3\","
                        "\"version\":\"0.3\",\"floor\":\"0.3\",\"reason\":\"ok\","
                        "\"at\":\"2026-11-30T12:00:00Z\"}";
  CHECK(!strcmp(s->payload, payload) && strstr(s->event, payload));
  CHECK(s->reply.status == 200 && s->reply.headers_size == 1 && !s->reply.error &&
        !s->reply.envelope);
  CHECK(!strcmp(s->reply.headers[0].name, "A2A-Version") &&
        !strcmp(s->reply.headers[0].value, "0.3"));
  negotiator_settlement_delete(s);
}

static void refused(negotiator *host) {
  negotiator_settlement *s = settle(host, TEXT("0.3"), false, &at);
  CHECK(!s->accepted && !s->version && !strcmp(s->reason, "unauthenticated"));
  CHECK(!s->tenant && !s->event && s->reply.status == 401);
  CHECK(strstr(s->reply.error, "-32009") && strstr(s->reply.envelope, "unauthenticated"));
  negotiator_settlement_delete(s);

  negotiator_inbound message = {.protocol = NEGOTIATOR_A2A, .authenticated = true};
  negotiator_exchange *exchange;
  CHECK(!negotiator_read_inbound(host, &message, &exchange, NULL));
  CHECK(!negotiator_refuse(host, exchange, &at, NEGOTIATOR_CREDENTIAL_REQUIRED, &s, NULL));
  CHECK(!strcmp(s->cause, "credential-required"));
  negotiator_settlement_delete(s);
  CHECK(!negotiator_not_durable(host, exchange, &s, NULL));
  CHECK(s->reply.status == 503 && strstr(s->reply.error, "-32603"));
  negotiator_settlement_delete(s);
  negotiator_exchange_delete(exchange);
}

static void outbound(negotiator *host) {
  negotiator_text offers[] = {TEXT("0.3"), TEXT("no version")};
  negotiator_outbound message = {.protocol = NEGOTIATOR_A2A, .authenticated = true,
                                 .listing = NEGOTIATOR_OFFERS, .offers = offers, .offers_size = 2};
  negotiator_context context = {.at = at.at, .peer_url = "https://peer.example/a2a"};
  negotiator_exchange *exchange;
  negotiator_settlement *s;
  CHECK(!negotiator_read_outbound(host, &message, &exchange, NULL));
  CHECK(!negotiator_settle(host, exchange, &context, &s, NULL));
  CHECK(s->downgraded && !strcmp(s->cause, "common") && strlen(s->peer_digest) == 64);
  negotiator_settlement_delete(s);
  negotiator_exchange_delete(exchange);

  message.listing = NEGOTIATOR_CARD;
  message.listing_text = TEXT("{\"protocolVersion\":\"1.0\"}");
  CHECK(!negotiator_read_outbound(host, &message, &exchange, NULL));
  CHECK(!negotiator_settle(host, exchange, &context, &s, NULL));
  CHECK(s->accepted && !strcmp(s->version, "1.0"));
  negotiator_settlement_delete(s);
  negotiator_exchange_delete(exchange);
}

static void odd_text(negotiator *host) {
  /* Surrogates, overlong forms, stray and missing bytes, past U+10FFFF; NUL; the empty text. */
  const negotiator_text versions[] = {TEXT("\xED\xA0\x80"), TEXT("\xC0\xAE"), TEXT("\x80"),
                                      TEXT("1.0\xE2\x82"),  TEXT("\xF4\x90\x80\x80"),
                                      TEXT("1.0\0"),        TEXT("\xF0\x9F\x98\x80")};
  for (size_t n = 0; n < sizeof versions / sizeof *versions; n++) {
    negotiator_settlement *s = settle(host, versions[n], true, &at);
    CHECK(s && !s->accepted && !strcmp(s->cause, "malformed"));
    negotiator_settlement_delete(s);
  }
  negotiator_exchange *exchange;
  negotiator_error error;
  negotiator_inbound message = {.protocol = NEGOTIATOR_MCP, .params = TEXT("{\"x\":\"\xFF\"}")};
  CHECK(negotiator_read_inbound(host, &message, &exchange, &error) == NEGOTIATOR_REQUEST);
  CHECK(!strcmp(error.path, "exchange.params") && !exchange);

  char *answer;
  bool ok;
  CHECK(!negotiator_call(host, "digest", TEXT("{\"url\":\"\xED\xA0\x80\"}"), &answer, &ok, NULL));
  CHECK(!ok && strstr(answer, "\"path\":\"request\""));
  free(answer);
  CHECK(!negotiator_call(host, "digest", TEXT("{\"url\":null}"), &answer, &ok, NULL));
  CHECK(ok && !strcmp(answer, "{\"peerDigest\":null}"));
  free(answer);
  CHECK(negotiator_call(host, "none", TEXT("{}"), &answer, &ok, NULL) == NEGOTIATOR_REQUEST);
}

static void errors(const negotiator_component *component, negotiator *host, const char *path) {
  negotiator_error error;
  negotiator_context context = {.at = at.at, .event_id = "no good"};
  negotiator_inbound message = {.protocol = NEGOTIATOR_A2A};
  negotiator_exchange *exchange;
  negotiator_settlement *s;
  CHECK(!negotiator_read_inbound(host, &message, &exchange, NULL));
  CHECK(negotiator_settle(host, exchange, &context, &s, &error) == NEGOTIATOR_REQUEST && !s);
  CHECK(!strcmp(error.path, "context.eventId") && !strstr(error.message, "no good"));
  negotiator_exchange_delete(exchange);

  negotiator_facet wrong = {offered, 2, "0.3", "1.0"};
  negotiator *none;
  CHECK(negotiator_new(component, &(negotiator_facets){.a2a = &wrong}, NULL, &none, &error) ==
            NEGOTIATOR_FACETS && !none);
  CHECK(strstr(error.message, "above-preferred"));

  negotiator_component *other;
  CHECK(negotiator_component_load("/nowhere", &other, &error) == NEGOTIATOR_NO_FILE && !other);
  FILE *file = fopen(path, "rb");
  static char bytes[1 << 20];
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  bytes[size - 1] ^= 1;
  CHECK(negotiator_component_from_bytes(bytes, size, &other, &error) == NEGOTIATOR_DIGEST);
}

static void *many(void *component) {
  negotiator *host;
  CHECK(!negotiator_new(component, &facets, NULL, &host, NULL));
  for (int n = 0; n < 200; n++) {
    negotiator_settlement *s = settle(host, n % 2 ? TEXT("1.0") : TEXT("0.2"), true, &at);
    CHECK(s->reply.status == (n % 2 ? 200 : 400));
    negotiator_settlement_delete(s);
  }
  negotiator_delete(host);
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  negotiator_component *component;
  negotiator *host;
  negotiator_error error = {"", ""};
  if (negotiator_component_load(arguments[1], &component, &error) ||
      negotiator_new(component, &facets, NULL, &host, &error))
    return printf("%s\n", error.message), 1;
  accepted(host);
  refused(host);
  outbound(host);
  odd_text(host);
  errors(component, host, arguments[1]);
  pthread_t threads[8];
  for (int n = 0; n < 8; n++) pthread_create(&threads[n], NULL, many, component);
  for (int n = 0; n < 8; n++) pthread_join(threads[n], NULL);
  negotiator_delete(host);
  negotiator_component_delete(component);
  printf("%d failures\n", failures);
  return failures != 0;
}

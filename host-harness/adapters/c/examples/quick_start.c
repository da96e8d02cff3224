#include <negotiator.h>
#include <stdio.h>

int main(void) {
  negotiator_component *component;
  negotiator *host;
  negotiator_exchange *exchange;
  negotiator_settlement *settled;
  negotiator_error error;
  const char *offered[] = {"0.3", "1.0"};
  negotiator_facet a2a = {offered, 2, "1.0", "0.3"};
  negotiator_header header = {negotiator_text_of("A2A-Version"), negotiator_text_of("0.3")};
  negotiator_inbound message = {.protocol = NEGOTIATOR_A2A, .headers = &header, .headers_size = 1};
  negotiator_context context = {.at = "2026-11-30T12:00:00Z"};

  if (negotiator_component_load("../../../dist/negotiator.wasm", &component, &error) ||
      negotiator_new(component, &(negotiator_facets){.a2a = &a2a}, NULL, &host, &error) ||
      negotiator_read_inbound(host, &message, &exchange, &error) ||
      negotiator_settle(host, exchange, &context, &settled, &error))
    return fprintf(stderr, "%s %s\n", error.path, error.message), 1;
  printf("%s %d\n%s\n", settled->reason, settled->reply.status, settled->payload);

  negotiator_settlement_delete(settled);
  negotiator_exchange_delete(exchange);
  negotiator_delete(host);
  negotiator_component_delete(component);
  return 0;
}

/* A gate for an A2A server: reads the header of one HTTP request from standard input, decides,
 * makes the record durable, and only then says what to do. Exit code 0: serve it, at the version
 * printed; 1: send what is printed.
 *
 *     printf 'POST /?x=1 HTTP/1.1\r\nA2A-Version: 0.3\r\n\r\n' | gate negotiator.wasm records.jsonl
 *
 * A caller is authenticated where the first argument after the journal names its tenant: that is the
 * business of whoever checks credentials. */
#include <negotiator.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_HEADERS = 256 };

static char *trim_end(char *line) {
  line[strcspn(line, "\r\n")] = '\0';
  return line;
}

/* Returns when the line is on the disk. */
static bool record(const char *path, const char *line) {
  size_t size = strlen(line);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return false;
  bool durable = write(file, line, size) == (ssize_t)size && write(file, "\n", 1) == 1 &&
                 fsync(file) == 0;
  return close(file) == 0 && durable;
}

static int refuse(const negotiator_reply *reply) {
  printf("HTTP/1.1 %d\r\n", reply->status);
  for (size_t n = 0; n < reply->headers_size; n++)
    printf("%s: %s\r\n", reply->headers[n].name, reply->headers[n].value);
  printf("Content-Type: application/json\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":%s}\n",
         reply->error);
  return 1;
}

int main(int count, char **arguments) {
  if (count < 3) return fprintf(stderr, "usage: gate NEGOTIATOR.WASM RECORDS [TENANT]\n"), 2;
  static const char *const offered[] = {"0.3", "1.0"};
  const negotiator_facet a2a = {offered, 2, "1.0", "0.3"};
  const negotiator_facets facets = {.a2a = &a2a};
  negotiator_component *component = NULL;
  negotiator *host = NULL;
  negotiator_exchange *exchange = NULL;
  negotiator_settlement *settled = NULL;
  negotiator_error error;

  static char lines[MOST_HEADERS][8192];
  negotiator_header headers[MOST_HEADERS];
  negotiator_inbound message = {.protocol = NEGOTIATOR_A2A, .authenticated = count > 3};
  if (!fgets(lines[0], sizeof lines[0], stdin)) return 2;
  char *target = strchr(lines[0], ' '), *query = target ? strchr(target, '?') : NULL;
  if (strncmp(lines[0], "GET ", 4) == 0) message.http_method = NEGOTIATOR_GET;
  if (query) {
    query[strcspn(query, " \r\n")] = '\0';
    message.query = negotiator_text_of(query + 1);
  }
  for (size_t n = 1; n < MOST_HEADERS && fgets(lines[n], sizeof lines[n], stdin); n++) {
    char *colon = strchr(trim_end(lines[n]), ':');
    if (!colon) break;
    *colon = '\0';
    headers[n - 1] = (negotiator_header){negotiator_text_of(lines[n]),
                                         negotiator_text_of(colon + 1)};
    message.headers_size = n;
  }
  message.headers = headers;

  char at[32], id[64];
  time_t now = time(NULL);
  strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  snprintf(id, sizeof id, "hev-%016llx%08lx", (unsigned long long)now, (long)getpid());
  negotiator_context context = {.at = at, .event_id = id};
  if (count > 3) context.tenant = arguments[3];

  if (negotiator_component_load(arguments[1], &component, &error) ||
      negotiator_new(component, &facets, NULL, &host, &error) ||
      negotiator_read_inbound(host, &message, &exchange, &error) ||
      negotiator_settle(host, exchange, &context, &settled, &error))
    return fprintf(stderr, "%s %s\n", error.path, error.message), 2;

  int code = 0;
  if (!record(arguments[2], settled->event)) {
    /* No durable record: nothing is served (R15). */
    negotiator_settlement_delete(settled);
    if (negotiator_not_durable(host, exchange, &settled, &error)) return 2;
    code = refuse(&settled->reply);
  } else if (!settled->accepted) {
    code = refuse(&settled->reply);
  } else {
    printf("%s%s\n", settled->version, settled->downgraded ? " (downgraded)" : "");
  }
  negotiator_settlement_delete(settled);
  negotiator_exchange_delete(exchange);
  negotiator_delete(host);
  negotiator_component_delete(component);
  return code;
}

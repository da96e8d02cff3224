/* Answers every line of a corpus and compares each answer with the one that the line states, byte
 * for byte; then it may settle many times on several threads and report the memory before and
 * after. Its last line is a JSON object for `cargo xtask hosts`. */
#include <negotiator.h>

#include <jansson.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  negotiator_text *requests;
  size_t size;
} settles;

typedef struct {
  negotiator *host;
  const settles *all;
  size_t first, step, count;
  bool failed;
} job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double resident_mib(void) {
  char line[256];
  double kib = 0;
  malloc_trim(0);
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmRSS: %lf", &kib) == 1) break;
  if (status) fclose(status);
  return kib / 1024;
}

static void *work(void *given) {
  job *j = given;
  for (size_t n = j->first; n < j->count && !j->failed; n += j->step) {
    char *answer;
    bool ok;
    negotiator_status status =
        negotiator_call(j->host, "settle", j->all->requests[n % j->all->size], &answer, &ok, NULL);
    j->failed = status != NEGOTIATOR_OK || !ok;
    free(answer);
  }
  return NULL;
}

static bool settle(job *jobs, size_t threads, size_t count) {
  pthread_t ids[64];
  bool failed = false;
  for (size_t t = 0; t < threads; t++) {
    jobs[t].count = count;
    pthread_create(&ids[t], NULL, work, &jobs[t]);
  }
  for (size_t t = 0; t < threads; t++) {
    pthread_join(ids[t], NULL);
    failed |= jobs[t].failed;
  }
  return !failed;
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  text[fread(text, 1, (size_t)size, file)] = '\0';
  fclose(file);
  return text;
}

static negotiator_text text_of(const json_t *line, const char *name) {
  const json_t *text = json_object_get(line, name);
  return (negotiator_text){json_string_value(text), json_string_length(text)};
}

int main(int count, char **arguments) {
  const char *vectors = NULL, *path = NULL;
  size_t total_settles = 0, threads = 1;
  for (int n = 1; n + 1 < count; n += 2) {
    if (!strcmp(arguments[n], "--vectors")) vectors = arguments[n + 1];
    if (!strcmp(arguments[n], "--component")) path = arguments[n + 1];
    if (!strcmp(arguments[n], "--settles")) total_settles = strtoul(arguments[n + 1], NULL, 10);
    if (!strcmp(arguments[n], "--threads")) threads = strtoul(arguments[n + 1], NULL, 10);
  }
  if (!vectors || !path || threads < 1 || threads > 64) return 2;
  negotiator_component *component;
  negotiator *hosts[64];
  negotiator_error error;
  double start = now();
  if (negotiator_component_load(path, &component, &error) ||
      negotiator_new(component, NULL, NULL, &hosts[0], &error))
    return fprintf(stderr, "%s %s\n", error.path, error.message), 2;
  double load = now() - start;

  char *corpus = read_file(vectors);
  if (!corpus) return fprintf(stderr, "the corpus cannot be read\n"), 2;
  size_t passed = 0, total = 0, lines = 1;
  for (const char *c = corpus; *c; c++) lines += *c == '\n';
  settles all = {calloc(lines, sizeof *all.requests), 0};
  double *times = calloc(lines, sizeof *times);
  for (char *line = strtok(corpus, "\n"); line; line = strtok(NULL, "\n")) {
    json_t *vector = json_loads(line, JSON_ALLOW_NUL, NULL);
    if (!vector) return fprintf(stderr, "a line of the corpus is no JSON\n"), 2;
    negotiator_text request = text_of(vector, "requestText");
    const char *operation = text_of(vector, "op").data;
    const char *expected = text_of(vector, "answerText").data;
    char *answer;
    bool ok;
    double before = now();
    negotiator_status status =
        negotiator_call(hosts[0], operation, request, &answer, &ok, &error);
    double took = now() - before;
    if (status != NEGOTIATOR_OK) return fprintf(stderr, "%s\n", error.message), 2;
    total++;
    bool right = ok == json_is_true(json_object_get(vector, "ok")) &&
                 expected && strcmp(answer, expected) == 0;
    passed += right;
    if (!right) printf("%s: expected %s\n  got %s\n", text_of(vector, "id").data, expected, answer);
    if (ok && !strcmp(operation, "settle")) {
      times[all.size] = took;
      char *kept = memcpy(malloc(request.size), request.data, request.size);
      all.requests[all.size++] = (negotiator_text){kept, request.size};
    }
    free(answer);
    json_decref(vector);
  }
  free(corpus);
  if (all.size == 0) return 2;
  qsort(times, all.size, sizeof *times, by_size);

  printf("%zu of %zu passed\n", passed, total);
  char settled[96] = "";
  if (total_settles > 0) {
    job jobs[64];
    for (size_t t = 0; t < threads; t++) {
      if (t > 0 && negotiator_new(component, NULL, NULL, &hosts[t], &error)) return 2;
      jobs[t] = (job){.host = hosts[t], .all = &all, .first = t, .step = threads};
    }
    if (!settle(jobs, threads, total_settles / 10)) return 2;
    double before = resident_mib();
    if (!settle(jobs, threads, total_settles)) return 2;
    snprintf(settled, sizeof settled, ",\"memoryBeforeMiB\":%.2f,\"memoryAfterMiB\":%.2f", before,
             resident_mib());
  }
  printf("{\"language\":\"C\",\"runtime\":\"wasmtime\",\"version\":\"48.0.0 (C API)\","
         "\"passed\":%zu,\"total\":%zu,\"settleMicros\":%.2f,\"loadMillis\":%.1f,"
         "\"memoryMiB\":%.2f%s}\n",
         passed, total, times[all.size / 2] * 1e6, load * 1e3, resident_mib(), settled);
  return passed == total ? 0 : 1;
}

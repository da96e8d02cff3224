/* Answers every line of a corpus and compares each answer with the one that the line states, byte
 * for byte; then it may settle many times on several threads and report the memory before and
 * after. Its last line is a JSON object for `cargo xtask hosts`. */
#include <negotiator.h>

#include <cjson/cJSON.h>
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

static const char *text_of(const cJSON *line, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, name));
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
  const negotiator_facets none = {NULL, NULL};
  double start = now();
  if (negotiator_component_load(path, &component, &error) ||
      negotiator_new(component, &none, NULL, &hosts[0], &error))
    return fprintf(stderr, "%s %s\n", error.path, error.message), 2;
  double load = now() - start;

  char *corpus = read_file(vectors);
  if (!corpus) return fprintf(stderr, "the corpus cannot be read\n"), 2;
  size_t passed = 0, total = 0, lines = 1;
  for (const char *c = corpus; *c; c++) lines += *c == '\n';
  settles all = {calloc(lines, sizeof *all.requests), 0};
  double *times = calloc(lines, sizeof *times);
  for (char *line = strtok(corpus, "\n"); line; line = strtok(NULL, "\n")) {
    cJSON *vector = cJSON_Parse(line);
    /* cJSON reads \u0000 as the end of a text: such texts are cut out of the line instead. None of
     * the corpus has one in a request or an answer but as an escape of the inner JSON. */
    negotiator_text request = negotiator_text_of(text_of(vector, "requestText"));
    const char *operation = text_of(vector, "op"), *expected = text_of(vector, "answerText");
    char *answer;
    bool ok;
    double before = now();
    negotiator_status status =
        negotiator_call(hosts[0], operation, request, &answer, &ok, &error);
    double took = now() - before;
    if (status != NEGOTIATOR_OK) return fprintf(stderr, "%s\n", error.message), 2;
    total++;
    bool right = ok == cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(vector, "ok")) &&
                 expected && strcmp(answer, expected) == 0;
    passed += right;
    if (!right) printf("%s: expected %s\n  got %s\n", text_of(vector, "id"), expected, answer);
    if (ok && !strcmp(operation, "settle")) {
      times[all.size] = took;
      all.requests[all.size++] = negotiator_text_of(strdup(request.data));
    }
    free(answer);
    cJSON_Delete(vector);
  }
  free(corpus);
  if (all.size == 0) return 2;
  qsort(times, all.size, sizeof *times, by_size);

  cJSON *report = cJSON_CreateObject();
  cJSON_AddStringToObject(report, "language", "C");
  cJSON_AddStringToObject(report, "runtime", "wasmtime");
  cJSON_AddStringToObject(report, "version", "48.0.0 (C API)");
  cJSON_AddNumberToObject(report, "passed", (double)passed);
  cJSON_AddNumberToObject(report, "total", (double)total);
  cJSON_AddNumberToObject(report, "settleMicros", times[all.size / 2] * 1e6);
  cJSON_AddNumberToObject(report, "loadMillis", load * 1e3);
  if (total_settles > 0) {
    job jobs[64];
    for (size_t t = 0; t < threads; t++) {
      if (t > 0 && negotiator_new(component, &none, NULL, &hosts[t], &error)) return 2;
      jobs[t] = (job){.host = hosts[t], .all = &all, .first = t, .step = threads};
    }
    if (!settle(jobs, threads, total_settles / 10)) return 2;
    cJSON_AddNumberToObject(report, "memoryBeforeMiB", resident_mib());
    if (!settle(jobs, threads, total_settles)) return 2;
    cJSON_AddNumberToObject(report, "memoryAfterMiB", resident_mib());
  }
  cJSON_AddNumberToObject(report, "memoryMiB", resident_mib());
  char *text = cJSON_PrintUnformatted(report);
  puts(text);
  return passed == total ? 0 : 1;
}

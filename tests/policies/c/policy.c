// The policy `exact` in C: use what was asked for, or nothing. It takes no settings.
//
// Freestanding: no C library, no generated code. A component's functions are core functions with
// long names; what they take and give lies in memory as the canonical ABI lays it out, which for
// these types is how C lays out structs on wasm32.

#include <stdint.h>

#define POLICY "openwop:negotiation/policy@2.0.0#"
#define EXPORT(name) __attribute__((export_name(name)))

typedef struct { const char *text; uint32_t length; } string;
typedef struct { uint8_t some; string value; } optional_string;
typedef struct { const string *items; uint32_t length; } strings;

typedef struct {
  uint8_t protocol, direction, authenticated;
  string asked;
  strings candidates;
  string preferred, floor;
  optional_string tenant, workspace, peer_digest, at;
} proposal;

typedef struct { uint8_t tag; string value; } answer;
enum { GRANT = 0, DENY = 1, OK = 0, ERROR = 1 };

static answer reply;

// Memory for what the host passes in. One call's needs are small and gone once it has returned, so
// each call begins at the start again.
static char heap[64 * 1024];
static uint32_t used;

EXPORT("cabi_realloc")
void *allocate(void *old, uint32_t old_size, uint32_t align, uint32_t size) {
  uint32_t start = (used + align - 1) & -align;
  // Strings are passed as they are and never grow: anything else is a fault of the host.
  if (old || old_size || start > sizeof heap || size > sizeof heap - start) __builtin_trap();
  used = start + size;
  return heap + start;
}

static void release(void) { used = 0; }
EXPORT("cabi_post_" POLICY "configure") void after_configure(answer *given) { release(); }
EXPORT("cabi_post_" POLICY "judge") void after_judge(answer *given) { release(); }

EXPORT(POLICY "configure")
answer *configure(const char *settings, uint32_t length) {
  static const char refusal[] = "settings must be empty: the policy `exact` takes none";
  reply = length ? (answer){ERROR, {refusal, sizeof refusal - 1}} : (answer){OK, {0, 0}};
  return &reply;
}

static int same(string a, string b) {
  if (a.length != b.length) return 0;
  for (uint32_t i = 0; i < a.length; i++) {
    if (a.text[i] != b.text[i]) return 0;
  }
  return 1;
}

EXPORT(POLICY "judge")
answer *judge(const proposal *asking) {
  reply = (answer){DENY, {0, 0}};
  // Granting a version that is no candidate would break the contract of a policy.
  for (uint32_t i = 0; i < asking->candidates.length; i++) {
    if (same(asking->candidates.items[i], asking->asked)) reply = (answer){GRANT, asking->asked};
  }
  return &reply;
}

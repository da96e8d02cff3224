package negotiator_test

import (
	"os"
	"strings"
	"testing"
)

// What the README shows is what the example runs.
func TestTheQuickStartIsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t")
	if block == "" || !strings.Contains(string(example), indented) {
		t.Error("README.md and example_test.go differ")
	}
	_, output, _ := strings.Cut(string(readme), "```text\n")
	output, _, _ = strings.Cut(output, "```")
	for _, line := range strings.Split(strings.TrimSpace(output), "\n") {
		if !strings.Contains(string(example), "// "+line) {
			t.Errorf("not what the example prints: %s", line)
		}
	}
}

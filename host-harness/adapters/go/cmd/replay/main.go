// Command replay answers every line of a corpus with the component and compares each answer with
// the one that the line states, byte for byte; then it may settle many times on several goroutines
// and report the memory before and after. Its last line is a JSON object for `cargo xtask hosts`.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	negotiator "github.com/openwop/negotiator/go"
)

type line struct {
	ID          string `json:"id"`
	Op          string `json:"op"`
	RequestText string `json:"requestText"`
	OK          bool   `json:"ok"`
	AnswerText  string `json:"answerText"`
}

type report struct {
	Language        string   `json:"language"`
	Runtime         string   `json:"runtime"`
	Version         string   `json:"version"`
	Passed          int      `json:"passed"`
	Total           int      `json:"total"`
	SettleMicros    float64  `json:"settleMicros"`
	LoadMillis      float64  `json:"loadMillis"`
	MemoryMiB       float64  `json:"memoryMiB"`
	MemoryBeforeMiB *float64 `json:"memoryBeforeMiB,omitempty"`
	MemoryAfterMiB  *float64 `json:"memoryAfterMiB,omitempty"`
}

func main() {
	vectors := flag.String("vectors", "", "corpus, JSON lines")
	dist := flag.String("component", "", "negotiator.core.wasm, or another file of its folder")
	settles := flag.Int("settles", 0, "settle this many times more")
	threads := flag.Int("threads", 1, "on this many goroutines at once")
	flag.Parse()
	result, err := run(context.Background(), *vectors, *dist, *settles, *threads)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	text, _ := json.Marshal(result)
	fmt.Println(string(text))
	if result.Passed != result.Total || result.Total == 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, vectors, dist string, settles, threads int) (report, error) {
	result := report{Language: "Go", Runtime: "wazero", Version: version()}
	lines, err := read(vectors)
	if err != nil {
		return result, err
	}
	start := time.Now()
	core := filepath.Join(filepath.Dir(dist), "negotiator.core.wasm")
	component, err := negotiator.LoadFile(ctx, core, negotiator.Instances(max(threads, 1)))
	if err != nil {
		return result, err
	}
	defer component.Close(ctx)
	if _, _, err := component.Call(ctx, "digest", []byte(`{"url":null}`)); err != nil {
		return result, err
	}
	result.LoadMillis = time.Since(start).Seconds() * 1e3

	var requests [][]byte
	var times []time.Duration
	for _, line := range lines {
		request := []byte(line.RequestText)
		start := time.Now()
		answer, ok, err := component.Call(ctx, line.Op, request)
		took := time.Since(start)
		if err != nil {
			return result, fmt.Errorf("%s: %w", line.ID, err)
		}
		if line.Op == "settle" && ok {
			requests, times = append(requests, request), append(times, took)
		}
		result.Total++
		if ok == line.OK && string(answer) == line.AnswerText {
			result.Passed++
		} else {
			fmt.Printf("%s: expected %v %s\n  got %v %s\n", line.ID, line.OK, line.AnswerText, ok, answer)
		}
	}
	if len(times) > 0 {
		slices.Sort(times)
		result.SettleMicros = times[len(times)/2].Seconds() * 1e6
	}
	if settles > 0 && len(requests) > 0 {
		// The first tenth brings pools and heap to their size.
		if err := settle(ctx, component, requests, settles/10, threads); err != nil {
			return result, err
		}
		before := memory()
		if err := settle(ctx, component, requests, settles, threads); err != nil {
			return result, err
		}
		after := memory()
		result.MemoryBeforeMiB, result.MemoryAfterMiB = &before, &after
	}
	result.MemoryMiB = memory()
	return result, nil
}

// settle settles count times, shared among the goroutines.
func settle(ctx context.Context, c *negotiator.Component, requests [][]byte, count, threads int) error {
	var group sync.WaitGroup
	failures := make(chan error, threads)
	for t := range threads {
		group.Go(func() {
			for n := t; n < count; n += threads {
				if _, ok, err := c.Call(ctx, "settle", requests[n%len(requests)]); err != nil || !ok {
					failures <- fmt.Errorf("a settle failed: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func read(path string) ([]line, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []line
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d of the corpus: %w", len(lines)+1, err)
		}
		lines = append(lines, l)
	}
	return lines, scanner.Err()
}

// memory is the resident memory of the process in MiB, garbage returned first.
func memory() float64 {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		// No /proc here: what the Go runtime holds is the next best figure.
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return float64(stats.Sys) / (1 << 20)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kib / 1024
}

func version() string {
	wazero := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/tetratelabs/wazero" {
				wazero = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return wazero + " (" + runtime.Version() + ")"
}

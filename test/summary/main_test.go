package main

import (
	"os"
	"strings"
	"testing"
)

// recorded returns what go test -json has written: see testdata/README.
func recorded(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFailuresAreShownAndCounted(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	failed, err := summarize(strings.NewReader(recorded(t, "stream.json")+recorded(t, "race.json")), &out)
	if err != nil || failed != 7 {
		t.Errorf("%d failed (%v)", failed, err)
	}
	for _, want := range []string{
		"broken_test.go:3:29: undefined: undefined\nFAIL\texample/broken [build failed]\n",
		"good_test.go:4: got 1, want 2\n--- FAIL: TestFails/b", "--- FAIL: TestFails ",
		"a goroutine leaked\nFAIL\texample/mainfails\t",
		"panics_test.go:4: shown\n--- FAIL: TestPanics", "panic: assignment to entry in nil map",
		"waits for nobody\npanic: test timed out after 2s\n\trunning tests:\n\t\tTestHangs (2s)\n",
		"example/slow.TestHangs(", // in the stack
		"WARNING: DATA RACE\n", "races.TestPassesBesideARace.func1()\n      /src/races/race_test.go:12",
		"slowest packages:\n    2.3s  example/slow\n", "slowest tests:\n    0.3s  example/good TestSlow\n",
		"\nskipped: no database\n  example/good TestSkips and 1 more\n7 passed, 7 failed, 2 skipped\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	for _, unwanted := range []string{"=== RUN", "--- PASS", "--- SKIP", "good_test.go:5", "nobody reads this", "panics_test.go:3"} {
		if strings.Contains(out.String(), unwanted) {
			t.Errorf("the summary has %q", unwanted)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// TestWhatDidNotEndHasFailed ends the stream after each line, as if go test had been killed.
func TestWhatDidNotEndHasFailed(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(`{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"waiting\n"}
{"Action":"pass","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
`, "\n")
	for n := range len(lines) {
		var out strings.Builder
		failed, err := summarize(strings.NewReader(strings.Join(lines[:n], "")), &out)
		ended := n == 0 || n == len(lines)-1
		if err != nil || ended != (failed == 0) || ended == strings.Contains(out.String(), "FAIL\ta [did not end]\n") {
			t.Errorf("after %d lines %d failed (%v):\n%s", n, failed, err, out.String())
		}
	}
}

func TestLinesThatAreNotEventsAreKept(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if _, err := summarize(strings.NewReader("go: cannot find main module\n"), &out); err != nil || !strings.HasPrefix(out.String(), "go: cannot find main module\n") {
		t.Errorf("%q (%v)", out.String(), err)
	}
}

// Command summary reads what go test -json writes. It prints a line for each package that ends
// and the output of tests that failed. At the end it lists the slowest packages and tests and
// what was skipped. Its exit status is 1 if anything failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	failed, err := summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
	}
	if failed > 0 || err != nil {
		os.Exit(1)
	}
}

// An event is one line of go test -json: see go doc test2json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// name identifies a package, or a test of a package if Test is set.
type name struct{ Package, Test string }

func (n name) String() string { return strings.TrimSpace(n.Package + " " + n.Test) }

// timed is a package or a test with its duration in seconds.
type timed struct {
	name    name
	seconds float64
}

type summary struct {
	out             io.Writer
	output          map[string][]event // by package that has not ended
	ended           map[name]string    // test -> pass, fail or skip
	count           map[string]int     // by pass, fail and skip
	packages, tests []timed
	skipped         map[string][]name // by reason
}

// summarize returns how many tests failed. A package that failed without a failed test counts
// as one.
func summarize(in io.Reader, out io.Writer) (failed int, err error) {
	s := &summary{
		out: out, output: map[string][]event{}, ended: map[name]string{}, count: map[string]int{}, skipped: map[string][]name{},
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &e) != nil:
			fmt.Fprint(out, line) // go test itself reports something
		default:
			s.add(e)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	for p := range s.output { // go test was killed
		s.add(event{Action: "output", Package: p, Output: "FAIL\t" + p + " [did not end]\n"})
		s.add(event{Action: "fail", Package: p})
	}
	s.close()
	return s.count["fail"], nil
}

func (s *summary) add(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "start":
		s.output[e.Package] = nil
	case "output":
		s.output[e.Package] = append(s.output[e.Package], e)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.endPackage(e)
		} else {
			s.endTest(e)
		}
	}
}

func (s *summary) endTest(e event) {
	test := name{e.Package, e.Test}
	s.ended[test] = e.Action
	s.count[e.Action]++
	if !strings.Contains(e.Test, "/") {
		s.tests = append(s.tests, timed{test, e.Elapsed})
	}
	if e.Action == "skip" {
		reason := s.reason(test)
		s.skipped[reason] = append(s.skipped[reason], test)
	}
}

var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)\n`)

// reason returns the last line that a skipped test has logged.
func (s *summary) reason(test name) string {
	reason := "without a reason"
	for _, e := range s.output[test.Package] {
		if m := logged.FindStringSubmatch(e.Output); m != nil && e.Test == test.Test {
			reason = m[1]
		}
	}
	return reason
}

var (
	progress = regexp.MustCompile(`^(=== (RUN|PAUSE|CONT|NAME) | *--- (PASS|SKIP): |PASS\n|\?   \t)`)
	logging  = regexp.MustCompile(`^    (\S+\.go:\d+: |    )`) // and its further lines
)

// endPackage prints the output of a package, without what tests that passed or skipped have
// logged. A report of the race detector may be among the output of any test.
func (s *summary) endPackage(e event) {
	failed := false
	for _, o := range s.output[e.Package] {
		ended := s.ended[name{e.Package, o.Test}]
		failed = failed || ended == "fail"
		hidden := e.Action == "pass" && o.Test != "" || (ended == "pass" || ended == "skip") && logging.MatchString(o.Output)
		if !hidden && !progress.MatchString(o.Output) {
			fmt.Fprint(s.out, o.Output)
		}
	}
	delete(s.output, e.Package)
	s.packages = append(s.packages, timed{name{Package: e.Package}, e.Elapsed})
	if e.Action == "fail" && !failed {
		s.count["fail"]++
	}
}

// close prints the lists at the end.
func (s *summary) close() {
	s.slowest("packages", s.packages)
	s.slowest("tests", s.tests)
	reasons := make([]string, 0, len(s.skipped))
	for reason := range s.skipped {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		tests := s.skipped[reason]
		fmt.Fprintf(s.out, "skipped: %s\n  %v", reason, tests[0])
		if len(tests) > 1 {
			fmt.Fprintf(s.out, " and %d more", len(tests)-1)
		}
		fmt.Fprintln(s.out)
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.count["pass"], s.count["fail"], s.count["skip"])
}

func (s *summary) slowest(what string, all []timed) {
	slices.SortFunc(all, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintf(s.out, "slowest %s:\n", what)
	for _, t := range all[:min(10, len(all))] {
		fmt.Fprintf(s.out, "%7.1fs  %v\n", t.seconds, t.name)
	}
}

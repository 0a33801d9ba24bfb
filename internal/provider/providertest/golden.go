package providertest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

var update = flag.Bool("update", false, "write what the parsers yield into the golden files")

// Parse is a provider's parser over a stored document.
type Parse func(document []byte) (any, error)

// Golden parses every document in testdata and compares what it yields, result
// or failure, with the .golden file beside it. With -update it writes those.
func Golden(t *testing.T, parse Parse) {
	t.Helper()
	for _, path := range Documents(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, path+".golden", outcome(t, document, parse))
		})
	}
}

//go:embed testdata
var unanswered embed.FS

// Unanswered parses what every site serves at times, and wants it told apart from
// an answer: a challenge, a sign-in form, garbage, and the beginnings of the given
// documents of testdata.
func Unanswered(t *testing.T, parse Parse, whole ...string) {
	t.Helper()
	check := func(name string, document []byte, want earshot.Reason) {
		t.Helper()
		if result, err := parse(document); err == nil || Reason(t, err) != string(want) {
			t.Errorf("%s: %v, %v; want it to be %s", name, result, err, want)
		}
	}
	for name, want := range map[string]earshot.Reason{
		"challenge.html": earshot.ReasonBlocked, "sign_in.html": earshot.ReasonBlocked, "garbage.txt": earshot.ReasonUnreadable,
	} {
		document, err := unanswered.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		check(name, document, want)
	}
	for _, name := range whole {
		document := Stored(t, filepath.Join("testdata", name))
		for _, percent := range []int{15, 50, 70} {
			check(fmt.Sprintf("%d%% of %s", percent, name), document[:len(document)*percent/100], earshot.ReasonUnavailable)
		}
	}
}

// Documents are the stored documents of the package under test.
func Documents(tb testing.TB) []string {
	tb.Helper()
	all, err := filepath.Glob("testdata/*.*")
	if err != nil || len(all) == 0 {
		tb.Fatalf("no documents in testdata (%v)", err)
	}
	var documents []string
	for _, path := range all {
		if !strings.HasSuffix(path, ".golden") {
			documents = append(documents, path)
		}
	}
	return documents
}

// outcome is what parsing the document comes to, as text.
func outcome(t *testing.T, document []byte, parse Parse) []byte {
	t.Helper()
	result, err := parse(document)
	if err != nil {
		return []byte("failure: " + Reason(t, err) + "\n")
	}
	Check(t, result)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(result); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil { //nolint:gosec // a golden file lies beside its document
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("differs from %s (-want +got):\n%s", path, diff)
	}
}

// Reason is the reason of a failure; any other error ends the test.
func Reason(tb testing.TB, err error) string {
	tb.Helper()
	var failure *upstream.Failure
	if !errors.As(err, &failure) {
		tb.Fatalf("error is no upstream.Failure: %v", err)
	}
	switch failure.Reason {
	case earshot.ReasonBlocked, earshot.ReasonTimeout, earshot.ReasonUnavailable, earshot.ReasonUnreadable, earshot.ReasonEmpty:
	default:
		tb.Fatalf("unknown reason %q", failure.Reason)
	}
	return string(failure.Reason)
}

// Captures gives the real documents that match the pattern. The test is skipped
// where there are none, and under the race detector: make test reads them without it.
func Captures(tb testing.TB, pattern string) []string {
	tb.Helper()
	if Mass > 1 {
		tb.Skip("captures are read without the race detector")
	}
	return captures.Find(tb, pattern)
}

// Yields is what a document that must be an answer yields.
func Yields(tb testing.TB, parse func(document []byte) (any, error), document []byte) *earshot.Answer {
	tb.Helper()
	result, err := parse(document)
	if err != nil {
		tb.Fatal(err)
	}
	Check(tb, result)
	return Answer(tb, result)
}

// Stored is a captured document; some were stored packed.
func Stored(tb testing.TB, path string) []byte {
	tb.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return gunzip(tb, document)
}

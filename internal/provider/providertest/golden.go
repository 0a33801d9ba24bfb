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
)

var update = flag.Bool("update", false, "write what the parsers yield into the golden files")

// Parse parses a stored document.
type Parse func(document []byte) (any, error)

// Golden parses every document in testdata and compares the result or failure with its .golden
// file. With -update it writes the .golden files.
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

// Unanswered parses documents that every site may serve instead of an answer: a challenge, a
// sign-in form, garbage, and the beginnings of the given documents of testdata. Each must fail with
// the right reason.
func Unanswered(t *testing.T, parse Parse, whole ...string) {
	t.Helper()
	check := func(name string, document []byte, want earshot.Reason) {
		t.Helper()
		if result, err := parse(document); err == nil || Reason(t, err) != string(want) {
			t.Errorf("%s: %v, %v; want the failure %s", name, result, err, want)
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

// Documents returns the paths of the stored documents of the package under test.
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

// outcome returns the result of parsing the document, as text.
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
		if err := os.WriteFile(path, got, 0o600); err != nil {
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

// Reason returns the reason of a failure. Any other error ends the test.
func Reason(tb testing.TB, err error) string {
	tb.Helper()
	var failure *upstream.Failure
	if !errors.As(err, &failure) {
		tb.Fatalf("the error is not an upstream.Failure: %v", err)
	}
	switch failure.Reason {
	case earshot.ReasonBlocked, earshot.ReasonTimeout, earshot.ReasonUnavailable, earshot.ReasonUnreadable, earshot.ReasonEmpty:
	default:
		tb.Fatalf("unknown reason %q", failure.Reason)
	}
	return string(failure.Reason)
}

// Yields parses a document that must yield an answer.
func Yields(tb testing.TB, parse func(document []byte) (any, error), document []byte) *earshot.Answer {
	tb.Helper()
	result, err := parse(document)
	if err != nil {
		tb.Fatal(err)
	}
	Check(tb, result)
	return Answer(tb, result)
}

// Stored reads a stored document, which may be gzipped.
func Stored(tb testing.TB, path string) []byte {
	tb.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return gunzip(tb, document)
}

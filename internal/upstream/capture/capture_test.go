package capture_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/upstream/capture"
	"earshot/internal/upstream/capture/capturetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// older returns the ids of the captures that are older than age.
func older(t *testing.T, s capture.Store, age time.Duration) []string {
	t.Helper()
	var ids []string
	for id, err := range s.Older(t.Context(), time.Now().Add(-age)) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func TestPutPageDelete(t *testing.T) {
	t.Parallel()
	capturetest.OnEach(t, func(t *testing.T, s capture.Store) {
		for _, id := range []string{"abc", "abcd"} { // one is a prefix of the other
			if err := s.Put(t.Context(), id, [][]byte{[]byte("one"), []byte("two of " + id), nil}); err != nil {
				t.Fatal(err)
			}
		}
		for n, want := range map[int]string{1: "one", 2: "two of abc", 3: ""} {
			if page, err := s.Page(t.Context(), "abc", n); err != nil || string(page) != want {
				t.Errorf("page %d is %q, %v", n, page, err)
			}
		}
		if ids := older(t, s, -time.Hour); !slices.Equal(ids, []string{"abc", "abcd"}) {
			t.Errorf("stored before a time in the future: %v", ids)
		}
		if ids := older(t, s, time.Hour); len(ids) != 0 {
			t.Errorf("older than an hour: %v", ids)
		}
		for range 2 {
			if err := s.Delete(t.Context(), "abc"); err != nil {
				t.Fatal(err)
			}
		}
		for id, n := range map[string]int{"abc": 1, "abcd": 4, "never": 1} {
			if _, err := s.Page(t.Context(), id, n); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("page %d of %s: %v", n, id, err)
			}
		}
		if page, err := s.Page(t.Context(), "abcd", 2); err != nil || string(page) != "two of abcd" {
			t.Errorf("the page of another capture is %q, %v", page, err)
		}
	})
}

func TestCapturesMayBeDeletedWhileTheyAreListed(t *testing.T) {
	t.Parallel()
	capturetest.OnEach(t, func(t *testing.T, s capture.Store) {
		for _, id := range []string{"a", "b", "c"} {
			if err := s.Put(t.Context(), id, [][]byte{nil, nil}); err != nil {
				t.Fatal(err)
			}
		}
		for id, err := range s.Older(t.Context(), time.Now().Add(time.Hour)) {
			if err != nil {
				t.Fatal(err)
			}
			if id == "c" {
				break
			}
			if err := s.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if ids := older(t, s, -time.Hour); !slices.Equal(ids, []string{"c"}) {
			t.Errorf("after the deletion there are %v", ids)
		}
	})
}

func TestOpenWithoutLocationUsesTheFolder(t *testing.T) {
	t.Parallel()
	s, err := capture.Open(t.Context(), "", t.TempDir())
	if _, folder := s.(*capture.Folder); err != nil || !folder {
		t.Errorf("got %T, %v", s, err)
	}
}

func TestPageNamesAreExact(t *testing.T) {
	t.Parallel()
	if n, ok := capture.PageNumber(capture.PageName(12)); !ok || n != 12 {
		t.Errorf("got %d, %t", n, ok)
	}
	for _, name := range []string{"", "page-1", "page-.html", "page-01.html", "page--1.html", "page-1.html.html", "../page-1.html"} {
		if n, ok := capture.PageNumber(name); ok {
			t.Errorf("%q is page %d", name, n)
		}
	}
}

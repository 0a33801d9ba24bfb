package capture_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"earshot/internal/capture"
)

func TestPagesComeBackUntilDeleted(t *testing.T) {
	t.Parallel()
	folder, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Put("abc", [][]byte{[]byte("one"), []byte("two")}); err != nil {
		t.Fatal(err)
	}
	if page, err := folder.Page("abc", 2); err != nil || string(page) != "two" {
		t.Errorf("page 2 is %q, %v", page, err)
	}
	if ids, err := folder.Older(time.Now().Add(time.Hour)); err != nil || !slices.Equal(ids, []string{"abc"}) {
		t.Errorf("older are %v, %v", ids, err)
	}
	if ids, err := folder.Older(time.Now().Add(-time.Hour)); err != nil || len(ids) != 0 {
		t.Errorf("older are %v, %v", ids, err)
	}
	for range 2 {
		if err := folder.Delete("abc"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := folder.Page("abc", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted page: %v", err)
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

package exportfile_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/files/bucket"
	"earshot/internal/files/exportfile"
	"earshot/internal/upstream/capture/capturetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const path = "organization=a/tracker=b/table=c/day=2026-11-15/part-0.ndjson"

// pieces yields texts, and then err unless it is nil.
func pieces(err error, texts ...string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, text := range texts {
			if !yield([]byte(text), nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestFilesAreReplacedAtomically(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := exportfile.NewFolder(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "folder", folder, func() string {
		text, err := os.ReadFile(filepath.Join(dir, "new", path))
		if err != nil {
			t.Error(err)
		}
		files, err := os.ReadDir(filepath.Join(dir, "new", filepath.Dir(path)))
		if err != nil || len(files) != 1 {
			t.Errorf("the folder contains %v, %v", files, err)
		}
		return string(text)
	})
	server := capturetest.NewServer(t)
	place, err := exportfile.NewBucket(t.Context(), server.Location, capturetest.Credentials())
	if err != nil {
		t.Fatal(err)
	}
	objects, err := bucket.Open(t.Context(), server.Location, capturetest.Credentials())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "bucket", place, func() string {
		text, err := objects.Get(t.Context(), objects.Prefix+path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	})
}

func check(t *testing.T, what string, p exportfile.Place, read func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := p.Write(ctx, path, pieces(nil, "first ", "file")); err != nil || read() != "first file" {
		t.Errorf("%s: %v, and it holds %q", what, err, read())
	}
	broken := errors.New("no more rows")
	if err := p.Write(ctx, path, pieces(broken, "half")); !errors.Is(err, broken) || read() != "first file" {
		t.Errorf("%s: after an error: %v, and the file contains %q", what, err, read())
	}
	if err := p.Write(ctx, path, pieces(nil, "other")); err != nil || read() != "other" {
		t.Errorf("%s: %v, and it holds %q", what, err, read())
	}
	cancel()
	if err := p.Write(ctx, path, pieces(nil, "late")); !errors.Is(err, context.Canceled) || read() != "other" {
		t.Errorf("%s: after a cancellation: %v, and the file contains %q", what, err, read())
	}
}

func TestAbandonedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := exportfile.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, ".unfinished-1"), filepath.Join(dir, ".unfinished-2")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := folder.Write(t.Context(), "file", pieces(nil, "text")); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) != 1 || left[0] != young { // a node may still be writing it
		t.Errorf("the folder contains %v, %v", left, err)
	}
}

func TestOpenRejectsInvalidLocations(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]string{file: "make the folder", "s3:///prefix": "must be s3://bucket"} {
		if _, err := exportfile.Open(t.Context(), location); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", location, err, want)
		}
	}
}

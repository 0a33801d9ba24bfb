package capture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// Folder stores captures below a directory, each in a folder of its own.
type Folder struct{ dir string }

var _ Store = (*Folder)(nil)

// NewFolder makes the directory where it is missing.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the capture folder: %w", err)
	}
	return &Folder{dir: dir}, nil
}

// Put stores the pages of a capture.
func (f *Folder) Put(ctx context.Context, id string, pages [][]byte) error {
	folder := f.path(id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("store capture: %w", err)
	}
	for i, page := range pages {
		if err := os.WriteFile(filepath.Join(folder, PageName(i+1)), page, 0o600); err != nil {
			return fmt.Errorf("store capture: %w", errors.Join(err, f.Delete(ctx, id)))
		}
	}
	return nil
}

// Page reads page n of a capture.
func (f *Folder) Page(_ context.Context, id string, n int) ([]byte, error) {
	page, err := os.ReadFile(filepath.Join(f.path(id), PageName(n)))
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	return page, nil
}

// Delete removes a capture.
func (f *Folder) Delete(_ context.Context, id string) error {
	if err := os.RemoveAll(f.path(id)); err != nil {
		return fmt.Errorf("delete capture: %w", err)
	}
	return nil
}

// Older are the ids of captures stored before a time.
func (f *Folder) Older(_ context.Context, than time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		entries, err := os.ReadDir(f.dir)
		if err != nil {
			yield("", fmt.Errorf("list captures: %w", err))
			return
		}
		for _, entry := range entries {
			info, err := entry.Info()
			switch {
			case errors.Is(err, fs.ErrNotExist): // deleted while we looked
			case err != nil:
				yield("", fmt.Errorf("list captures: %w", err))
				return
			case info.ModTime().Before(than) && !yield(entry.Name(), nil):
				return
			}
		}
	}
}

func (f *Folder) path(id string) string { return filepath.Join(f.dir, id) }

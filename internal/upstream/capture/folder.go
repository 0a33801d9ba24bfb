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

// Folder stores captures below a directory, each in its own folder.
type Folder struct {
	dir  string
	sync func(*os.File) error // (*os.File).Sync, except in tests
}

var _ Store = (*Folder)(nil)

// NewFolder returns a store in dir, and makes the directory if it is missing.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the capture folder: %w", err)
	}
	return &Folder{dir: dir, sync: (*os.File).Sync}, nil
}

// Put stores the pages of a capture. When Put returns, the pages survive a power loss,
// like the database record that refers to them.
func (f *Folder) Put(ctx context.Context, id string, pages [][]byte) error {
	if err := f.put(f.path(id), pages); err != nil {
		return fmt.Errorf("store capture: %w", errors.Join(err, f.Delete(ctx, id)))
	}
	return nil
}

func (f *Folder) put(folder string, pages [][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for i, page := range pages {
		if err := f.write(filepath.Join(folder, PageName(i+1)), page); err != nil {
			return err
		}
	}
	// Sync the directory entries of the pages, then the entry of their folder.
	return errors.Join(f.syncFolder(folder), f.syncFolder(f.dir))
}

func (f *Folder) write(path string, page []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(page)
	if err == nil {
		err = f.sync(file)
	}
	return errors.Join(err, file.Close())
}

func (f *Folder) syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.sync(folder), folder.Close())
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

// Older returns the ids of the captures stored before a time.
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
			case errors.Is(err, fs.ErrNotExist): // deleted since ReadDir
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

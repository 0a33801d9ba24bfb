// Package capture keeps copies of the pages that were parsed, in a folder.
package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Lifetime is how long a capture is served.
const Lifetime = 24 * time.Hour

// Folder stores captures below a directory, each in a folder of its own.
type Folder struct{ dir string }

// NewFolder makes the directory where it is missing.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the capture folder: %w", err)
	}
	return &Folder{dir: dir}, nil
}

// PageName is the name of page n, from 1, of a capture.
func PageName(n int) string { return "page-" + strconv.Itoa(n) + ".html" }

// PageNumber reads a name that PageName made.
func PageNumber(name string) (n int, ok bool) {
	digits, found := strings.CutPrefix(name, "page-")
	digits, html := strings.CutSuffix(digits, ".html")
	n, err := strconv.Atoi(digits)
	return n, found && html && err == nil && n > 0 && PageName(n) == name
}

// Put stores the pages of a capture.
func (f *Folder) Put(id string, pages [][]byte) error {
	folder := f.path(id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("store capture: %w", err)
	}
	for i, page := range pages {
		if err := os.WriteFile(filepath.Join(folder, PageName(i+1)), page, 0o600); err != nil {
			return fmt.Errorf("store capture: %w", errors.Join(err, f.Delete(id)))
		}
	}
	return nil
}

// Page reads page n of a capture. The caller has made sure that the id is one
// that was given out.
func (f *Folder) Page(id string, n int) ([]byte, error) {
	page, err := os.ReadFile(filepath.Join(f.path(id), PageName(n)))
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	return page, nil
}

// Delete removes a capture; one that is gone already is fine.
func (f *Folder) Delete(id string) error {
	if err := os.RemoveAll(f.path(id)); err != nil {
		return fmt.Errorf("delete capture: %w", err)
	}
	return nil
}

// Older are the ids of captures stored before a time.
func (f *Folder) Older(than time.Time) ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("list captures: %w", err)
	}
	var ids []string
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted while we looked
		}
		if err != nil {
			return nil, fmt.Errorf("list captures: %w", err)
		}
		if info.ModTime().Before(than) {
			ids = append(ids, entry.Name())
		}
	}
	return ids, nil
}

func (f *Folder) path(id string) string { return filepath.Join(f.dir, id) }

package capture

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPutSyncsFilesAndFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var synced []string
	f.sync = func(file *os.File) error {
		synced = append(synced, file.Name())
		return file.Sync()
	}
	if err := f.Put(t.Context(), "abc", [][]byte{[]byte("one"), []byte("two")}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "abc")
	if want := []string{filepath.Join(folder, PageName(1)), filepath.Join(folder, PageName(2)), folder, dir}; !slices.Equal(synced, want) {
		t.Errorf("synced %v, want %v", synced, want)
	}
	// A disk that fails leaves no capture behind.
	full := errors.New("no space left")
	f.sync = func(*os.File) error { return full }
	if err := f.Put(t.Context(), "def", [][]byte{[]byte("one")}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "def")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

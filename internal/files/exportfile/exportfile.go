// Package exportfile writes files of tables, by day, to a folder or a bucket of the
// operator's. A file is there whole or not at all: whoever reads it while it is replaced
// has the one or the other.
package exportfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"earshot/internal/files/bucket"
)

// Place is where files are written.
type Place interface {
	// Write replaces the file at a path, whose parts are separated by slashes and safe as
	// the names of files, by what the pieces are together.
	Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) error
}

// Open gives the place at a location: the bucket of an s3:// URL, with the credentials in
// the variables that all S3 tools read, or else a folder, which it makes.
func Open(ctx context.Context, location string) (Place, error) {
	if strings.HasPrefix(location, "s3://") {
		return NewBucket(ctx, location, credentials.NewEnvAWS())
	}
	return NewFolder(location)
}

// Folder is a place in the file system.
type Folder struct{ dir string }

var _ Place = (*Folder)(nil)

// NewFolder makes the directory where it is missing.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make the folder for exports: %w", err)
	}
	return &Folder{filepath.Clean(dir)}, nil
}

// leftAfter is from when on a file that is being written is one that a killed node left.
const leftAfter = time.Hour

// Write implements Place: a file beside it takes its place when it is complete.
func (f *Folder) Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) (err error) {
	target := filepath.Join(f.dir, filepath.FromSlash(path))
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("make a folder for an export: %w", err)
	}
	removeLeft(folder)
	file, err := os.CreateTemp(folder, unfinished+"*") // readers of partitioned tables pass over what begins with a dot
	if err != nil {
		return fmt.Errorf("begin an export: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	err = fill(ctx, file, pieces)
	if err == nil {
		err = errors.Join(file.Chmod(0o640), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write an export: %w", err)
	}
	if err := os.Rename(file.Name(), target); err != nil {
		return fmt.Errorf("replace an export: %w", err)
	}
	return f.syncUp(folder)
}

// syncUp brings the names of a file and of the folders around it to the disk: once the
// database says that it is written it must survive a power loss.
func (f *Folder) syncUp(path string) error {
	for ; ; path = filepath.Dir(path) {
		folder, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("open a folder of exports: %w", err)
		}
		if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
			return fmt.Errorf("sync a folder of exports: %w", err)
		}
		if len(path) <= len(f.dir) {
			return nil
		}
	}
}

// unfinished begins the name of a file that is being written.
const unfinished = ".unfinished-"

// removeLeft removes what killed nodes left. It is only tidier without it.
func removeLeft(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, unfinished+"*"))
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = os.Remove(name)
		}
	}
}

// fill writes pieces until they end.
func fill(ctx context.Context, into io.Writer, pieces iter.Seq2[[]byte, error]) error {
	for piece, err := range pieces {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			_, err = into.Write(piece)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Bucket is a place in an S3-compatible store.
type Bucket struct{ bucket *bucket.Bucket }

var _ Place = (*Bucket)(nil)

// NewBucket opens the bucket at a location, as bucket.Open reads it.
func NewBucket(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := bucket.Open(ctx, location, keys)
	if err != nil {
		return nil, fmt.Errorf("exports: %w", err)
	}
	return &Bucket{b}, nil
}

// Write implements Place. The file is written to this machine first: one request that
// names its size and hash is what replaces an object at once.
func (b *Bucket) Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) (err error) {
	file, err := os.CreateTemp("", "earshot-export-*")
	if err != nil {
		return fmt.Errorf("begin an export: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), ignoreGone(os.Remove(file.Name()))) }()
	hash := sha256.New()
	if err := fill(ctx, io.MultiWriter(file, hash), pieces); err != nil {
		return fmt.Errorf("write an export: %w", err)
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("measure an export: %w", err)
	}
	if err := b.bucket.Put(ctx, b.bucket.Prefix+path, file, size, hash.Sum(nil)); err != nil {
		return fmt.Errorf("store an export: %w", err)
	}
	return nil
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Package exportfile writes exported files to a folder or a bucket of the operator. Files
// are replaced atomically: a reader sees either the old or the new content.
package exportfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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
	// Write replaces the content of the file at path by the pieces. The parts of path are
	// separated by slashes, and must be valid file names.
	Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) error
}

// Open opens the place at a location. An s3:// URL is a bucket, with the credentials from
// the usual AWS_ environment variables. Any other location is a folder, which Open makes.
func Open(ctx context.Context, location string) (Place, error) {
	if strings.HasPrefix(location, "s3://") {
		return NewBucket(ctx, location, credentials.NewEnvAWS())
	}
	return NewFolder(location)
}

// Folder is a place in the file system.
type Folder struct{ dir string }

var _ Place = (*Folder)(nil)

// NewFolder returns a place in dir, and makes the directory if it is missing.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make the folder for exports: %w", err)
	}
	return &Folder{filepath.Clean(dir)}, nil
}

// abandonedAfter is the age of an unfinished file from which on it is deleted: the node
// that wrote it was killed.
const abandonedAfter = time.Hour

// Write implements Place. It writes a temporary file in the same folder and renames it
// when it is complete.
func (f *Folder) Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) (err error) {
	target := filepath.Join(f.dir, filepath.FromSlash(path))
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("make a folder for an export: %w", err)
	}
	removeAbandoned(folder)
	file, err := os.CreateTemp(folder, unfinished+"*")
	if err != nil {
		return fmt.Errorf("create an export file: %w", err)
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

// syncUp syncs the folder of a file and its parents up to f.dir. The file must survive a
// power loss, because the database records it as written.
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

// unfinished is the prefix of temporary files. Readers of partitioned tables skip files
// whose name begins with a dot.
const unfinished = ".unfinished-"

// removeAbandoned removes the temporary files of killed nodes. It ignores errors, since
// these files do no harm.
func removeAbandoned(folder string) {
	names, _ := filepath.Glob(filepath.Join(folder, unfinished+"*"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(name)
		}
	}
}

// fill writes all pieces.
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

// NewBucket opens the bucket at a location. See bucket.Open for its form.
func NewBucket(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := bucket.Open(ctx, location, keys)
	if err != nil {
		return nil, fmt.Errorf("exports: %w", err)
	}
	return &Bucket{b}, nil
}

// Write implements Place. It writes a temporary file on this machine first, because
// replacing an object atomically needs its size and hash in advance.
func (b *Bucket) Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) (err error) {
	file, err := os.CreateTemp("", "earshot-export-*")
	if err != nil {
		return fmt.Errorf("create an export file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
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

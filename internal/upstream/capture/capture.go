// Package capture stores copies of the pages that were parsed, in a folder or in
// a bucket of an S3-compatible store.
package capture

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Lifetime is how long a capture is served.
const Lifetime = 24 * time.Hour

// Store stores captures. It is safe for concurrent use, also by several nodes.
type Store interface {
	// Put stores the pages of a capture. Pages that an error leaves behind have no
	// record; Older finds them later.
	Put(ctx context.Context, id string, pages [][]byte) error
	// Page reads page n, from 1, of a capture. It returns fs.ErrNotExist for one that is
	// gone. The caller must have checked that the id is valid.
	Page(ctx context.Context, id string, n int) ([]byte, error)
	// Delete removes a capture; one that is gone already is fine.
	Delete(ctx context.Context, id string) error
	// Older are the ids of captures stored before a time. They may be deleted
	// while they are listed. It ends with the first error.
	Older(ctx context.Context, than time.Time) iter.Seq2[string, error]
}

// Open gives the store at a location: the folder for "", otherwise the bucket of
// an s3:// URL, with the credentials in the variables that all S3 tools read.
func Open(ctx context.Context, location, folder string) (Store, error) {
	if location == "" {
		return NewFolder(folder)
	}
	return NewBucket(ctx, location, credentials.NewEnvAWS())
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

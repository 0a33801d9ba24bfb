// Package capture stores copies of parsed pages, in a folder or in a bucket of an
// S3-compatible store.
package capture

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Lifetime is how long a capture is served.
const Lifetime = 24 * time.Hour

// Store stores captures. It is safe for concurrent use, also by several nodes.
type Store interface {
	// Put stores the pages of a capture. If it fails, some pages may be left behind
	// without a database record; they are deleted later, because Older lists them.
	Put(ctx context.Context, id string, pages [][]byte) error
	// Page reads page n of a capture, counted from 1. It returns fs.ErrNotExist if the
	// page does not exist. The caller must have checked that the id is valid.
	Page(ctx context.Context, id string, n int) ([]byte, error)
	// Delete removes a capture. It is no error if the capture does not exist.
	Delete(ctx context.Context, id string) error
	// Older returns the ids of the captures stored before a time. The caller may delete
	// captures during the iteration, which ends with the first error.
	Older(ctx context.Context, than time.Time) iter.Seq2[string, error]
}

// Open opens the bucket at location, an s3:// URL, with the credentials from the usual
// AWS_ environment variables. If location is empty, it opens the folder instead.
func Open(ctx context.Context, location, folder string) (Store, error) {
	if location == "" {
		return NewFolder(folder)
	}
	return NewBucket(ctx, location, credentials.NewEnvAWS())
}

// OpenKept opens the store of pages that are kept for the operator. It is apart from the captures,
// in the folder or below the prefix kept of their bucket, because the API serves captures.
func OpenKept(ctx context.Context, location, folder string) (Store, error) {
	if u, err := url.Parse(location); err == nil && location != "" {
		location = u.JoinPath("kept").String()
	}
	return Open(ctx, location, folder)
}

// PageName returns the file name of page n, counted from 1.
func PageName(n int) string { return "page-" + strconv.Itoa(n) + ".html" }

// PageNumber returns the number of the page that PageName named. It returns false for
// other names.
func PageNumber(name string) (n int, ok bool) {
	digits, found := strings.CutPrefix(name, "page-")
	digits, html := strings.CutSuffix(digits, ".html")
	n, err := strconv.Atoi(digits)
	return n, found && html && err == nil && n > 0 && PageName(n) == name
}

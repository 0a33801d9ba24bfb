package capture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"earshot/internal/files/bucket"
)

// Bucket stores captures in a bucket of an S3-compatible store. Each page is an
// object, such as prefix/id/page-1.html.
type Bucket struct{ bucket.Bucket }

var _ Store = (*Bucket)(nil)

// NewBucket opens the bucket at a location. See bucket.Open for its form.
func NewBucket(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := bucket.Open(ctx, location, keys)
	if err != nil {
		return nil, fmt.Errorf("captures: %w", err)
	}
	return &Bucket{*b}, nil
}

// Put stores the pages of a capture. It does not clean up after a failure, because the
// client would have to wait for a store that has just failed.
func (b *Bucket) Put(ctx context.Context, id string, pages [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, bucket.CallTime)
	defer cancel()
	for i, page := range pages {
		hash := sha256.Sum256(page)
		err := b.Bucket.Put(ctx, b.key(id, PageName(i+1)), bytes.NewReader(page), int64(len(page)), hash[:])
		if err != nil {
			return fmt.Errorf("store capture: %w", err)
		}
	}
	return nil
}

// Page reads page n of a capture.
func (b *Bucket) Page(ctx context.Context, id string, n int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, bucket.CallTime)
	defer cancel()
	page, err := b.Get(ctx, b.key(id, PageName(n)))
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	return page, nil
}

// Delete removes a capture.
func (b *Bucket) Delete(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, bucket.CallTime)
	defer cancel()
	for page, err := range b.pages(ctx, b.key(id, "")) {
		if err == nil {
			err = b.Bucket.Delete(ctx, page.key)
		}
		if err != nil {
			return fmt.Errorf("delete capture: %w", err)
		}
	}
	return nil
}

// Older returns the ids of the captures stored before a time. S3 cannot list by time, so
// Older lists all captures.
func (b *Bucket) Older(ctx context.Context, than time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for page, err := range b.pages(ctx, b.Prefix) {
			if err != nil {
				yield("", fmt.Errorf("list captures: %w", err))
				return
			}
			if page.capture == last || !page.stored.Before(than) {
				continue
			}
			if last = page.capture; !yield(last, nil) {
				return
			}
		}
	}
}

// object is a page in the bucket.
type object struct {
	key, capture string
	stored       time.Time
}

// pages returns the pages whose keys start with a prefix, ordered by key. It skips
// objects that are not pages.
func (b *Bucket) pages(ctx context.Context, prefix string) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		for o, err := range b.List(ctx, prefix) {
			id, name, _ := strings.Cut(strings.TrimPrefix(o.Key, b.Prefix), "/")
			if _, ours := PageNumber(name); (ours || err != nil) && !yield(object{o.Key, id, o.LastModified}, err) {
				return
			}
		}
	}
}

func (b *Bucket) key(id, name string) string { return b.Prefix + id + "/" + name }

package capture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// callTime limits one method call, and one step of Older.
	callTime = 30 * time.Second
	// tries is how often a request is made: enough for a short disturbance, while an
	// unreachable store is noticed within a second or two.
	tries = 3
	// listAtOnce is the maximum that S3 lists in one answer.
	listAtOnce = 1000
)

// Bucket stores captures in a bucket of an S3-compatible store, a page an
// object: prefix/id/page-1.html.
type Bucket struct {
	client minio.Core
	name   string
	prefix string // "" or with a slash at the end
}

var _ Store = (*Bucket)(nil)

// NewBucket opens the bucket at s3://bucket/prefix. The query may hold endpoint, the
// address of a store other than Amazon's; region, where the store cannot be asked for
// it; pathStyle, whether the bucket is named in the path or in the host, where that
// cannot be guessed. It fails if the bucket cannot be listed. Errors do not repeat the
// location, which may hold a secret.
func NewBucket(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := newBucket(location, keys)
	if err != nil {
		return nil, fmt.Errorf("captures: %w", err)
	}
	if _, err := b.list(ctx, b.prefix, ""); err != nil {
		return nil, fmt.Errorf("captures: reach the bucket %q: %w", b.name, err)
	}
	return b, nil
}

func newBucket(location string, keys *credentials.Credentials) (*Bucket, error) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("the location must be s3://bucket or s3://bucket/prefix")
	}
	host, options, err := bucketOptions(u)
	if err != nil {
		return nil, err
	}
	found, err := keys.GetWithContext(nil)
	if err != nil || found.AccessKeyID == "" || found.SecretAccessKey == "" || u.User != nil {
		return nil, errors.New("the credentials must be in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	options.Creds = keys
	client, err := minio.NewCore(host, options)
	if err != nil {
		return nil, err
	}
	b := &Bucket{client: *client, name: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.prefix = prefix + "/"
	}
	return b, nil
}

// bucketOptions reads the query of a bucket's location.
func bucketOptions(u *url.URL) (host string, options *minio.Options, err error) {
	host, options = "s3.amazonaws.com", &minio.Options{Secure: true, MaxRetries: tries}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", nil, errors.New("the location has a query that cannot be read")
	}
	for name := range query {
		value := query.Get(name)
		switch name {
		case "endpoint":
			endpoint, err := url.Parse(value)
			if err != nil || (endpoint.Scheme != "https" && endpoint.Scheme != "http") || endpoint.Host == "" ||
				endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" || endpoint.RawQuery != "" {
				return "", nil, errors.New("the endpoint must be https://host:port or http://host:port")
			}
			host, options.Secure = endpoint.Host, endpoint.Scheme == "https"
		case "region":
			options.Region = value
		case "pathStyle":
			inPath, err := strconv.ParseBool(value)
			if err != nil {
				return "", nil, errors.New("pathStyle must be true or false")
			}
			options.BucketLookup = minio.BucketLookupDNS
			if inPath {
				options.BucketLookup = minio.BucketLookupPath
			}
		default:
			return "", nil, fmt.Errorf("the location has an unknown parameter %q: there are endpoint, region and pathStyle", name)
		}
	}
	return host, options, nil
}

// Put stores the pages of a capture. It does not clean up after a failure: that
// would keep the client waiting for a store which has just failed.
func (b *Bucket) Put(ctx context.Context, id string, pages [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for i, page := range pages {
		// A hash that is known beforehand is signed with the request; otherwise the
		// library signs chunk by chunk, which not every store takes.
		hash := sha256.Sum256(page)
		_, err := b.client.PutObject(ctx, b.name, b.key(id, PageName(i+1)), bytes.NewReader(page), int64(len(page)),
			"", hex.EncodeToString(hash[:]), minio.PutObjectOptions{DisableContentSha256: true})
		if err != nil {
			return fmt.Errorf("store capture: %w", err)
		}
	}
	return nil
}

// Page reads page n of a capture.
func (b *Bucket) Page(ctx context.Context, id string, n int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	object, _, _, err := b.client.GetObject(ctx, b.name, b.key(id, PageName(n)), minio.GetObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	defer object.Close()
	page, err := io.ReadAll(object)
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	return page, nil
}

// Delete removes a capture.
func (b *Bucket) Delete(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for page, err := range b.pages(ctx, b.key(id, "")) {
		if err == nil {
			err = b.client.RemoveObject(ctx, b.name, page.key, minio.RemoveObjectOptions{})
		}
		if err != nil {
			return fmt.Errorf("delete capture: %w", err)
		}
	}
	return nil
}

// Older are the ids of captures stored before a time. S3 cannot list by time, so
// this goes through all of them.
func (b *Bucket) Older(ctx context.Context, than time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for page, err := range b.pages(ctx, b.prefix) {
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

// pages are the pages whose keys start with a prefix, in the order of their keys.
// Other objects are left out.
func (b *Bucket) pages(ctx context.Context, prefix string) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		for after := ""; ; {
			listed, err := b.list(ctx, prefix, after)
			if err != nil {
				yield(object{}, err)
				return
			}
			for _, o := range listed {
				id, name, _ := strings.Cut(strings.TrimPrefix(o.Key, b.prefix), "/")
				if _, ours := PageNumber(name); ours && !yield(object{o.Key, id, o.LastModified}, nil) {
					return
				}
			}
			if len(listed) < listAtOnce {
				return
			}
			after = listed[len(listed)-1].Key
		}
	}
}

// list gives the next objects whose keys start with a prefix and come after
// another key.
func (b *Bucket) list(ctx context.Context, prefix, after string) ([]minio.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var listed []minio.ObjectInfo
	for o := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{
		Prefix: prefix, StartAfter: after, Recursive: true, MaxKeys: listAtOnce, FetchOwner: new(bool),
	}) {
		if o.Err != nil {
			return nil, o.Err
		}
		if listed = append(listed, o); len(listed) == listAtOnce {
			break
		}
	}
	return listed, ctx.Err() // the library does not return it
}

func (b *Bucket) key(id, name string) string { return b.prefix + id + "/" + name }

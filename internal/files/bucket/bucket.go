// Package bucket reads and writes buckets of S3-compatible stores.
package bucket

import (
	"context"
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
	// CallTime is the timeout for one call to the store.
	CallTime = 30 * time.Second
	// tries is the maximum number of tries of a request. Three are enough for a short
	// disturbance, and an unreachable store is noticed within a second or two.
	tries = 3
	// listAtOnce is the maximum number of objects in one answer of S3.
	listAtOnce = 1000
)

// Bucket is a part of a bucket: the objects whose keys begin with its prefix. It is
// safe for concurrent use.
type Bucket struct {
	Name   string
	Prefix string // empty or with a slash at the end
	client *minio.Core
}

// Open opens the bucket at s3://bucket/prefix. The query of the location may contain
//
//   - endpoint: the URL of a store other than Amazon's;
//   - region: the region, if the store does not report it;
//   - pathStyle: true if the bucket's name is in the path, false if it is in the host. By
//     default, the library guesses.
//
// Open fails if the bucket cannot be listed. Its errors do not contain the location, which
// may contain a secret.
func Open(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := newBucket(location, keys)
	if err != nil {
		return nil, err
	}
	if _, err := b.page(ctx, b.Prefix, ""); err != nil {
		return nil, fmt.Errorf("list the bucket %q: %w", b.Name, err)
	}
	return b, nil
}

func newBucket(location string, keys *credentials.Credentials) (*Bucket, error) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("the location must be s3://bucket or s3://bucket/prefix")
	}
	host, options, err := readQuery(u)
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
	client.SetS3EnableDualstack(false) // firewall rules usually list the plain names of Amazon's hosts
	b := &Bucket{Name: u.Host, client: client}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.Prefix = prefix + "/"
	}
	return b, nil
}

// readQuery parses the query of a bucket's location.
func readQuery(u *url.URL) (host string, options *minio.Options, err error) {
	host, options = "s3.amazonaws.com", &minio.Options{Secure: true, MaxRetries: tries}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", nil, errors.New("the location has an invalid query")
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
			return "", nil, fmt.Errorf("the location has an unknown parameter %q: the parameters are endpoint, region and pathStyle", name)
		}
	}
	return host, options, nil
}

// Put stores an object atomically, in one request. hash is the SHA-256 of its content,
// which is signed with the request. Without it, the library would sign each chunk, which
// some stores do not support.
func (b *Bucket) Put(ctx context.Context, key string, content io.ReaderAt, size int64, hash []byte) error {
	_, err := b.client.PutObject(ctx, b.Name, key, io.NewSectionReader(content, 0, size), size, "", hex.EncodeToString(hash), minio.PutObjectOptions{DisableContentSha256: true})
	return err
}

// Get reads an object. It returns fs.ErrNotExist if the object does not exist.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	object, _, _, err := b.client.GetObject(ctx, b.Name, key, minio.GetObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(object)
}

// Delete removes an object. It is no error if the object does not exist.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.client.RemoveObject(ctx, b.Name, key, minio.RemoveObjectOptions{})
}

// List returns the objects whose keys start with a prefix, ordered by key. The caller may
// delete objects during the iteration, which ends with the first error.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		for after := ""; ; {
			page, err := b.page(ctx, prefix, after)
			if err != nil {
				yield(minio.ObjectInfo{}, err)
				return
			}
			for _, o := range page {
				if after = o.Key; !yield(o, nil) {
					return
				}
			}
			if len(page) < listAtOnce {
				return
			}
		}
	}
}

// page returns the next objects whose keys start with a prefix and come after a key.
func (b *Bucket) page(ctx context.Context, prefix, after string) (page []minio.ObjectInfo, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	for o := range b.client.ListObjectsIter(ctx, b.Name, minio.ListObjectsOptions{
		Prefix: prefix, StartAfter: after, Recursive: true, MaxKeys: listAtOnce, FetchOwner: new(bool),
	}) {
		if o.Err != nil {
			return nil, o.Err
		}
		if page = append(page, o); len(page) == listAtOnce {
			break
		}
	}
	return page, ctx.Err() // if ctx is canceled, the iteration ends without an error
}

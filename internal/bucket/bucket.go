// Package bucket reaches buckets of S3-compatible stores.
package bucket

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// CallTime limits one call of a store.
	CallTime = 30 * time.Second
	// tries is how often a request is made: enough for a short disturbance, while an
	// unreachable store is noticed within a second or two.
	tries = 3
	// ListAtOnce is the maximum that S3 lists in one answer.
	ListAtOnce = 1000
)

// Bucket is a part of a bucket: the objects whose keys begin with its prefix.
type Bucket struct {
	Client minio.Core
	Name   string
	Prefix string // "" or with a slash at the end
}

// Open opens the bucket at s3://bucket/prefix. The query may hold endpoint, the
// address of a store other than Amazon's; region, where the store cannot be asked for
// it; pathStyle, whether the bucket is named in the path or in the host, where that
// cannot be guessed. It fails if the bucket cannot be listed. Errors do not repeat the
// location, which may hold a secret.
func Open(ctx context.Context, location string, keys *credentials.Credentials) (*Bucket, error) {
	b, err := newBucket(location, keys)
	if err != nil {
		return nil, err
	}
	if _, err := b.List(ctx, b.Prefix, ""); err != nil {
		return nil, fmt.Errorf("reach the bucket %q: %w", b.Name, err)
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
	b := &Bucket{Client: *client, Name: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.Prefix = prefix + "/"
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

// Put stores an object in one request, whole or not at all. Its hash is that of SHA-256: one
// that is known beforehand is signed with the request; otherwise the library signs chunk by
// chunk, which not every store takes.
func (b *Bucket) Put(ctx context.Context, key string, content io.Reader, size int64, hash []byte) error {
	_, err := b.Client.PutObject(ctx, b.Name, key, content, size, "", hex.EncodeToString(hash), minio.PutObjectOptions{DisableContentSha256: true})
	return err
}

// List gives the next objects whose keys start with a prefix and come after
// another key.
func (b *Bucket) List(ctx context.Context, prefix, after string) ([]minio.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	var listed []minio.ObjectInfo
	for o := range b.Client.ListObjectsIter(ctx, b.Name, minio.ListObjectsOptions{
		Prefix: prefix, StartAfter: after, Recursive: true, MaxKeys: ListAtOnce, FetchOwner: new(bool),
	}) {
		if o.Err != nil {
			return nil, o.Err
		}
		if listed = append(listed, o); len(listed) == ListAtOnce {
			break
		}
	}
	return listed, ctx.Err() // the library does not return it
}

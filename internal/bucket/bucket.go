// Package bucket reaches buckets of S3-compatible stores.
//
//	bucket.go   a bucket, and what can be done with its objects
//	location.go where it is, and with which keys
//	request.go  one request: signed, and made again after a disturbance
package bucket

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// CallTime limits one call of a store.
const CallTime = 30 * time.Second

// Bucket is a part of a bucket: the objects whose keys begin with its prefix. It is
// safe for concurrent use.
type Bucket struct {
	Name   string
	Prefix string // "" or with a slash at the end

	address *url.URL // of the bucket, with a slash at the end
	region  string
	keys    Keys
	client  *http.Client
}

// Open opens the bucket at s3://bucket/prefix. The query may hold endpoint, the
// address of a store other than Amazon's; region, where the store cannot be asked for
// it; pathStyle, whether the bucket is named in the path or in the host, where that
// cannot be guessed. It fails if the bucket cannot be listed. Errors do not repeat the
// location, which may hold a secret.
func Open(ctx context.Context, location string, keys Keys) (*Bucket, error) {
	at, err := readLocation(location)
	if err != nil {
		return nil, err
	}
	if keys.ID == "" || keys.Secret == "" {
		return nil, errors.New(wantKeys)
	}
	b := &Bucket{Name: at.bucket, Prefix: at.prefix, address: at.address(), region: at.region, keys: keys, client: newClient()}
	if b.region == "" {
		if b.region, err = b.askRegion(ctx); err != nil {
			return nil, fmt.Errorf("reach the bucket %q: %w", b.Name, err)
		}
		at.region = b.region
		b.address = at.address()
	}
	for _, err := range b.List(ctx, b.Prefix) {
		if err != nil {
			return nil, fmt.Errorf("reach the bucket %q: %w", b.Name, err)
		}
		break
	}
	return b, nil
}

// Put stores an object in one request, whole or not at all. Its hash is that of SHA-256,
// which is signed with the request.
func (b *Bucket) Put(ctx context.Context, key string, content io.ReaderAt, size int64, hash []byte) error {
	_, err := b.do(ctx, &call{method: http.MethodPut, key: key, content: content, size: size, hash: hash})
	return err
}

// Get reads an object. It returns fs.ErrNotExist for one that there is not.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	content, err := b.do(ctx, &call{method: http.MethodGet, key: key})
	if failed := new(Error); errors.As(err, &failed) && failed.Code == "NoSuchKey" {
		return nil, fs.ErrNotExist
	}
	return content, err
}

// Delete removes an object. One that is gone already is fine.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	_, err := b.do(ctx, &call{method: http.MethodDelete, key: key})
	return err
}

// Object is what a list says of one.
type Object struct {
	Key          string
	LastModified time.Time
}

// List are the objects whose keys start with a prefix, in the order of their keys. They
// may be deleted meanwhile. It ends with the first error.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		query := url.Values{"list-type": {"2"}, "prefix": {prefix}, "encoding-type": {"url"}}
		for {
			page, err := b.listPage(ctx, query)
			if err != nil {
				yield(Object{}, err)
				return
			}
			for _, o := range page.Contents {
				if !yield(o, nil) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			query.Set("continuation-token", page.NextContinuationToken)
		}
	}
}

type listed struct {
	EncodingType          string
	IsTruncated           bool
	NextContinuationToken string
	Contents              []Object
}

func (b *Bucket) listPage(ctx context.Context, query url.Values) (*listed, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	content, err := b.do(ctx, &call{method: http.MethodGet, query: query})
	if err != nil {
		return nil, err
	}
	var page listed
	if err := xml.NewDecoder(bytes.NewReader(content)).Decode(&page); err != nil {
		return nil, fmt.Errorf("read a list of objects: %w", err)
	}
	if page.IsTruncated && page.NextContinuationToken == "" {
		return nil, errors.New("a list of objects does not tell how it goes on")
	}
	if page.EncodingType == "url" { // XML cannot hold every key
		for i := range page.Contents {
			if page.Contents[i].Key, err = url.QueryUnescape(page.Contents[i].Key); err != nil {
				return nil, fmt.Errorf("read a list of objects: %w", err)
			}
		}
	}
	return &page, nil
}

// askRegion asks the store in which region the bucket is. Any region may ask, and keys
// that may not are told where the bucket is, or it does not matter.
func (b *Bucket) askRegion(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	b.region = "us-east-1"
	content, err := b.do(ctx, &call{method: http.MethodGet, query: url.Values{"location": {""}}})
	if failed := new(Error); errors.As(err, &failed) {
		switch failed.Code {
		case "AuthorizationHeaderMalformed", "InvalidRegion", "AccessDenied", "NotImplemented":
			if failed.Region != "" {
				return failed.Region, nil
			}
			return b.region, nil
		}
	}
	if err != nil {
		return "", err
	}
	var region string
	if err := xml.Unmarshal(content, &region); err != nil {
		return "", fmt.Errorf("read the bucket's region: %w", err)
	}
	switch region {
	case "":
		return b.region, nil
	case "EU": // its name in the first years
		return "eu-west-1", nil
	default:
		return region, nil
	}
}

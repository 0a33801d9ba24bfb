package capture_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"earshot/internal/upstream/capture"
	"earshot/internal/upstream/capture/capturetest"
)

func newBucket(t *testing.T, location string) *capture.Bucket {
	t.Helper()
	b, err := capture.NewBucket(t.Context(), location, capturetest.Credentials())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestListOfManyObjects(t *testing.T) {
	t.Parallel()
	b := newBucket(t, capturetest.NewServer(t).Location)
	for id, pages := range map[string]int{"a": 1, "b": 1100, "c": 1} {
		if err := b.Put(t.Context(), id, make([][]byte, pages)); err != nil {
			t.Fatal(err)
		}
	}
	if ids := older(t, b, -time.Hour); !slices.Equal(ids, []string{"a", "b", "c"}) {
		t.Errorf("listed %v", ids)
	}
	if err := b.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if ids := older(t, b, -time.Hour); !slices.Equal(ids, []string{"a", "c"}) {
		t.Errorf("after the deletion there are %v", ids)
	}
}

func TestBucketUsesOnlyItsPrefix(t *testing.T) {
	t.Parallel()
	inner := capturetest.NewServer(t).Location
	outer := newBucket(t, strings.Replace(inner, "/some/prefix", "", 1))
	other := newBucket(t, strings.Replace(inner, "/some/prefix", "/some", 1))
	b := newBucket(t, inner)
	for _, each := range []*capture.Bucket{outer, other, b} {
		if err := each.Put(t.Context(), "prefix", [][]byte{nil}); err != nil {
			t.Fatal(err)
		}
		if ids := older(t, each, -time.Hour); !slices.Equal(ids, []string{"prefix"}) {
			t.Errorf("listed %v", ids)
		}
	}
	if err := other.Delete(t.Context(), "prefix"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Page(t.Context(), "prefix", 1); err != nil {
		t.Errorf("deleting with another prefix deleted this page: %v", err)
	}
}

func TestUnreachableBucket(t *testing.T) {
	t.Parallel()
	server := capturetest.NewServer(t)
	b := newBucket(t, server.Location)
	server.Close()
	_, pageErr := b.Page(t.Context(), "abc", 1)
	listErr := error(nil)
	for _, err := range b.Older(t.Context(), time.Now()) {
		listErr = err
	}
	for what, err := range map[string]error{
		"put": b.Put(t.Context(), "abc", [][]byte{nil}), "page": pageErr, "delete": b.Delete(t.Context(), "abc"), "list": listErr,
	} {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestDeleteReturnsTheErrorOfACanceledList(t *testing.T) {
	t.Parallel()
	b := newBucket(t, capturetest.NewServer(t).Location)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Delete(ctx, "abc"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNewBucketRejectsInvalidLocations(t *testing.T) {
	t.Parallel()
	server := capturetest.NewServer(t)
	here := "endpoint=" + server.URL
	const secret = "hush-hush"
	for _, test := range []struct {
		location, keyID, want string
	}{
		{server.Location, "wrong", "key id does not exist"},
		{server.Location, "", "AWS_ACCESS_KEY_ID"},
		{"s3://missing?" + here, capturetest.KeyID, `bucket "missing": The specified bucket does not exist`},
		{"s3://captures?endpoint=http://127.0.0.1:1", capturetest.KeyID, "refused"},
		{"s3://Captures!?" + here, capturetest.KeyID, "invalid characters"},
		{"s3://me:" + secret + "@captures?" + here, capturetest.KeyID, "AWS_ACCESS_KEY_ID"},
		{"s3://me:" + secret + "%@captures?" + here, capturetest.KeyID, "must be s3://bucket"},
		{"s3://captures?endpoint=http://me:" + secret + "@127.0.0.1:1", capturetest.KeyID, "endpoint must be"},
		{"s3://captures?endpoint=127.0.0.1:1", capturetest.KeyID, "endpoint must be"},
		{"s3://captures?endpoint=http://127.0.0.1:1/path", capturetest.KeyID, "endpoint must be"},
		{"s3://captures?secretKey=" + secret, capturetest.KeyID, `"secretKey"`},
		{"s3://captures?region=%zz" + secret, capturetest.KeyID, "query"},
		{"s3://captures?pathStyle=" + secret, capturetest.KeyID, "pathStyle must be"},
		{"s3:///prefix", capturetest.KeyID, "must be s3://bucket"},
		{"/var/captures", capturetest.KeyID, "must be s3://bucket"},
		{"gs://captures", capturetest.KeyID, "must be s3://bucket"},
	} {
		_, err := capture.NewBucket(t.Context(), test.location, credentials.NewStaticV4(test.keyID, secret, ""))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want %q and no secret", test.location, err, test.want)
		}
	}
}

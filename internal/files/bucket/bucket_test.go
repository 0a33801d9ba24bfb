package bucket

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The test checks the URL of a presigned request, which needs no store.
func TestBucketURL(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"s3://pages?region=eu-west-1":                                              "https://pages.s3.eu-west-1.amazonaws.com/key",
		"s3://pages?region=cn-north-1":                                             "https://pages.s3.cn-north-1.amazonaws.com.cn/key",
		"s3://pages.of.us?region=eu-west-1":                                        "https://s3.eu-west-1.amazonaws.com/pages.of.us/key",
		"s3://pages?region=eu-west-1&pathStyle=true":                               "https://s3.eu-west-1.amazonaws.com/pages/key",
		"s3://pages?endpoint=http://minio:9000&region=eu-west-1":                   "http://minio:9000/pages/key",
		"s3://pages?endpoint=https://minio.example/&pathStyle=false&region=x":      "https://pages.minio.example/key",
		"s3://pages.of.us?endpoint=https://minio.example&pathStyle=false&region=x": "https://pages.of.us.minio.example/key",
	} {
		b, err := newBucket(location, keys())
		if err != nil {
			t.Errorf("%s: %v", location, err)
			continue
		}
		address, err := b.client.PresignedGetObject(t.Context(), b.Name, "key", time.Hour, nil)
		if err != nil {
			t.Errorf("%s: %v", location, err)
			continue
		}
		address.RawQuery = ""
		if address.String() != want {
			t.Errorf("%s is at %s, want %s", location, address, want)
		}
	}
}

func keys() *credentials.Credentials { return credentials.NewStaticV4("id", "secret", "") }

// store answers each request with the next of its answers, and records the requests.
type store struct {
	*httptest.Server
	mu  sync.Mutex
	got []string // method, path and query, region, content
}

func serve(t *testing.T, answers ...string) *store {
	t.Helper()
	s := &store{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		content, _ := io.ReadAll(r.Body)
		scope := strings.Split(r.Header.Get("Authorization"), "/")
		s.got = append(s.got, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+scope[2]+" "+string(content)))
		status, text, _ := strings.Cut(answers[len(s.got)-1], " ")
		code, _ := strconv.Atoi(status)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

const empty = "200 <ListBucketResult></ListBucketResult>"

func TestFailedRequestsAreRetried(t *testing.T) {
	t.Parallel()
	const slow = "503 <Error><Code>SlowDown</Code><Message>not so fast</Message></Error>"
	const timeout = "400 <Error><Code>RequestTimeout</Code></Error>"
	s := serve(t, empty, slow, timeout, "200 ", slow, slow, "503 a page of a proxy", "400 <Error><Code>NoSuchKey</Code></Error>", "400 <Error><Code>Other</Code></Error>")
	b, err := Open(t.Context(), "s3://pages?region=x&endpoint="+s.URL, keys())
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte("content"))
	if err := b.Put(t.Context(), "key", strings.NewReader("content"), 7, hash[:]); err != nil {
		t.Error(err)
	}
	for _, got := range s.got[1:] {
		if got != "PUT /pages/key x content" {
			t.Errorf("the store got %q", got)
		}
	}
	if _, err := b.Get(t.Context(), "key"); err == nil || err.Error() != "a page of a proxy" || len(s.got) != 7 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
	if _, err := b.Get(t.Context(), "key"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := b.Delete(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "Other") || len(s.got) != 9 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
}

// Package capturetest provides empty capture stores of each kind for tests.
package capturetest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"earshot/internal/upstream/capture"
)

// The credentials that a Server accepts.
const (
	KeyID  = "capturetest-key"
	Secret = "capturetest-secret"
)

// OnEach runs the test on a new folder and on a new bucket.
func OnEach(t *testing.T, test func(t *testing.T, s capture.Store)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		s, err := capture.NewFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		s, err := capture.NewBucket(t.Context(), NewServer(t).Location, Credentials())
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

// Credentials returns the credentials that a Server accepts.
func Credentials() *credentials.Credentials { return credentials.NewStaticV4(KeyID, Secret, "") }

// Server is an S3-compatible store in this process. It checks the key id, but no
// signatures.
type Server struct {
	*httptest.Server
	Location string // location of an empty bucket
}

// NewServer starts a server, which runs until the test ends or Close is called.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	memory := s3mem.New()
	if err := memory.CreateBucket("captures"); err != nil {
		tb.Fatal(err)
	}
	s3 := gofakes3.New(memory).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "Credential="+KeyID+"/") {
			s3.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`<Error><Code>InvalidAccessKeyId</Code><Message>The key id does not exist.</Message></Error>`))
	}))
	tb.Cleanup(server.Close)
	return &Server{server, "s3://captures/some/prefix?region=eu-west-1&pathStyle=true&endpoint=" + server.URL}
}

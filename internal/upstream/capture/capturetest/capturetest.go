// Package capturetest gives tests a real, empty store of captures of each kind.
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

// OnEach runs the test on a folder and on a bucket, each time a fresh one.
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

// Credentials are those that a Server accepts.
func Credentials() *credentials.Credentials { return credentials.NewStaticV4(KeyID, Secret, "") }

// Server is an S3-compatible store in this process. It knows keys by their id
// only: it checks no signature.
type Server struct {
	*httptest.Server
	Location string // of an empty bucket there
}

// NewServer serves until the test ends, or until it is closed.
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

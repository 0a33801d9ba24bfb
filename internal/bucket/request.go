package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"
)

const (
	// tries is how often a request is made: enough for a short disturbance, while an
	// unreachable store is noticed within a second or two.
	tries     = 3
	firstWait = 200 * time.Millisecond
	// answerTime is how long a store may think about what it was sent.
	answerTime = time.Minute
)

// Error is what a store says that it cannot do.
type Error struct {
	Status  int `xml:"-"`
	Code    string
	Message string
	Region  string // where the bucket is, if that is what is wrong
}

func (e *Error) Error() string {
	return cmp.Or(e.Message, e.Code, fmt.Sprintf("the store answers %d %s", e.Status, http.StatusText(e.Status)))
}

// passes tells whether the same request may succeed a moment later.
func (e *Error) passes() bool {
	return e.Code == "RequestTimeout" || slices.Contains([]int{408, 429, 499, 500, 502, 503, 504, 520}, e.Status)
}

func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // it is one
	transport.DisableCompression = true                          // an object is what was stored
	transport.ResponseHeaderTimeout = answerTime
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it would need a signature of its own
	}
}

// call is a request of a store. Its content and the hash of that may be missing.
type call struct {
	method, key string
	query       url.Values
	content     io.ReaderAt
	size        int64
	hash        []byte
}

// do makes a call, again after a disturbance, and returns the answer. Errors are of the
// type *Error where the store answered.
func (b *Bucket) do(ctx context.Context, c *call) (answer []byte, err error) {
	for try := range tries {
		if try > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(rand.N(firstWait << (try - 1))):
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		answer, err = b.once(ctx, c)
		if failed := new(Error); err == nil || errors.As(err, &failed) && !failed.passes() {
			return answer, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, err
}

func (b *Bucket) once(ctx context.Context, c *call) ([]byte, error) {
	r, err := b.request(ctx, c, time.Now())
	if err != nil {
		return nil, err
	}
	response, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		failed := &Error{}
		_ = xml.Unmarshal(answer, failed) // something before the store may have answered
		failed.Status = response.StatusCode
		return nil, failed
	}
	return answer, nil
}

// request is a call, signed at a time.
func (b *Bucket) request(ctx context.Context, c *call, now time.Time) (*http.Request, error) {
	u := *b.address
	u.Path += c.key
	// Signed is the path as S3 would escape it, which is more than Go does.
	u.RawPath = strings.ReplaceAll(escape(u.Path), "%2F", "/")
	u.RawQuery = c.query.Encode()
	var content io.Reader = http.NoBody
	if c.size > 0 {
		content = io.NewSectionReader(c.content, 0, c.size) // another one for each try: a lost one may still be read from
	}
	r, err := http.NewRequestWithContext(ctx, c.method, u.String(), content)
	if err != nil {
		return nil, err
	}
	r.ContentLength = c.size
	r.Header.Set("User-Agent", "earshot")
	hash := c.hash
	if c.method == http.MethodPut {
		r.Header.Set("Content-Type", "application/octet-stream")
	} else {
		none := sha256.Sum256(nil)
		hash = none[:]
	}
	signer := sigv4.New(func(o *v4.SignerOptions) {
		o.AddPayloadHashHeader, o.DisableDoublePathEscape = true, true // as S3 wants it, unlike the rest of Amazon
	})
	return r, signer.SignRequest(&sigv4.SignRequestInput{
		Request: r, PayloadHash: hash, Service: "s3", Region: b.region, Time: now,
		Credentials: credentials.Credentials{AccessKeyID: b.keys.ID, SecretAccessKey: b.keys.Secret, SessionToken: b.keys.Session},
	})
}

func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

package bucket

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRequestsAreSigned holds the examples of
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
func TestRequestsAreSigned(t *testing.T) {
	t.Parallel()
	b := &Bucket{
		address: &url.URL{Scheme: "https", Host: "examplebucket.s3.amazonaws.com", Path: "/"}, region: "us-east-1",
		keys: Keys{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
	}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for query, signature := range map[string]string{
		"lifecycle=":          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		"max-keys=2&prefix=J": "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.request(t.Context(), &call{method: http.MethodGet, query: values}, at)
		if err != nil {
			t.Fatal(err)
		}
		want := "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=" + signature
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("%s is signed\n%s, want\n%s", query, got, want)
		}
	}
}

func TestAKeyIsEscapedAsS3DoesIt(t *testing.T) {
	t.Parallel()
	b := &Bucket{address: &url.URL{Scheme: "https", Host: "store", Path: "/bucket/"}, keys: Keys{Session: "of the session"}}
	r, err := b.request(t.Context(), &call{method: http.MethodGet, key: "day=1/ä b+c&d@e:f$g,h;i~j_k-l.html"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const want = "/bucket/day%3D1/%C3%A4%20b%2Bc%26d%40e%3Af%24g%2Ch%3Bi~j_k-l.html"
	if got := r.URL.EscapedPath(); got != want || !strings.Contains(r.URL.String(), want) {
		t.Errorf("the path is %s, want %s", got, want)
	}
	if r.Header.Get("X-Amz-Security-Token") != "of the session" || !strings.Contains(r.Header.Get("Authorization"), "x-amz-security-token,") {
		t.Errorf("the session is not sent, or not signed: %v", r.Header)
	}
}

func TestWhereABucketIs(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"s3://pages?region=eu-west-1":                                              "https://pages.s3.eu-west-1.amazonaws.com/",
		"s3://pages?region=cn-north-1":                                             "https://pages.s3.cn-north-1.amazonaws.com.cn/",
		"s3://pages":                                                               "https://pages.s3.amazonaws.com/",
		"s3://pages.of.us?region=eu-west-1":                                        "https://s3.eu-west-1.amazonaws.com/pages.of.us/",
		"s3://pages?region=eu-west-1&pathStyle=true":                               "https://s3.eu-west-1.amazonaws.com/pages/",
		"s3://pages?endpoint=https://storage.googleapis.com":                       "https://pages.storage.googleapis.com/",
		"s3://pages?endpoint=https://s3.dualstack.eu-west-1.amazonaws.com":         "https://pages.s3.dualstack.eu-west-1.amazonaws.com/",
		"s3://pages?endpoint=http://minio:9000&region=eu-west-1":                   "http://minio:9000/pages/",
		"s3://pages?endpoint=https://minio.example/&pathStyle=false":               "https://pages.minio.example/",
		"s3://pages.of.us?endpoint=https://minio.example&pathStyle=false&region=x": "https://pages.of.us.minio.example/",
	} {
		at, err := readLocation(location)
		if err != nil {
			t.Errorf("%s: %v", location, err)
			continue
		}
		if got := at.address().String(); got != want {
			t.Errorf("%s is at %s, want %s", location, got, want)
		}
	}
}

// store answers each request with the next of some answers, and notes what it got.
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

func TestTheRegionIsAsked(t *testing.T) {
	t.Parallel()
	for answer, region := range map[string]string{
		`200 <LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">eu-central-1</LocationConstraint>`: "eu-central-1",
		`200 <LocationConstraint/>`:                       "us-east-1",
		`200 <LocationConstraint>EU</LocationConstraint>`: "eu-west-1",
		`400 <Error><Code>AccessDenied</Code></Error>`:    "us-east-1",
		`400 <Error><Code>AuthorizationHeaderMalformed</Code><Message>the region is wrong</Message><Region>eu-north-1</Region></Error>`: "eu-north-1",
	} {
		s := serve(t, answer, empty)
		if _, err := Open(t.Context(), "s3://pages/some?endpoint="+s.URL, Keys{ID: "id", Secret: "secret"}); err != nil {
			t.Errorf("%s: %v", answer, err)
			continue
		}
		if s.got[0] != "GET /pages/?location= us-east-1" || s.got[1] != "GET /pages/?encoding-type=url&list-type=2&prefix=some%2F "+region {
			t.Errorf("%s: the store got %q", answer, s.got)
		}
	}
}

func TestADisturbanceIsOvercome(t *testing.T) {
	t.Parallel()
	const slow = "503 <Error><Code>SlowDown</Code><Message>not so fast</Message></Error>"
	const timeout = "400 <Error><Code>RequestTimeout</Code></Error>"
	s := serve(t, empty, slow, timeout, "200 ", slow, slow, "503 a page of a proxy", "400 <Error><Code>NoSuchKey</Code></Error>", "400 <Error><Code>Other</Code></Error>")
	b, err := Open(t.Context(), "s3://pages?region=x&endpoint="+s.URL, Keys{ID: "id", Secret: "secret"})
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
	if _, err := b.Get(t.Context(), "key"); err == nil || err.Error() != "the store answers 503 Service Unavailable" || len(s.got) != 7 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
	if _, err := b.Get(t.Context(), "key"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := b.Delete(t.Context(), "key"); err == nil || err.Error() != "Other" || len(s.got) != 9 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
}

func TestAListGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	s := serve(t, empty,
		"200 <ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>a+b=</NextContinuationToken><Contents><Key>%C3%A4+b%01</Key><LastModified>2026-11-16T10:00:00.000Z</LastModified></Contents></ListBucketResult>",
		"200 <ListBucketResult><Contents><Key>c+d</Key></Contents></ListBucketResult>", "200 <ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "200 no XML")
	b, err := Open(t.Context(), "s3://pages?region=x&endpoint="+s.URL, Keys{ID: "id", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	var got []Object
	for o, err := range b.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o)
	}
	if len(got) != 2 || got[0].Key != "ä b\x01" || !got[0].LastModified.Equal(time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)) || got[1].Key != "c+d" {
		t.Errorf("listed are %v", got)
	}
	if !strings.Contains(s.got[2], "continuation-token=a%2Bb%3D&") {
		t.Errorf("the store got %q", s.got)
	}
	for range 2 {
		for o, err := range b.List(t.Context(), "") {
			if err == nil {
				t.Errorf("listed is %v", o)
			}
		}
	}
}

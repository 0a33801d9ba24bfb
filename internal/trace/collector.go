package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

const (
	defaultTimeout = 10 * time.Second // of one try, by the specification

	// A batch that the collector has no time for is sent again. The SDK ends that after
	// OTEL_BSP_EXPORT_TIMEOUT, 30 seconds by default.
	firstWait   = 5 * time.Second
	longestWait = 30 * time.Second
	waitsAtMost = time.Minute

	maxResponse = 64 << 10 // of which the log shows a line
	messageType = "application/x-protobuf"
)

// collector sends spans by OTLP over HTTP, as
// https://opentelemetry.io/docs/specs/otlp/#otlphttp has it.
type collector struct {
	url    string
	header http.Header
	gzip   bool
	client *http.Client
}

var _ sdk.SpanExporter = (*collector)(nil)

// newCollector is the one that the variables name, which check has looked at. Errors
// name the variable that cannot be used.
func newCollector() (*collector, error) {
	c := &collector{url: address().String(), header: http.Header{"User-Agent": {"earshot"}}, gzip: setting("COMPRESSION") == "gzip"}
	if list := setting("HEADERS"); list != "" {
		for header := range strings.SplitSeq(list, ",") {
			name, value, _ := strings.Cut(header, "=")
			value, _ = url.PathUnescape(value)
			c.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // it is one
	var err error
	if transport.TLSClientConfig, err = certificates(); err != nil {
		return nil, err
	}
	c.client = &http.Client{Transport: transport, Timeout: defaultTimeout}
	if text := setting("TIMEOUT"); text != "" {
		milliseconds, _ := strconv.Atoi(text)
		c.client.Timeout = time.Duration(milliseconds) * time.Millisecond
	}
	return c, nil
}

// certificates are whom the collector is recognised by, and who is sending.
func certificates() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := setting("CERTIFICATE"); file != "" {
		content, err := os.ReadFile(file)
		config.RootCAs = x509.NewCertPool()
		if err != nil || !config.RootCAs.AppendCertsFromPEM(content) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE must be a file of certificates in PEM")
		}
	}
	if file, key := setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY"); file != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY must be a pair of files in PEM: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// ExportSpans sends spans, again where the collector asks for that.
func (c *collector) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body := []byte(request(spans))
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // a buffer takes everything
		_ = w.Close()
		body = packed.Bytes()
	}
	began, wait := time.Now(), firstWait
	for {
		again, asked, err := c.try(ctx, body)
		if !again {
			return err
		}
		if time.Since(began)+asked > waitsAtMost {
			return fmt.Errorf("%w, for too long", err)
		}
		pause := max(asked, wait/2+rand.N(wait)) // apart from other nodes
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, and there was no time to try again", err)
		case <-time.After(pause):
		}
		wait = min(wait*3/2, longestWait)
	}
}

// try sends a body once. It tells whether to send it again, and after which time the
// collector wants to have it.
func (c *collector) try(ctx context.Context, body []byte) (again bool, wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	r.Header = c.header.Clone()
	r.Header.Set("Content-Type", messageType)
	if c.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.client.Do(r)
	if err != nil {
		failed := new(url.Error)
		return errors.As(err, &failed) && failed.Temporary(), 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return true, retryAfter(response.Header.Get("Retry-After")), fmt.Errorf("the collector answers %s: %s", response.Status, text)
	case status < 200 || status > 299:
		return false, 0, fmt.Errorf("the collector answers %s: %s", response.Status, text)
	case err != nil:
		return false, 0, fmt.Errorf("read the collector's answer: %w", err)
	}
	if response.Header.Get("Content-Type") == messageType {
		if spans, why := rejected(text); spans > 0 || why != "" {
			return false, 0, fmt.Errorf("the collector did not take %d spans: %s", spans, why)
		}
	}
	return false, 0, nil
}

// retryAfter reads the header of that name: seconds or a time.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// Shutdown ends what is left of connections. The SDK calls it when all is sent.
func (c *collector) Shutdown(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

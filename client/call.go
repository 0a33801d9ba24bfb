package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"

	"earshot"
)

// maxResponse limits the size of a response, in case the service misbehaves. A page of a
// hundred results with their raw responses is smaller.
const maxResponse = 256 << 20

// call is one request to the service, before it is encoded.
type call struct {
	method string
	path   string      // with its query
	body   any         // nil for none
	key    *string     // the header Idempotency-Key; nil for none
	header http.Header // added to the usual ones; may be nil
	repeat repeat
}

// ifMatch is the context key of the version in the header If-Match.
type ifMatch struct{}

// WithIfMatch returns a context for the change of a tracker, key, channel or user. etag is the version
// that the change is based on. If somebody else has changed it since, the change fails with
// CodePrecondition and earshot.VersionDetails.
func WithIfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatch{}, etag)
}

// exchange sends a call and decodes its response.
func exchange[T any](ctx context.Context, c *Client, out call) (*T, error) {
	answer := new(T)
	if _, err := c.do(ctx, out, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// remove sends a DELETE. If the response to an earlier attempt was lost, "not found" means
// that the earlier attempt succeeded.
func (c *Client) remove(ctx context.Context, path string) error {
	o, err := c.do(ctx, call{method: http.MethodDelete, path: path, repeat: idempotent}, &struct{}{})
	if o.unsure && IsCode(err, earshot.CodeNotFound) {
		return nil
	}
	return err
}

// outcome is the metadata of a call's last response.
type outcome struct {
	header http.Header // of the last response; nil without a response
	unsure bool        // an earlier attempt may have reached the service
}

// do sends a call, with retries, and decodes a successful response into result.
func (c *Client) do(ctx context.Context, out call, result any) (outcome, error) {
	body, err := encode(out.body)
	if err != nil {
		return outcome{}, err
	}
	if out.repeat == replayed && out.key == nil {
		out.key = new(rand.Text())
	}
	var o outcome
	o.unsure, err = c.retry(ctx, out.repeat, func() error {
		o.header = nil
		resp, err := c.send(ctx, out, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		o.header = resp.Header
		return read(resp, result)
	})
	return o, err
}

// yamlBody is a body in YAML.
type yamlBody []byte

// encode returns the bytes of a body, or nil for a call without a body.
func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	if text, ok := body.(yamlBody); ok {
		return text, nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return encoded, nil
}

// send sends a call once, with its encoded body. The caller closes the response's body.
func (c *Client) send(ctx context.Context, asked call, body []byte) (*http.Response, error) {
	if c.invalid != nil {
		return nil, c.invalid
	}
	req, err := http.NewRequestWithContext(ctx, asked.method, c.base+asked.path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("create the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("User-Agent", c.userAgent)
	if version, ok := ctx.Value(ifMatch{}).(string); ok && version != "" && asked.method != http.MethodGet {
		req.Header.Set("If-Match", version)
	}
	if c.organization != "" {
		req.Header.Set(earshot.OrganizationHeader, c.organization)
	}
	if asked.key != nil {
		req.Header.Set(earshot.IdempotencyKeyHeader, *asked.key)
	}
	if _, isYAML := asked.body.(yamlBody); isYAML {
		req.Header.Set("Content-Type", "application/yaml")
	} else if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, asked.header)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unanswered(fmt.Errorf("call the service: %w", err))
	}
	return resp, nil
}

// Send sends a request to any operation, once, and returns its successful response. path may
// have a query. body is JSON or nil, unless header has another Content-Type. The caller closes
// the response's body.
func (c *Client) Send(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	out := call{method: method, path: path, header: header}
	if body != nil {
		out.body = body
	}
	resp, err := c.send(ctx, out, body)
	if err != nil {
		return nil, err
	}
	if err := refusal(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// unanswered wraps err in a lostError, except for a certificate error, which a retry
// cannot fix.
func unanswered(err error) error {
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return err
	}
	network, ok := errors.AsType[*net.OpError](err)
	return &lostError{err: err, unsent: ok && network.Op == "dial"}
}

// read decodes a response into result, or returns the error in it.
func read(resp *http.Response, result any) error {
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case err != nil:
		return &lostError{err: fmt.Errorf("read the response: %w", err)}
	case len(answer) > maxResponse:
		return fmt.Errorf("the response has more than %d bytes", maxResponse)
	case resp.StatusCode != http.StatusOK:
		return failure(resp, answer)
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	return nil
}

// pathOf replaces the parts in braces of a path template by the values, in order.
func pathOf(template string, values ...string) string {
	parts := strings.Split(template, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i], values = url.PathEscape(values[0]), values[1:]
		}
	}
	return strings.Join(parts, "/")
}

// withQuery appends the fields of a query type that are set to a path.
func withQuery(path string, parameters any) string {
	fields := map[string]any{}
	text, err := json.Marshal(parameters)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // a float64 would be written with an exponent
		err = decoder.Decode(&fields)
	}
	if err != nil { // impossible for our own types
		panic(fmt.Sprintf("encode a query: %v", err))
	}
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

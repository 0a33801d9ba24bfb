package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
)

// maxAnswer limits the size of a response, in case the service misbehaves. A result with
// its raw response is much smaller.
const maxAnswer = 64 << 20

// Remote calls the service at a URL with a key.
type Remote struct {
	URL string
	Key string
}

// Call sends a request over the network.
func (r Remote) Call(ctx context.Context, method, path string, header http.Header, body any) (int, []byte, http.Header, error) {
	req, err := newRequest(ctx, method, strings.TrimRight(r.URL, "/")+path, header, body)
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("the service cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("the response of the service is incomplete: %w", err)
	}
	return resp.StatusCode, answer, resp.Header, nil
}

// newRequest returns a request with headers and a JSON body, if any.
func newRequest(ctx context.Context, method, url string, header http.Header, body any) (*http.Request, error) {
	payload := []byte{}
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(payload))
	if err != nil {
		return nil, fmt.Errorf("create the request: %w", err)
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

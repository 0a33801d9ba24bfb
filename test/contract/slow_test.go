package contract_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"earshot/test/harness"
)

// A client that announces a body and never sends it must not be waited for.
func TestNobodyWaitsForABodyThatIsNotRead(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	for request, want := range map[string]int{
		"POST /v1/monitor/chatassistant HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":         http.StatusUnauthorized,
		"POST /v1/monitor/chatassistant HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n": http.StatusUnauthorized,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                           http.StatusOK,
		"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                           http.StatusOK,
		"POST /nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                           http.StatusNotFound,
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(n.BaseURL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want || !resp.Close {
			t.Errorf("%.40s: %d, closed %t", request, resp.StatusCode, resp.Close)
		}
		_ = resp.Body.Close()
		_ = conn.Close()
	}
}

func TestWhatIsNoTextIsNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/captures/%ff/page-1.html", "/captures/%00/page-1.html", "/captures/A/page-1.html", "//", "/v1/.."} {
		n := harness.Start(t)
		if r := n.Get(t, nil, path); r.StatusCode != http.StatusNotFound || r.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

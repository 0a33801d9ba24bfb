package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"earshot/internal/api"
)

func TestTrustedProxiesNameTheClient(t *testing.T) {
	t.Parallel()
	var got string
	s := serve(t, func(cfg *api.Config) {
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/64")}
		cfg.Dashboard = http.NewServeMux()
		cfg.Dashboard.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr })
	})
	for _, test := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "198.51.100.7:1", nil, "198.51.100.7:1"},
		{"an unknown proxy", "198.51.100.7:1", []string{"203.0.113.9"}, "198.51.100.7:1"},
		{"a proxy", "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a mapped address", "[::ffff:10.0.0.1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"an invented address", "10.0.0.1:1", []string{"192.0.2.1, 203.0.113.9"}, "203.0.113.9"},
		{"an invented header", "10.0.0.1:1", []string{"192.0.2.1", "203.0.113.9"}, "203.0.113.9"},
		{"two proxies", "10.0.0.1:1", []string{"192.0.2.1, 203.0.113.9,10.0.0.2"}, "203.0.113.9"},
		{"IPv6", "[2001:db8::1]:1", []string{"2001:db8:1::7"}, "2001:db8:1::7"},
		{"no address", "10.0.0.1:1", []string{"unknown"}, "10.0.0.1:1"},
		{"no header", "10.0.0.1:1", nil, "10.0.0.1:1"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = test.remote, test.forwarded
		s.api.ServeHTTP(httptest.NewRecorder(), r)
		if got != test.want {
			t.Errorf("%s: the client is %q, want %q", test.name, got, test.want)
		}
	}
}

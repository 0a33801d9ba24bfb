package deploy

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
	"earshot/test/harness/tool"
)

// caddy is a running Caddy with the Caddyfile of deploy/compose in front of a node.
type caddy struct {
	*harness.Node
	address string // loopback address that nothing else uses
	roots   string // file with the certificate of its authority
	http.Client
}

// clientAddress is the address from which the client connects. It differs from 127.0.0.1,
// from which Caddy connects to the node.
const clientAddress = "127.0.0.2"

func startCaddy(t *testing.T) *caddy {
	t.Helper()
	program := tool.Find(t, "caddy")
	node := harness.Start(t, func(cfg *app.Config) { cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	home, random := t.TempDir(), make([]byte, 2)
	_, _ = rand.Read(random)
	c := &caddy{
		Node:    node,
		address: netip.AddrFrom4([4]byte{127, 77, random[0], random[1]}).String(),
		roots:   filepath.Join(home, "caddy", "pki", "authorities", "local", "root.crt"),
	}
	// For localhost, Caddy signs the certificate itself.
	command := exec.CommandContext(t.Context(), program, "run", "--adapter", "caddyfile", "--config", composeDir+"Caddyfile")
	command.Env = []string{
		"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"DOMAIN=localhost", "BIND=" + c.address, "HTTP_PORT=8080", "HTTPS_PORT=8443", "UPSTREAM=" + strings.TrimPrefix(node.BaseURL, "http://"),
	}
	command.Stderr = t.Output()
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	t.Cleanup(func() { <-ended }) // the context of the test has ended before
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(clientAddress)}}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	harness.Eventually(t, "Caddy answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("Caddy ended: %s", command.ProcessState)
		default:
		}
		authority, err := os.ReadFile(c.roots)
		if err != nil {
			return false
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		c.Transport = &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, _ := net.SplitHostPort(address)
				return dialer.DialContext(ctx, network, net.JoinHostPort(c.address, port))
			},
		}
		response, err := c.Do(c.request(t.Context(), t, nil, http.MethodGet, "/readyz", ""))
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return c
}

// request returns a request to the node through Caddy.
func (c *caddy) request(ctx context.Context, t *testing.T, a *app.Account, method, path, body string) *http.Request {
	t.Helper()
	req := c.Request(ctx, t, a, method, path, body)
	req.URL.Scheme, req.URL.Host, req.Host = "https", "localhost:8443", ""
	return req
}

// send makes a request through Caddy.
func (c *caddy) send(t *testing.T, req *http.Request) *harness.Reply {
	t.Helper()
	response, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &harness.Reply{Response: response, Body: body}
}

func TestCaddy(t *testing.T) {
	t.Parallel()
	c := startCaddy(t)
	a := c.Organization(t, "hobby", 1000)
	admin := c.Admin(t, a)

	t.Run("calls work with TLS", func(t *testing.T) {
		r := c.send(t, c.request(t.Context(), t, a, http.MethodPost, harness.ChatPath, `{"prompt":"best running shoes","country":"US"}`))
		if r.StatusCode != http.StatusOK || r.Header.Get("Strict-Transport-Security") == "" || r.TLS == nil {
			t.Errorf("%s, headers %v\n%s", r.Status, r.Header, r.Body)
		}
	})

	t.Run("plain HTTP is redirected", func(t *testing.T) {
		req := c.request(t.Context(), t, nil, http.MethodGet, "/", "")
		req.URL.Scheme, req.URL.Host = "http", "localhost:8080"
		if r := c.send(t, req); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "https://localhost/" {
			t.Errorf("%s to %s", r.Status, r.Header.Get("Location"))
		}
	})

	t.Run("metrics are refused", func(t *testing.T) {
		for _, path := range []string{"/metrics", "/metrics?x=1", "/METRICS", "//metrics", "/metrics/", "/%6detrics", "/v1/../metrics"} {
			if r := c.send(t, c.request(t.Context(), t, nil, http.MethodGet, path, "")); r.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %s\n%.200s", path, r.Status, r.Body)
			}
		}
	})

	t.Run("the client's address reaches the service", func(t *testing.T) {
		req := c.request(t.Context(), t, admin, http.MethodPost, "/v1/keys", `{"name":"report","scopes":["read"]}`)
		req.Header.Set("X-Forwarded-For", "203.0.113.9") // a client may claim anything
		if r := c.send(t, req); r.StatusCode != http.StatusCreated && r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", r.Status, r.Body)
		}
		var page earshot.AuditPage
		c.send(t, c.request(t.Context(), t, admin, http.MethodGet, "/v1/audit?action=key.create&limit=1", "")).Into(t, &page)
		if len(page.Entries) != 1 || page.Entries[0].Address != clientAddress {
			t.Errorf("the audit log has %+v", page.Entries)
		}
	})

	t.Run("live events arrive at once", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only if events do not arrive
		defer cancel()
		stream, err := c.Do(c.request(ctx, t, a, http.MethodGet, harness.LivePath, ""))
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		lines := bufio.NewScanner(stream.Body)
		wait := func(part string) {
			for lines.Scan() {
				if strings.Contains(lines.Text(), part) {
					return
				}
			}
			t.Fatalf("no line of the stream has %q: %v", part, lines.Err())
		}
		wait("data:")
		task := c.Submit(t, a, harness.ChatTask("best running shoes"))
		wait(task.ID)
	})
}

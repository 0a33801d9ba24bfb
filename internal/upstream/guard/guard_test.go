package guard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/upstream/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lookup is a DNS resolver.
type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func (l lookup) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return l(ctx, host)
}

func answer(texts ...string) lookup {
	return func(context.Context, string) ([]netip.Addr, error) { return addresses(texts...), nil }
}

func addresses(texts ...string) []netip.Addr {
	list := make([]netip.Addr, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParseAddr(text)
	}
	return list
}

// recorder records the addresses that a guard allows, and prevents the connections.
type recorder struct{ targets []string }

var errRecorded = errors.New("recorded")

func (r *recorder) note(_ context.Context, target netip.AddrPort) error {
	r.targets = append(r.targets, target.String())
	return errRecorded
}

// call makes a request that the recorder stops, and returns its error.
func call(t *testing.T, g guard.Guard, r *recorder, rawURL string) error {
	t.Helper()
	g.BeforeConnect = r.note
	return post(t.Context(), t, g, rawURL)
}

func post(ctx context.Context, t *testing.T, g guard.Guard, rawURL string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, rawURL, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	client := g.Client()
	defer client.CloseIdleConnections() // ends a dial that outlives its request
	response, err := client.Do(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}

func TestNamesOfInternalHostsAreRefused(t *testing.T) {
	t.Parallel()
	for _, answers := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.20.1.1", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"100.100.100.200", "198.18.0.1", "203.0.113.7", "224.0.0.1", "255.255.255.255", "192.0.0.192", "168.63.129.16",
		"::1", "::", "fe80::1", "fd00:ec2::254", "fd20:ce::254", "ff02::1", "2001:db8::1", "fe80::1%eth0", "2606:4700::1%eth0",
		"::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:a00:1::", "2001::1", "2606:4700::5efe:a00:1",
		"93.184.215.14 127.0.0.1", "2606:4700:4700::1111 10.0.0.1",
	} {
		var r recorder
		err := call(t, guard.Guard{Resolver: answer(strings.Fields(answers)...)}, &r, "http://hooks.example/x")
		if !errors.Is(err, guard.ErrRefused) || len(r.targets) > 0 {
			t.Errorf("%s: %v, connected to %s", answers, err, r.targets)
		}
	}
}

func TestUncheckedHostsAndPortsAreRefusedWhenConnecting(t *testing.T) {
	t.Parallel()
	for _, u := range []string{
		"http://127.0.0.1/", "http://[::1]/", "http://[::ffff:93.184.215.14]/", "http://[fe80::1%25eth0]/", "http://hooks.example:22/",
		"http://hooks.example:6379/", "https://93.184.215.14:2375/", "http://hooks.example:0/", "http://hooks.example:99999/",
	} {
		var r recorder
		err := call(t, guard.Guard{Resolver: answer("93.184.215.14")}, &r, u)
		if !errors.Is(err, guard.ErrRefused) || len(r.targets) > 0 {
			t.Errorf("%s: %v, connected to %s", u, err, r.targets)
		}
	}
}

func TestPublicAddressesAreTriedInTurnAndNotTooMany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, answers, want string }{
		{"http://hooks.example/", "93.184.215.14", "93.184.215.14:80"},
		{"https://hooks.example/", "::ffff:93.184.215.14", "93.184.215.14:443"},
		{"https://hooks.example:8443/", "2606:4700:4700::1111 93.184.215.14", "[2606:4700:4700::1111]:8443 93.184.215.14:8443"},
		{"http://93.184.215.14:8080/", "10.0.0.1", "93.184.215.14:8080"},
		{"http://[2606:4700:4700::1111]/", "10.0.0.1", "[2606:4700:4700::1111]:80"},
		{"http://hooks.example/", "1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.4 1.1.1.5", "1.1.1.1:80 1.1.1.2:80 1.1.1.3:80 1.1.1.4:80"},
	} {
		var r recorder
		err := call(t, guard.Guard{Resolver: answer(strings.Fields(tt.answers)...)}, &r, tt.url)
		if !errors.Is(err, guard.ErrUnreachable) || !errors.Is(err, errRecorded) {
			t.Errorf("%s: %v", tt.url, err)
		}
		if got := strings.Join(r.targets, " "); got != tt.want {
			t.Errorf("%s at %s: connected to %s, want %s", tt.url, tt.answers, got, tt.want)
		}
	}
}

func TestEachRequestResolvesAndChecksAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	g := guard.Guard{Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) {
		if tries++; tries == 1 {
			return addresses("93.184.215.14"), nil
		}
		return addresses("127.0.0.1"), nil
	})}
	var r recorder
	if err := call(t, g, &r, "http://rebind.example/"); !errors.Is(err, errRecorded) {
		t.Errorf("the first request: %v", err)
	}
	if err := call(t, g, &r, "http://rebind.example/"); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("the second request: %v", err)
	}
	if tries != 2 || len(r.targets) != 1 {
		t.Errorf("%d questions, connected to %s", tries, r.targets)
	}
}

func TestAFailingDNSIsAFailure(t *testing.T) {
	t.Parallel()
	for name, resolver := range map[string]lookup{
		"no such name": func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "hooks.example", Server: "10.0.0.2:53", IsNotFound: true}
		},
		"no address": answer(),
	} {
		var r recorder
		err := call(t, guard.Guard{Resolver: resolver}, &r, "http://hooks.example/")
		if !errors.Is(err, guard.ErrUnresolved) || errors.Is(err, guard.ErrRefused) || len(r.targets) > 0 {
			t.Errorf("%s: %v, connected to %s", name, err, r.targets)
		}
	}
}

func TestAHangingDNSEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var r recorder
	err := post(ctx, t, guard.Guard{BeforeConnect: r.note, Resolver: lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})}, "http://slow.example/")
	if !errors.Is(err, context.Canceled) || len(r.targets) > 0 {
		t.Errorf("%v, connected to %s", err, r.targets)
	}
}

func TestADialEndsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		start := time.Now()
		err := call(t, guard.Guard{Resolver: lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})}, &r, "http://slow.example/")
		if !errors.Is(err, guard.ErrUnresolved) || time.Since(start) != 10*time.Second || len(r.targets) > 0 {
			t.Errorf("%v after %s, connected to %s", err, time.Since(start), r.targets)
		}
	})
}

func TestErrorsRevealNothingInternal(t *testing.T) {
	t.Parallel()
	inside := lookup(func(context.Context, string) ([]netip.Addr, error) { return addresses("10.1.2.3"), nil })
	missing := lookup(func(context.Context, string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "no such host", Server: "10.0.0.2:53"}
	})
	var texts []string
	for _, resolver := range []lookup{inside, missing} {
		err := call(t, guard.Guard{Resolver: resolver}, &recorder{}, "http://db.example/")
		var outer *url.Error
		if !errors.As(err, &outer) {
			t.Fatalf("%v is no *url.Error", err)
		}
		texts = append(texts, outer.Err.Error())
	}
	if texts[0] != texts[1] || texts[0] != "host has no public address" {
		t.Errorf("the errors for an internal name and for a missing name differ: %q", texts)
	}
	err := call(t, guard.Guard{Resolver: answer("93.184.215.14")}, &recorder{}, "http://db.example/")
	if strings.Contains(err.Error(), "93.184") || strings.Contains(err.Error(), errRecorded.Error()) {
		t.Errorf("the address or the reason is shown: %v", err)
	}
}

// loopback starts a server that counts its connections.
func loopback(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var seen atomic.Int64
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			seen.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server, &seen
}

func TestALoopbackServerIsReachedOnlyWherePrivateAddressesAreAllowed(t *testing.T) {
	t.Parallel()
	server, seen := loopback(t, func(http.ResponseWriter, *http.Request) {})
	named := strings.Replace(server.URL, "127.0.0.1", "hooks.example", 1)
	for _, u := range []string{server.URL, named} {
		err := post(t.Context(), t, guard.Guard{Resolver: answer("127.0.0.1")}, u)
		if !errors.Is(err, guard.ErrRefused) || seen.Load() != 0 {
			t.Errorf("%s: %v, %d connections", u, err, seen.Load())
		}
	}
	for i, u := range []string{server.URL, named, named} {
		err := post(t.Context(), t, guard.Guard{AllowPrivate: true, Resolver: answer("127.0.0.1")}, u)
		if err != nil || seen.Load() != int64(i+1) {
			t.Errorf("%s, allowed: %v, %d connections instead of %d", u, err, seen.Load(), i+1)
		}
	}
}

func TestTheNextAddressIsTriedWhenOneRefusesTheConnection(t *testing.T) {
	t.Parallel()
	server, seen := loopback(t, func(http.ResponseWriter, *http.Request) {})
	g := guard.Guard{
		AllowPrivate: true,
		Resolver:     answer("127.0.0.2", "127.0.0.1"),
		BeforeConnect: func(_ context.Context, target netip.AddrPort) error {
			if target.Addr() == netip.MustParseAddr("127.0.0.2") {
				return syscall.ECONNREFUSED
			}
			return nil
		},
	}
	if err := post(t.Context(), t, g, strings.Replace(server.URL, "127.0.0.1", "hooks.example", 1)); err != nil || seen.Load() != 1 {
		t.Errorf("%v, %d connections", err, seen.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	server, seen := loopback(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
	})
	response, err := guard.Guard{AllowPrivate: true}.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusTemporaryRedirect || seen.Load() != 1 {
		t.Errorf("status %d after %d connections", response.StatusCode, seen.Load())
	}
}

func TestAnAnswerWithEndlessHeadersFails(t *testing.T) {
	t.Parallel()
	server, _ := loopback(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("a", 64<<10)) })
	if err := post(t.Context(), t, guard.Guard{AllowPrivate: true}, server.URL); err == nil {
		t.Error("64 KiB of headers were read")
	}
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	t.Parallel()
	if (guard.Guard{}).Transport().Proxy != nil {
		t.Error("the transport uses a proxy")
	}
}

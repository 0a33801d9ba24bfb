package service_test

// The tests in this file abuse a node, and a victim next to it must not notice. Nothing is timed:
// they check shares and refusals.

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// served is what the victim does, and that it works.
func served(t *testing.T, n *harness.Node, victim *app.Account) {
	t.Helper()
	n.Get(t, victim, "/v1/credits").Has(t, "the victim's look-up", http.StatusOK)
	n.Post(t, victim, harness.ChatPath, harness.GoodCall).Has(t, "the victim's call", http.StatusOK)
	record := n.Wait(t, victim, n.Submit(t, victim, harness.ChatTask("shoes")).ID)
	if record.Task.Status != earshot.StatusCompleted {
		t.Errorf("the victim's task ended %s: %s", record.Task.Status, record.Error)
	}
}

// dial opens a connection to the node, which ends with the test.
func dial(t *testing.T, n *harness.Node) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(n.BaseURL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestSlowBodies has one account send bodies that never end, more of them than there
// are places.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	victim, abuser := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
	for range 600 {
		conn := dial(t, n)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n{", harness.ChatPath, abuser.Key.Text)
	}
	served(t, n, victim)
}

// TestFloodFromManyAddresses has 16 addresses send slow bodies and slow headers and read slowly, while a
// person at another address signs in.
func TestFloodFromManyAddresses(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	victim := n.Organization(t, "many", 1000)
	user := n.Join(t, victim, account.RoleViewer, "ana@example.com")
	hold := func(address byte, request, answer string) {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, address)}, Timeout: time.Minute}
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(n.BaseURL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(conn, request)
		begun := make([]byte, len(answer))
		if _, err := io.ReadFull(conn, begun); err != nil || string(begun) != answer {
			t.Errorf("%.30s from 127.0.0.%d: %q, %v, want %q", request, address, begun, err, answer)
		}
	}
	for address := byte(2); address < 18; address++ {
		for range 20 { // 320 together, of which the node has read a part
			hold(address, "POST /v1/session HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 100")
		}
		for range 5 {
			hold(address, "POST /v1/session HTTP/1.1\r\nHost: x\r\n", "")
			hold(address, strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 8), "HTTP/1.1 200")
		}
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 99)}}
	person := http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dialer.DialContext}}
	defer person.CloseIdleConnections()
	for range 5 {
		for path, body := range map[string]string{"/": "", "/openapi.json": "", "/v1/session": harness.Credentials(user.Key.Name, harness.Password)} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			r, err := http.NewRequestWithContext(t.Context(), method, n.BaseURL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			response, err := person.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("%s %s: %d, %v", method, path, response.StatusCode, err)
			}
		}
	}
	served(t, n, victim)
}

// TestLargeBodies has one account announce more bytes than are its share.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	victim, abuser := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
	answers := make(chan string, 20)
	for range cap(answers) { // of 16 that are its share
		conn := dial(t, n)
		fmt.Fprintf(conn, "POST /v1/async/task/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", abuser.Key.Text, 8<<20)
		go func() {
			answer, _ := bufio.NewReader(conn).ReadString('\n') // the connection may end with the test
			answers <- answer
		}()
	}
	for range cap(answers) - 16 {
		if answer := harness.Next(t, "an answer", answers); !strings.Contains(answer, "503") {
			t.Errorf("one too many is answered with %q", answer)
		}
	}
	n.Get(t, abuser, "/v1/credits").Has(t, "what carries no bytes", http.StatusOK)
	served(t, n, victim)
}

// TestHangingUpstreams has six accounts fill the workers with tasks that never end.
func TestHangingUpstreams(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.Workers, cfg.StopGrace = 60, time.Millisecond })
	victim := n.Organization(t, "many", 1000)
	for range 6 {
		abuser := n.Organization(t, "many", 1000)
		tasks := make([]string, 100)
		for i := range tasks {
			tasks[i] = harness.ChatTask(fmt.Sprintf("kites %d %s", i, harness.Endless))
		}
		n.SubmitAll(t, abuser, tasks...)
	}
	served(t, n, victim)
}

// TestHangingReceivers has one account's webhooks wait for receivers that never
// answer, more of them than there are places.
func TestHangingReceivers(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks)
	victim, abuser := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
	over := make(chan struct{})
	const share = 128 // receivers that a node serves at once for one account
	arrived := make(chan struct{}, 2*share)
	for range share + 2 {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the sender left
			arrived <- struct{}{}
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(server.Close)
		n.Submit(t, abuser, harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, server.URL)))
	}
	t.Cleanup(func() { close(over) })
	for range share {
		harness.Next(t, "a webhook", arrived)
	}
	receiver := harness.Receive(t, http.StatusOK)
	n.Submit(t, victim, harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, receiver.URL)))
	harness.Eventually(t, "the victim's webhook arrives", func() bool { return len(receiver.Webhooks()) == 1 })
}

package service_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/load"
)

// probe is a node in a process of its own that is abused for some time.
type probe struct {
	*testing.T
	node   *load.Program
	keys   []string // of accounts that abuse it
	client *load.Client
	during time.Duration
	over   chan struct{} // closed when an abuse is over
}

// hammer sends requests at a rate, whatever is answered.
func hammer(rate float64, kinds ...func(p *probe, i int) load.Request) func(*probe) {
	return func(p *probe) {
		var requests []load.Request
		for i, size := 0, 0; i < 240 && size < 64<<20; i++ { // building large bodies would slow the victim down
			requests = append(requests, kinds[i%len(kinds)](p, i))
			size += len(requests[i])
		}
		got := load.Open(p.client, rate, 2*p.during, p.over, requests...)
		for status, times := range got.Answers {
			p.Logf("    %d: %s", status, times)
		}
	}
}

// get and post make requests of one account, or of a stranger.
func get(path string) func(*probe, int) load.Request {
	return func(p *probe, _ int) load.Request { return load.Get(p.keys[0], path) }
}

func public(path string) func(*probe, int) load.Request {
	return func(*probe, int) load.Request { return load.Get("", path) }
}

func post(path, body string) func(*probe, int) load.Request {
	return func(p *probe, _ int) load.Request { return load.Post(p.keys[0], path, body) }
}

// hold opens connections, sends on each what begin gives, and reads nothing.
func hold(n int, begin func(p *probe, i int) string) func(*probe) {
	return func(p *probe) {
		var conns []net.Conn
		for i := range n {
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.node.BaseURL, "http://"))
			if err != nil {
				p.Logf("    %d connections: %v", i, err)
				break
			}
			conns = append(conns, conn)
			_, _ = conn.Write([]byte(begin(p, i))) // refused is as good
		}
		<-p.over
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
}

// slowClients keeps 2,000 connections that send one byte of a body each second, and begin again
// when the node gives up on them.
func slowClients(p *probe) {
	var group sync.WaitGroup
	for i := range 2000 {
		group.Go(func() {
			<-time.After(time.Duration(i) * time.Millisecond)
			for p.dribble() {
			}
		})
	}
	group.Wait()
}

// dribble sends a request slowly until the node closes the connection. It returns false when
// the abuse is over.
func (p *probe) dribble() bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.node.BaseURL, "http://"))
	if err == nil {
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n", harness.ChatPath, p.keys[0])
	}
	for {
		select {
		case <-p.over:
			return false
		case <-time.After(time.Second):
		}
		if err != nil {
			return true
		}
		_, err = conn.Write([]byte(" "))
	}
}

// batch is a batch of n tasks, at most 500.
func batch(n int, prompt string) string {
	tasks := make([]string, n)
	for i := range tasks {
		tasks[i] = harness.ChatTask(fmt.Sprintf("%s %d", prompt, i))
	}
	return "[" + strings.Join(tasks, ",") + "]"
}

// clear removes what an abuse left in the queues.
func (p *probe) clear() {
	for _, key := range p.keys {
		request := strings.Replace(string(load.Get(key, harness.QueuePath)), "GET", "DELETE", 1)
		if _, err := p.client.Do(load.Request(request)); err != nil {
			p.Log(err)
		}
	}
}

// slow has a stricter limit than the other abuses.
const slow = "slow clients"

// abuses are all that somebody may do to a node.
var abuses = []struct {
	name string
	do   func(*probe)
}{
	{"nothing", func(p *probe) { <-p.over }},
	{slow, slowClients},
	{"large bodies", hammer(20, post(harness.BatchPath, "["+strings.Repeat(" ", 7<<20)+"]"))},
	{"oversized bodies", hammer(10, post(harness.ChatPath, strings.Repeat(" ", 30<<20)))},
	{"forged keys", hammer(1000, func(*probe, int) load.Request { return load.Get(account.NewKey().Text, "/v1/credits") })},
	{"forged keys, 1,500 connections", func(p *probe) {
		forged := make([]load.Request, 10_000)
		for i := range forged {
			forged[i] = load.Get(account.NewKey().Text, "/v1/credits")
		}
		load.Closed(p.client, 1500, p.during, forged...)
	}},
	{"idle connections", hold(6000, func(*probe, int) string { return "GET / HT" })},
	{"public routes", hammer(1000, public("/captures/"+account.NewCaptureID()+"/page-1.html"), public("/"), public("/openapi.json"), public("/nothing"))},
	{"streams", hold(1500, func(p *probe, _ int) string { return string(load.Get(p.keys[0], harness.LivePath)) })},
	{"hanging tasks of six", hammer(2, func(p *probe, i int) load.Request {
		return load.Post(p.keys[i%6], harness.BatchPath, batch(500, harness.Endless))
	})},
	{"hanging calls of six", hammer(300, func(p *probe, i int) load.Request {
		return load.Post(p.keys[i%6], harness.ChatPath, `{"prompt":"x [[hang]]","country":"US"}`)
	})},
	{"hanging webhooks", hangingWebhooks},
	{"huge documents", hammer(20, post(harness.ChatPath, `{"prompt":"x [[huge]]","country":"US"}`))},
	{"overload", hammer(3000, func(p *probe, i int) load.Request {
		return load.Post(p.keys[i%4], harness.ChatPath, harness.GoodCall)
	})},
	{"batches", hammer(20, post(harness.BatchPath, batch(500, "x")))},
	{"single tasks", hammer(1000, post(harness.TaskPath, harness.GoodTask))},
	{"usage and statistics", hammer(500, get(harness.UsagePath), get(harness.StatsPath))},
	{"lists of tasks", hammer(500, get(harness.TasksPath+"?limit=100"), get(harness.TasksPath+"?status=FAILED&limit=100"))},
	{"lists of large tasks, read slowly", func(p *probe) {
		if status, err := p.client.Do(load.Post(p.keys[0], harness.BatchPath, batch(100, strings.Repeat("\U0001f45f", 8000)+" "+harness.Endless))); err != nil || status >= 300 {
			p.Errorf("the batch is answered with %d: %v", status, err)
		}
		hold(300, func(p *probe, _ int) string { return string(load.Get(p.keys[0], harness.TasksPath+"?limit=100")) })(p)
	}},
	{"events, read slowly", hold(500, func(p *probe, _ int) string { return string(load.Get(p.keys[0], harness.EventsPath+"?limit=100")) })},
	{"rate limit", hammer(2000, func(p *probe, _ int) load.Request { return load.Post(p.keys[6], harness.ChatPath, harness.GoodCall) })},
}

// hangingWebhooks has tasks end whose receivers, each at an address of its own, take
// the connection and never answer.
func hangingWebhooks(p *probe) {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		p.Error(err)
		return
	}
	defer listener.Close() // connections wait there; nobody takes them
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		p.Error(err)
		return
	}
	for from := 0; from < 1000; from += 250 {
		var tasks []string
		for i := from; i < from+250; i++ {
			tasks = append(tasks, harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":"http://127.1.%d.%d:%s/"}`, i/250, 1+i%250, port)))
		}
		if status, err := p.client.Do(load.Post(p.keys[0], harness.BatchPath, "["+strings.Join(tasks, ",")+"]")); err != nil || status >= 300 {
			p.Logf("    the batch is answered with %d: %v", status, err)
		}
	}
	<-p.over
}

// TestAbuse is run by make soak: somebody abuses a node in each way, and it prints how
// a victim beside them fares. EARSHOT_SOAK_ABUSE is for how long each. -run selects abuses.
func TestAbuse(t *testing.T) {
	during, err := time.ParseDuration(os.Getenv("EARSHOT_SOAK_ABUSE"))
	if err != nil {
		t.Skip("EARSHOT_SOAK_ABUSE does not say for how long")
	}
	binary := load.Build(t)
	t.Run("sqlite", func(t *testing.T) { abuseAll(t, binary, filepath.Join(t.TempDir(), "earshot.db"), during) })
	t.Run("postgres", func(t *testing.T) { abuseAll(t, binary, storetest.Postgres(t), during) })
}

func abuseAll(t *testing.T, binary, address string, during time.Duration) {
	t.Helper()
	node := load.Start(t, binary, address)
	keys := append(node.Accounts(t, load.Unlimited, 6), node.Accounts(t, load.Hasty, 1)...)
	victim := node.Accounts(t, load.Unlimited, 1)[0]
	client := load.NewClient(node.BaseURL)
	defer client.Close()
	light := func(during time.Duration) *load.Result {
		return load.Open(client, 10, during, nil, load.Get(victim, "/v1/credits"), load.Post(victim, harness.ChatPath, harness.GoodCall))
	}
	light(during / 4) // warms up
	base := light(during).Answers[200]
	t.Logf("alone: %s", base)
	for _, abuse := range abuses {
		t.Run(abuse.name, func(t *testing.T) {
			p := &probe{T: t, node: node, keys: keys, client: load.NewClient(node.BaseURL), during: during, over: make(chan struct{})}
			var group sync.WaitGroup
			group.Go(func() { abuse.do(p) })
			got := light(during)
			memory, most := node.Memory(t)
			close(p.over)
			group.Wait()
			p.clear()
			p.client.Close()
			success, limit := 0.99, 3*base.At(.99)+50*time.Millisecond
			if abuse.name == slow {
				success, limit = 0.999, 2*base.At(.99)
			}
			verdict := "held"
			if got.Success() < success || got.Answers[200].At(.99) > limit || memory > 600 {
				verdict = "MISSED"
			}
			t.Logf("%-33s %-6s %5.1f%% of %3d served, p50 %s, p99 %s (alone %s); %d MB, at most %d so far; others: %v %v", abuse.name, verdict, 100*got.Success(), got.Sent,
				got.Answers[200].At(.5).Round(time.Millisecond), got.Answers[200].At(.99).Round(time.Millisecond), base.At(.99).Round(time.Millisecond), memory, most, len(got.Answers[503]), got.Errors)
		})
	}
}

// Package load generates load with little CPU time, since it shares the processors with the
// service. It uses HTTP/1.1 on persistent connections, and can send at a given rate without
// waiting for answers.
package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long clients wait for an answer.
const patience = 5 * time.Second

// Request is the encoded text of a request.
type Request []byte

// Post returns a request with a JSON body.
func Post(key, path, body string) Request {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, key, len(body), body)
}

// Get returns a request without a body. If key is empty, the request has no key.
func Get(key, path string) Request {
	if key != "" {
		key = "Authorization: Bearer " + key + "\r\n"
	}
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: load\r\n%s\r\n", path, key)
}

// Client keeps connections to one address. It is safe for concurrent use.
type Client struct {
	// Patience is the timeout for an answer. NewClient sets it to 5 s.
	Patience time.Duration

	address string

	mu   sync.Mutex
	idle []*conn
}

type conn struct {
	net.Conn
	from *bufio.Reader
}

// NewClient returns a client of the service at a base URL.
func NewClient(base string) *Client {
	return &Client{address: strings.TrimPrefix(base, "http://"), Patience: patience}
}

// Close closes the idle connections.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.idle {
		_ = conn.Close()
	}
	c.idle = nil
}

// Do makes a request and returns the status of the answer.
func (c *Client) Do(r Request) (status int, err error) {
	end := time.Now().Add(c.Patience)
	for {
		conn, used, err := c.conn(end)
		if err != nil {
			return 0, err
		}
		status, again, err := conn.do(r, end)
		if err == nil && again {
			c.mu.Lock()
			c.idle = append(c.idle, conn)
			c.mu.Unlock()
			return status, nil
		}
		_ = conn.Close()
		if err == nil || !used || !errors.Is(err, errGone) {
			return status, err
		}
	}
}

func (c *Client) conn(end time.Time) (_ *conn, used bool, _ error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		last := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return last, true, nil
	}
	c.mu.Unlock()
	dialed, err := (&net.Dialer{Deadline: end}).Dial("tcp", c.address)
	if err != nil {
		return nil, false, err
	}
	return &conn{dialed, bufio.NewReaderSize(dialed, 2<<10)}, false, nil
}

// errGone means that the connection was closed while it was idle.
var errGone = errors.New("the connection was closed before an answer")

// do makes a request. again reports whether the connection can be used again.
func (c *conn) do(r Request, end time.Time) (status int, again bool, err error) {
	if err := c.SetDeadline(end); err != nil {
		return 0, false, err
	}
	if _, err := c.Write(r); err != nil {
		return 0, false, fmt.Errorf("%w: %w", errGone, err)
	}
	line, err := c.from.ReadSlice('\n')
	if err != nil {
		if len(line) == 0 && (errors.Is(err, io.EOF) || strings.Contains(err.Error(), "reset")) {
			err = errGone
		}
		return 0, false, err
	}
	if len(line) < 12 {
		return 0, false, fmt.Errorf("the answer begins %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, false, err
	}
	length, again := 0, true
	for {
		if line, err = c.from.ReadSlice('\n'); err != nil {
			return status, false, err
		}
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(": "))
		switch string(name) {
		case "":
			_, err = c.from.Discard(length)
			return status, again && err == nil, err
		case "Content-Length":
			if length, err = strconv.Atoi(string(value)); err != nil {
				return status, false, err
			}
		case "Connection":
			again = string(value) != "close"
		case "Transfer-Encoding":
			return status, false, nil // the body is not read
		}
	}
}

// Result is the result of a load test.
type Result struct {
	Sent    int
	Took    time.Duration  // time for sending
	Served  int            // number of requests that succeeded in that time
	Answers map[int]Times  // by status; 0 if there was no answer in time
	Errors  map[string]int // number of requests without an answer, by reason
}

// Goodput returns the number of requests per second that succeeded while requests were sent.
func (r *Result) Goodput() float64 { return float64(r.Served) / r.Took.Seconds() }

// Success returns the share of the requests that succeeded in time.
func (r *Result) Success() float64 { return float64(len(r.Answers[200])) / float64(max(1, r.Sent)) }

// Times are the response times, shortest first.
type Times []time.Duration

// At returns a quantile: part of the times are below it.
func (t Times) At(part float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(part*float64(len(t))))]
}

// String returns the number of times, their median and 99th percentile.
func (t Times) String() string {
	return fmt.Sprintf("%d (p50 %s, p99 %s)", len(t), t.At(.5).Round(time.Millisecond), t.At(.99).Round(time.Millisecond))
}

// collect gathers results from many goroutines.
type collect struct {
	mu sync.Mutex
	Result
}

func (c *collect) do(client *Client, r Request) {
	began := time.Now()
	status, err := client.Do(r)
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		status = 0
		c.Errors[reason(err)]++
	}
	c.Answers[status] = append(c.Answers[status], took)
}

func reason(err error) string {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return "timeout"
	}
	return err.Error()
}

func newCollect() *collect {
	return &collect{Result: Result{Answers: map[int]Times{}, Errors: map[string]int{}}}
}

// sent notes that all requests have been sent, for took.
func (c *collect) sent(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Took, c.Served = took, len(c.Answers[200])
}

// result returns the result, once all requests have ended.
func (c *collect) result() *Result {
	for _, times := range c.Answers {
		slices.Sort(times)
	}
	return &c.Result
}

// Closed runs a closed-loop load test: each caller sends one request after the other, of
// each kind in turn, until the time is over.
func Closed(client *Client, callers int, during time.Duration, kinds ...Request) *Result {
	all, began := newCollect(), time.Now()
	var next atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for time.Since(began) < during {
				all.do(client, kinds[int(next.Add(1))%len(kinds)])
			}
		})
	}
	group.Wait()
	all.Sent = int(next.Load())
	all.sent(time.Since(began))
	return all.result()
}

// Open runs an open-loop load test: it sends rate requests per second, of each kind in
// turn, until stop is closed or the time is over. Then it waits for the answers.
func Open(client *Client, rate float64, during time.Duration, stop <-chan struct{}, kinds ...Request) *Result {
	all, began := newCollect(), time.Now()
	var group sync.WaitGroup
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-stop:
			running = false
		case <-tick.C:
		}
		since := time.Since(began)
		running = running && since < during
		for due := int(min(since, during).Seconds() * rate); all.Sent < due; all.Sent++ {
			kind := kinds[all.Sent%len(kinds)]
			group.Go(func() { all.do(client, kind) })
		}
	}
	all.sent(time.Since(began))
	group.Wait()
	return all.result()
}

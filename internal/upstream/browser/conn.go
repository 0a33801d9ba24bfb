package browser

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// lenient are the options for JSON. A page may contain text that is not valid UTF-8.
var lenient = jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))

// message is an answer to a call, or an event, which has no id.
type message struct {
	ID        int64            `json:"id"`
	SessionID target.SessionID `json:"sessionId"`
	Method    string           `json:"method"`
	Params    jsonv2.Value     `json:"params"`
	Result    jsonv2.Value     `json:"result"`
	Error     *protocolError   `json:"error"`
}

// request is a call of a command.
type request struct {
	ID        int64            `json:"id"`
	SessionID target.SessionID `json:"sessionId,omitzero"`
	Method    string           `json:"method"`
	Params    any              `json:"params"`
}

// protocolError is Chromium's answer to a call that failed.
type protocolError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *protocolError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// conn is the connection to a Chromium: calls with their answers, and the events of each
// session. Messages end with a zero byte. One goroutine reads and one writes. Event
// handlers and callbacks run on the reading goroutine and must not block.
type conn struct {
	out   chan []byte
	lost  chan struct{} // closed when the connection is lost
	close func()        // closes the connection; Chromium then exits
	loops sync.WaitGroup
	agent string // Chromium's user agent, once it has answered

	mu      sync.Mutex
	last    int64
	pending map[int64]pending
	tabs    map[target.SessionID]*tab
}

// pending is a call that has no answer yet.
type pending struct {
	tab    *tab // nil for a call to Chromium itself
	answer func(*message)
}

// newConn returns a connection that ends when a message exceeds maxMessage bytes.
func newConn(in io.ReadCloser, out io.WriteCloser, maxMessage int64) *conn {
	c := &conn{
		out:     make(chan []byte, 8<<10),
		lost:    make(chan struct{}),
		pending: map[int64]pending{},
		tabs:    map[target.SessionID]*tab{},
	}
	c.close = sync.OnceFunc(func() {
		close(c.lost)
		_ = in.Close()
		_ = out.Close()
	})
	c.loops.Go(func() { c.read(in, maxMessage) })
	c.loops.Go(func() { c.write(out) })
	return c
}

func (c *conn) read(in io.Reader, maxMessage int64) {
	defer c.close()
	limited := &io.LimitedReader{R: in}
	reader := bufio.NewReader(limited)
	for {
		limited.N = maxMessage // a page can make Chromium send messages of any size
		text, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		msg := new(message)
		if err := jsonv2.Unmarshal(text[:len(text)-1], msg, lenient); err != nil {
			return
		}
		c.dispatch(msg)
	}
}

// dispatch passes an answer to its callback and an event to its tab.
func (c *conn) dispatch(msg *message) {
	c.mu.Lock()
	answer, tab := c.pending[msg.ID].answer, c.tabs[msg.SessionID]
	delete(c.pending, msg.ID)
	c.mu.Unlock()
	switch {
	case answer != nil:
		answer(msg)
	case msg.ID != 0: // nobody waits for this answer
	case tab != nil:
		tab.handle(session{c, msg.SessionID, tab}, msg)
	case msg.SessionID == "":
		c.handleTargets(msg)
	}
}

func (c *conn) write(out io.Writer) {
	defer c.close()
	for {
		select {
		case <-c.lost:
			return
		case text := <-c.out:
			if _, err := out.Write(append(text, 0)); err != nil {
				return
			}
		}
	}
}

// session addresses a target of Chromium: Chromium itself, or the page, a frame or a
// worker of a tab.
type session struct {
	conn *conn
	id   target.SessionID // empty for Chromium itself
	tab  *tab             // handles the events; nil for Chromium itself
}

func (c *conn) browser() session { return session{conn: c} }

// listen passes the events of the session to its tab.
func (s session) listen() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.tabs[s.id] = s.tab
}

// forget removes the sessions of a closed tab, and their calls that will get no answer.
func (c *conn) forget(closed *tab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.pending, func(_ int64, p pending) bool { return p.tab == closed })
	maps.DeleteFunc(c.tabs, func(_ target.SessionID, t *tab) bool { return t == closed })
}

// call calls a command and waits for its result. It returns the cause of ctx if ctx
// ends, and ErrCrashed if the connection is lost.
func call[P, R any](ctx context.Context, s session, command cdp.Command[P, R], params P) (result R, err error) {
	done := make(chan struct{})
	var answer R
	var failed error
	post(s, command, params, func(r R, err error) {
		answer, failed = r, err
		close(done)
	})
	select {
	case <-done:
		return answer, failed
	case <-ctx.Done():
		return result, context.Cause(ctx)
	case <-s.conn.lost:
		return result, fmt.Errorf("%w: connection lost", ErrCrashed)
	}
}

// post calls a command without waiting, so it may be used on the reading goroutine. If
// then is not nil, it is called with the result on the reading goroutine. If the queue of
// outgoing messages is full, post closes the connection.
func post[P, R any](s session, command cdp.Command[P, R], params P, then func(R, error)) {
	c := s.conn
	c.mu.Lock()
	c.last++
	id := c.last
	if then != nil {
		c.pending[id] = pending{s.tab, func(m *message) { then(decode[R](command.Method, m)) }}
	}
	c.mu.Unlock()
	text, err := jsonv2.Marshal(request{id, s.id, command.Method, params}, lenient)
	if err != nil {
		c.close() // a mistake of ours: every type of the protocol can be encoded
		return
	}
	select {
	case c.out <- text:
	default:
		c.close()
	}
}

// sessionNotFound is Chromium's error code for calls to a closed page.
const sessionNotFound = -32001

func decode[R any](method string, answer *message) (R, error) {
	var result R
	if answer.Error != nil && answer.Error.Code == sessionNotFound {
		return result, fmt.Errorf("%w: the page is closed", ErrCrashed)
	}
	if answer.Error != nil {
		return result, fmt.Errorf("%s: %w", method, answer.Error)
	}
	if err := jsonv2.Unmarshal(answer.Result, &result, lenient); err != nil {
		return result, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}

// event returns the payload of a message if the message is an event of that kind.
func event[E any](msg *message, kind cdp.Event[E]) (payload E, ok bool) {
	if msg.Method != kind.Method {
		return payload, false
	}
	err := jsonv2.Unmarshal(msg.Params, &payload, lenient)
	return payload, err == nil
}

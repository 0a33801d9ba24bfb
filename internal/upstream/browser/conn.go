package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// conn is the connection to a Chromium: calls with their answers, and the
// events of each session. One goroutine reads and one writes. Event handlers and
// callbacks run on the reading goroutine and must not block.
type conn struct {
	pipe  *pipe
	out   chan *message
	lost  chan struct{} // closed when the connection is lost
	ended chan struct{} // closed when both goroutines have ended
	once  sync.Once

	mu       sync.Mutex
	last     int64
	pending  map[int64]pending
	sessions map[target.SessionID]listener
}

// pending is a call that has no answer yet.
type pending struct {
	session target.SessionID
	answer  func(*message)
}

// listener handles the events of a session.
type listener struct {
	owner  *tab // nil for Chromium itself
	handle func(*message)
}

func newConn(pipe *pipe) *conn {
	c := &conn{
		pipe:     pipe,
		out:      make(chan *message, 8<<10),
		lost:     make(chan struct{}),
		ended:    make(chan struct{}),
		pending:  map[int64]pending{},
		sessions: map[target.SessionID]listener{},
	}
	var loops sync.WaitGroup
	loops.Go(c.read)
	loops.Go(c.write)
	go func() {
		loops.Wait()
		close(c.ended)
	}()
	return c
}

// close closes the connection. Chromium exits when its pipe is closed.
func (c *conn) close() {
	c.once.Do(func() {
		close(c.lost)
		_ = c.pipe.close()
	})
}

func (c *conn) read() {
	defer c.close()
	for {
		msg, err := c.pipe.read()
		if err != nil {
			return
		}
		if handle := c.handler(msg); handle != nil {
			handle(msg)
		}
	}
}

// handler returns the function that handles a message: the callback of its call, or the
// event handler of its session.
func (c *conn) handler(msg *message) func(*message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if msg.ID == 0 {
		return c.sessions[msg.SessionID].handle
	}
	call := c.pending[msg.ID]
	delete(c.pending, msg.ID)
	return call.answer
}

func (c *conn) write() {
	defer c.close()
	for {
		select {
		case <-c.lost:
			return
		case msg := <-c.out:
			if err := c.pipe.write(msg); err != nil {
				return
			}
		}
	}
}

// session addresses one target of Chromium.
type session struct {
	conn *conn
	id   target.SessionID // empty for the browser itself
}

func (c *conn) browser() session { return session{conn: c} }

// listen sets the handler for events of the session. The handler runs on the reading
// goroutine.
func (s session) listen(owner *tab, handle func(*message)) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.sessions[s.id] = listener{owner, handle}
}

// forget removes the sessions of a closed tab, and their calls that will get no answer.
func (c *conn) forget(owner *tab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.pending, func(_ int64, p pending) bool { return c.sessions[p.session].owner == owner })
	maps.DeleteFunc(c.sessions, func(_ target.SessionID, l listener) bool { return l.owner == owner })
}

// message returns the message of a call and registers answer as its callback.
func (s session) message(method string, params any, answer func(*message)) (*message, error) {
	data, err := jsonv2.Marshal(params, lenient)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.last++
	s.conn.pending[s.conn.last] = pending{s.id, answer}
	return &message{ID: s.conn.last, SessionID: s.id, Method: method, Params: data}, nil
}

// call calls a command and waits for its result. It returns the cause of ctx if ctx
// ends, and ErrCrashed if the connection is lost.
func call[P, R any](ctx context.Context, s session, command cdp.Command[P, R], params P) (R, error) {
	var result R
	answers := make(chan *message, 1)
	msg, err := s.message(command.Method, params, func(m *message) { answers <- m })
	if err != nil {
		return result, err
	}
	out := s.conn.out
	for {
		select {
		case out <- msg:
			out = nil // sent; a nil channel is never ready
		case answer := <-answers:
			return decode[R](command.Method, answer)
		case <-ctx.Done():
			s.conn.abandon(msg.ID)
			return result, context.Cause(ctx)
		case <-s.conn.lost:
			return result, fmt.Errorf("%w: connection lost", ErrCrashed)
		}
	}
}

// post calls a command without waiting, so it may be used on the reading goroutine. If
// then is not nil, it is called with the result on the reading goroutine. If the queue of
// outgoing messages is full, post closes the connection.
func post[P, R any](s session, command cdp.Command[P, R], params P, then func(R, error)) {
	msg, err := s.message(command.Method, params, func(m *message) {
		if then != nil {
			then(decode[R](command.Method, m))
		}
	})
	if err != nil {
		return
	}
	select {
	case s.conn.out <- msg:
	default:
		s.conn.close()
	}
}

// abandon removes a call whose caller has stopped waiting.
func (c *conn) abandon(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
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

// boundedReader fails when a message (terminated by a zero byte) exceeds max bytes. A
// page can make Chromium send messages of any size.
type boundedReader struct {
	io.ReadCloser
	max, size int
}

// Read implements io.Reader.
func (r *boundedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if end := bytes.LastIndexByte(p[:n], 0); end >= 0 {
		r.size = n - end - 1
	} else {
		r.size += n
	}
	if r.size > r.max {
		return 0, errors.New("message is too large")
	}
	return n, err
}

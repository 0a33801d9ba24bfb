package browser

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// This file replaces parts of chromedp and of the root of cdproto, which would import the
// whole protocol. We use a fifth of it.

// lenient are the options for JSON. A page may contain text that is not valid UTF-8.
var lenient = jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))

// message is a call, its answer, or an event, which has no id.
type message struct {
	ID        int64            `json:"id,omitzero"`
	SessionID target.SessionID `json:"sessionId,omitzero"`
	Method    string           `json:"method,omitzero"`
	Params    jsonv2.Value     `json:"params,omitzero"`
	Result    jsonv2.Value     `json:"result,omitzero"`
	Error     *protocolError   `json:"error,omitzero"`
}

// protocolError is Chromium's answer to a call that failed.
type protocolError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *protocolError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// exceptionError is an exception that a script threw.
type exceptionError runtime.ExceptionDetails

func (e *exceptionError) Error() string {
	text := fmt.Sprintf("exception %q (%d:%d)", e.Text, e.LineNumber, e.ColumnNumber)
	if e.Exception != nil {
		text += ": " + e.Exception.Description
	}
	return text
}

// pipe transmits messages, each followed by a zero byte. One goroutine may read while
// another writes.
type pipe struct {
	in     *bufio.Reader
	out    io.Writer
	closer func() error
}

func newPipe(in io.ReadCloser, out io.WriteCloser) *pipe {
	return &pipe{bufio.NewReader(in), out, sync.OnceValue(func() error { return errors.Join(in.Close(), out.Close()) })}
}

func (p *pipe) read() (*message, error) {
	text, err := p.in.ReadBytes(0)
	if err != nil {
		return nil, err
	}
	m := new(message)
	return m, jsonv2.Unmarshal(text[:len(text)-1], m, lenient)
}

func (p *pipe) write(m *message) error {
	text, err := jsonv2.Marshal(m, lenient)
	if err != nil {
		return err
	}
	_, err = p.out.Write(append(text, 0))
	return err
}

// close closes both directions. Chromium then exits.
func (p *pipe) close() error { return p.closer() }

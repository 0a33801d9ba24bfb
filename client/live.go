package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"earshot"
)

// maxEvent limits the size of one event; an event lists at most 1,000 tasks.
const maxEvent = 1 << 20

// LiveEvent is one event of the stream; exactly one of its fields is set.
type LiveEvent struct {
	Status *earshot.LiveStatus
	Tasks  *earshot.LiveTasks
}

// Live streams the organization's status, at the start and whenever it changes, and the
// tasks that were submitted, started or ended. The iterator ends without an error when the
// service ends the stream because its node stops or the key expires, and with an error when
// the stream breaks. In both cases, call Live again, and read the missed events with Events.
func (c *Client) Live(ctx context.Context) iter.Seq2[LiveEvent, error] {
	return func(yield func(LiveEvent, error) bool) {
		resp, err := c.open(ctx, "/v1/live")
		if err != nil {
			yield(LiveEvent{}, err)
			return
		}
		defer resp.Body.Close()
		for event, err := range readEvents(resp.Body) {
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// open opens a stream, with retries. The caller closes it.
func (c *Client) open(ctx context.Context, path string) (stream *http.Response, err error) {
	_, err = c.retry(ctx, idempotent, func() error {
		resp, err := c.send(ctx, call{method: http.MethodGet, path: path}, nil)
		if err != nil {
			return err
		}
		if err := refusal(resp); err != nil {
			return err
		}
		stream = resp
		return nil
	})
	return stream, err
}

// refusal returns the error of a response that is not a success, and closes its body.
func refusal(resp *http.Response) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse)) // failure handles a truncated body
	return failure(resp, answer)
}

// readEvents yields the known events, and skips comments and unknown events.
func readEvents(from io.Reader) iter.Seq2[LiveEvent, error] {
	return func(yield func(LiveEvent, error) bool) {
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, maxEvent)
		name := ""
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "":
				name = "" // the end of an event
			case "event":
				name = value
			case "data":
				event, err := decodeEvent(name, value)
				if event == (LiveEvent{}) && err == nil {
					continue
				}
				if !yield(event, err) || err != nil {
					return
				}
			}
		}
		if err := lines.Err(); err != nil {
			yield(LiveEvent{}, fmt.Errorf("read the stream: %w", err))
		}
	}
}

// decodeEvent returns the zero event for an unknown name.
func decodeEvent(name, data string) (event LiveEvent, err error) {
	switch name {
	case "status":
		event.Status = &earshot.LiveStatus{}
		err = json.Unmarshal([]byte(data), event.Status)
	case "tasks":
		event.Tasks = &earshot.LiveTasks{}
		err = json.Unmarshal([]byte(data), event.Tasks)
	}
	if err != nil {
		return LiveEvent{}, fmt.Errorf("decode the event %s: %w", name, err)
	}
	return event, nil
}

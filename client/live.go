package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"earshot"
)

// maxEvent bounds one event of a stream; the service names at most 1,000 tasks.
const maxEvent = 1 << 20

// LiveEvent is one event of a stream: one of its fields is set.
type LiveEvent struct {
	Status *earshot.LiveStatus
	Tasks  *earshot.LiveTasks
}

// Live follows the organization: how it stands, at once and whenever that
// changes, and which tasks were submitted, started or ended. It ends without an
// error when the service ends the stream, since its node stops or the key does,
// and with one when anything else breaks it. Then ask again, and read what
// happened meanwhile with Events.
func (c *Client) Live(ctx context.Context) iter.Seq2[LiveEvent, error] {
	return func(yield func(LiveEvent, error) bool) {
		resp, err := c.send(ctx, http.MethodGet, "/v1/live", nil)
		if err != nil {
			yield(LiveEvent{}, err)
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse)) // what is cut off is no envelope
			yield(LiveEvent{}, failure(resp, answer))
			return
		}
		for event, err := range readEvents(resp.Body) {
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// readEvents reads the events that it knows. Comments and events to come are
// passed over.
func readEvents(from io.Reader) iter.Seq2[LiveEvent, error] {
	return func(yield func(LiveEvent, error) bool) {
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, maxEvent)
		name := ""
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "":
				name = "" // an event's end
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

// decodeEvent gives an empty event for a name that it does not know.
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

// Stats tells what the jobs of the last hours came to, 1 to 24 of them, by hour
// and provider.
func (c *Client) Stats(ctx context.Context, hours int) ([]earshot.HourStats, error) {
	stats, err := get[earshot.Stats](ctx, c, http.MethodGet, "/v1/stats?hours="+strconv.Itoa(hours), nil)
	if err != nil {
		return nil, err
	}
	return stats.Hours, nil
}

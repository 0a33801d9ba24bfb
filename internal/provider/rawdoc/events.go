package rawdoc

import (
	"bytes"
	"io"
	"strings"

	"github.com/tmaxmax/go-sse"

	"earshot"
	"earshot/internal/upstream"
)

// Limits on an event stream: real answers have up to a few thousand events, of
// which the largest, with all references, have some hundred kilobytes.
const (
	maxEvents = 50_000
	maxEvent  = 2 << 20
)

// Event is one event of a stream. Type is "" when the stream names none.
type Event struct{ Type, Data string }

// ReadEvents splits an event stream and hands its events to read. What
// stands after the last blank line counts as an event too. The error is read's own, or an
// *upstream.Failure that calls the stream unreadable.
func ReadEvents(stream []byte, read func([]Event) error) error {
	return ReadJSON(stream, func() error {
		var events []Event
		ended := io.MultiReader(bytes.NewReader(stream), strings.NewReader("\n\n"))
		for event, err := range sse.Read(ended, &sse.ReadConfig{MaxEventSize: maxEvent}) {
			if err != nil {
				return upstream.Fail(earshot.ReasonUnreadable, "read event stream: %w", err)
			}
			if len(events) == maxEvents {
				return upstream.Fail(earshot.ReasonUnreadable, "stream has more than %d events", maxEvents)
			}
			events = append(events, Event{Type: event.Type, Data: event.Data})
		}
		return read(events)
	})
}

package rawdoc

import (
	"bytes"
	"io"
	"strings"

	"github.com/tmaxmax/go-sse"

	"earshot"
	"earshot/internal/upstream"
)

// Limits of an event stream. Real answers have up to a few thousand events; the largest events,
// with all references, have some hundred kilobytes.
const (
	maxEvents = 50_000
	maxEvent  = 2 << 20
)

// Event is one event of a stream. Type is "" if the stream does not name it.
type Event struct{ Type, Data string }

// ReadEvents splits an event stream and passes its events to read. Text after the last blank line
// counts as an event. The error comes from read, or is an *upstream.Failure with the reason
// unreadable.
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

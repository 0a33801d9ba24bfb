package api

import (
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/store/history"
)

// keepOpen is the interval of comments that keep a stream open. Proxies close connections
// that are idle for half a minute or more.
const keepOpen = 15 * time.Second

// live streams the status of the organization and its changed tasks, until the client
// disconnects, its key becomes invalid or the node stops.
func (s *Server) live(c *call, _, _ none) error {
	stream, err := s.watch.follow(c.principal)
	if err != nil {
		return err
	}
	defer s.watch.leave(stream)
	c.leave() // streams have their own limits
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // otherwise a proxy may buffer small events
	h.Set("X-Content-Type-Options", "nosniff")
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
	tick := time.NewTicker(keepOpen)
	defer tick.Stop()
	for text := ""; c.push(text) && c.r.Method != http.MethodHead; {
		select {
		case <-c.r.Context().Done():
			return nil
		case <-tick.C:
			text = ":\n\n"
		case n, open := <-stream.pending:
			if !open {
				return nil
			}
			text = n.text()
		}
	}
	return nil
}

// EndStreams ends all streams and refuses new ones, so that a stopping node does not wait
// for them.
func (s *Server) EndStreams() { s.watch.stop() }

// push sends and flushes a part of the response, and reports whether the client received it.
func (c *call) push(text string) bool {
	control := http.NewResponseController(c.w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := c.w.Write([]byte(text))
	return err == nil && control.Flush() == nil
}

// event returns the text of one server-sent event.
func event(name string, data []byte) string {
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, data)
}

// liveStatus returns the data of a status event.
func liveStatus(status history.QueueStatus) earshot.LiveStatus {
	return earshot.LiveStatus{Credits: creditsOf(status.Organization), Queue: queueOf(status)}
}

package api

import (
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/store"
)

// keepOpen is how often a stream without news gives a sign of life: proxies cut
// connections that are silent for half a minute or more.
const keepOpen = 15 * time.Second

// live streams the status of the organization and which of its tasks moved, until
// the client leaves, its key ends or the node stops.
func (s *Server) live(c *call, _, _ none) error {
	stream, err := s.watch.follow(c.principal)
	if err != nil {
		return err
	}
	defer s.watch.leave(stream)
	c.leave() // streams have limits of their own
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // else a proxy may hold back what is too little for it
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

// EndStreams ends the streams under way and refuses new ones, since a node that
// stops must not wait for them.
func (s *Server) EndStreams() { s.watch.stop() }

// push sends a part of the response at once. It tells false when the client
// does not take it.
func (c *call) push(text string) bool {
	control := http.NewResponseController(c.w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := c.w.Write([]byte(text))
	return err == nil && control.Flush() == nil
}

// event is one event of a stream.
func event(name string, data []byte) string {
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, data)
}

// liveStatus is the data of an event about the organization.
func liveStatus(status store.QueueStatus) earshot.LiveStatus {
	return earshot.LiveStatus{Credits: creditsOf(status.Organization), Queue: queueOf(status)}
}

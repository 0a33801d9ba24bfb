package upstream

import (
	"errors"
	"sync"

	"earshot"
)

// stored are documents that take the place of the network.
type stored struct {
	mu   sync.Mutex
	left [][]byte
}

// NewStored makes a client that reaches nothing: it answers fetches by documents,
// each once, in their order, and resolves no redirect.
func NewStored(surface earshot.Surface, documents ...[]byte) *Client {
	return &Client{surface: surface, stored: &stored{left: documents}}
}

var errNotStored = errors.New("this document was not stored")

func (s *stored) next() (*Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) == 0 {
		return nil, Fail(earshot.ReasonUnavailable, "%w", errNotStored)
	}
	body := s.left[0]
	s.left = s.left[1:]
	if len(body) > maxBody {
		return nil, Fail(earshot.ReasonUnreadable, "body exceeds %d bytes", maxBody)
	}
	return &Response{Body: body}, nil
}

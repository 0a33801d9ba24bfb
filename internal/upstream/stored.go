package upstream

import (
	"errors"
	"net/url"
	"sync"

	"earshot"
)

// stored are documents that take the place of the network.
type stored struct {
	mu        sync.Mutex
	left      [][]byte
	redirects map[string]string
}

// NewStored makes a client that reaches nothing: it answers fetches by documents,
// each once, in their order. Of redirects it knows those that are given, by their
// links; they may be nil.
func NewStored(surface earshot.Surface, documents [][]byte, redirects map[string]string) *Client {
	known := map[string]string{}
	for link, destination := range redirects {
		if u, err := url.Parse(link); err == nil {
			known[u.Path+"?"+u.Query().Encode()] = destination
		}
	}
	return &Client{surface: surface, stored: &stored{left: documents, redirects: known}}
}

func (s *stored) redirect(req Request) (string, error) {
	if location, ok := s.redirects[req.Path+"?"+req.Query.Encode()]; ok {
		return location, nil
	}
	return "", Fail(earshot.ReasonUnavailable, "%w", errNotStored)
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

package upstream

import (
	"errors"
	"net/http"
	"net/url"
	"sync"

	"earshot"
	"earshot/internal/limits/share"
)

// stored is an exchanger that answers from documents instead of the network.
type stored struct {
	mu        sync.Mutex
	left      [][]byte
	redirects map[string]string
}

// NewStored returns a client without a network: fetches return the documents, each once,
// in their order. redirects maps links to their locations and may be nil.
func NewStored(surface earshot.Surface, documents [][]byte, redirects map[string]string) *Client {
	known := map[string]string{}
	for link, destination := range redirects {
		if u, err := url.Parse(link); err == nil {
			known[u.Path+"?"+u.Query().Encode()] = destination
		}
	}
	return &Client{surface: surface, anySite: nowhere, exchanger: &stored{left: documents, redirects: known}, large: share.NewPool(maxLarge)}
}

// nowhere is the base URL of clients without a network.
var nowhere = &url.URL{Scheme: "http", Host: "stored.invalid", Path: "/"}

var errNotStored = errors.New("this document was not stored")

func (s *stored) exchange(c *call) (*http.Response, error) {
	if c.pointer {
		location, ok := s.redirects[c.Path+"?"+c.Query.Encode()]
		if !ok {
			return nil, Fail(earshot.ReasonUnavailable, "%w", errNotStored)
		}
		return response(http.StatusFound, http.Header{"Location": {location}}, nil), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) == 0 {
		return nil, Fail(earshot.ReasonUnavailable, "%w", errNotStored)
	}
	body := s.left[0]
	s.left = s.left[1:]
	return response(http.StatusOK, http.Header{}, body), nil
}

package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/limits/share"
)

// Recording holds recorded exchanges that can be replayed.
type Recording struct{ exchanges []Exchange }

// OpenRecording reads the exchanges that a Recorder wrote to a folder.
func OpenRecording(dir string) (*Recording, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("recording: there are no exchanges in %s", dir)
	}
	slices.Sort(paths)
	r := &Recording{exchanges: make([]Exchange, len(paths))}
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("recording: %w", err)
		}
		if err := json.Unmarshal(text, &r.exchanges[i]); err != nil {
			return nil, fmt.Errorf("recording %s: %w", filepath.Base(path), err)
		}
	}
	return r, nil
}

// Clients returns clients for the upstreams that the provider was asked through, in the
// order of their first exchange. Each client returns the recorded responses. If the same
// request was recorded several times, its responses are returned in that order, and then
// the last one again and again.
func (r *Recording) Clients(provider string) []*Client {
	var clients []*Client
	tapes := map[string]*replay{}
	places := map[string]bool{}
	located := func(place string) bool { return places[place] }
	for _, e := range r.exchanges {
		if e.Provider != provider {
			continue
		}
		tape := tapes[e.Upstream]
		if tape == nil {
			tape = &replay{left: map[string][]ExchangeResponse{}}
			tapes[e.Upstream] = tape
			clients = append(clients, e.player(tape, located))
		}
		for _, place := range e.Places {
			places[place] = true
		}
		key := e.Request.key()
		tape.left[key] = append(tape.left[key], e.Response)
	}
	return clients
}

// player returns a client that replays the upstream of an exchange.
func (e Exchange) player(tape *replay, located func(place string) bool) *Client {
	c := &Client{
		name: "replay:" + e.Upstream, surface: e.Surface, anySite: nowhere, exchanger: tape, located: located, large: share.NewPool(maxLarge), replayed: true,
	}
	if name, ok := strings.CutPrefix(e.Upstream, "api:"); ok {
		c.api = &API{Name: name, Model: e.Model}
	}
	if name, ok := strings.CutPrefix(e.Upstream, "model:"); ok {
		c.entry, c.api = name, &API{Model: e.Model}
	}
	c.browser = len(e.Request.Steps) > 0
	return c
}

// replay is an exchanger that returns recorded responses.
type replay struct {
	mu   sync.Mutex
	left map[string][]ExchangeResponse
}

var errNotRecorded = errors.New("the recording does not contain this request")

func (p *replay) exchange(c *call) (*http.Response, error) {
	key := requestOf(c).key()
	p.mu.Lock()
	left := p.left[key]
	if len(left) > 1 {
		p.left[key] = left[1:]
	}
	p.mu.Unlock()
	if len(left) == 0 {
		return nil, &Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%w: %s %s", errNotRecorded, c.Site, c.Path), Final: true, Setting: SettingStream}
	}
	return left[0].play()
}

func (r ExchangeResponse) play() (*http.Response, error) {
	broken := &Failure{Reason: cmp.Or(r.Reason, earshot.ReasonUnavailable), Err: errors.New(r.Error)}
	if r.Status == 0 {
		return nil, broken
	}
	var body io.Reader = bytes.NewReader(r.Document())
	if r.Error != "" {
		body = io.MultiReader(body, failing{broken})
	}
	return &http.Response{StatusCode: r.Status, Header: r.Header, Body: io.NopCloser(body)}, nil
}

// failing is a reader that returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// key returns a text that identifies a request, without the address of the site.
func (r ExchangeRequest) key() string {
	text, _ := json.Marshal(r) // strings and numbers always marshal
	return string(text)
}

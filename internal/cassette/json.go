package cassette

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// recording is the outermost object of the formats that have one.
type recording struct {
	Interactions     []json.RawMessage `json:"interactions"`      // vcrpy, go-vcr
	HTTPInteractions []json.RawMessage `json:"http_interactions"` // VCR, Betamax
	Requests         []json.RawMessage `json:"requests"`          // vcrpy with lists of their own
	Responses        []json.RawMessage `json:"responses"`
	Log              struct {
		Entries []json.RawMessage `json:"entries"` // HAR
	} `json:"log"`
}

// interaction is one element of a recording's list.
type interaction struct {
	call

	Request  *message `json:"request"`
	Response *message `json:"response"`
}

// fromJSON are the exchanges of a recording that is one JSON object.
func fromJSON(document []byte) []Exchange {
	var r recording
	if json.Unmarshal(document, &r) != nil {
		return nil
	}
	var exchanges []Exchange
	for _, list := range [][]json.RawMessage{r.Interactions, r.HTTPInteractions, r.Log.Entries} {
		for _, element := range list {
			var i interaction
			if json.Unmarshal(element, &i) == nil {
				exchanges = add(exchanges, i)
			}
		}
	}
	for n := range min(len(r.Requests), len(r.Responses)) {
		var i interaction
		if json.Unmarshal(r.Requests[n], &i.Request) == nil && json.Unmarshal(r.Responses[n], &i.Response) == nil {
			exchanges = add(exchanges, i)
		}
	}
	return exchanges
}

// add appends the exchange that the interaction is, if it is one that can be
// read: a response without a status was not made over HTTP, and what a call
// answered stands elsewhere.
func add(exchanges []Exchange, i interaction) []Exchange {
	if body := i.body(); body != nil {
		return append(exchanges, Exchange{Status: http.StatusOK, Body: body})
	}
	if i.Request == nil || i.Response == nil || i.Response.status() == 0 {
		return exchanges
	}
	body, ok := decoded(i.Response.body(), i.Response.Headers.Header)
	if !ok {
		return exchanges
	}
	return append(exchanges, Exchange{
		Method:      i.Request.method(),
		URL:         i.Request.url(),
		RequestBody: i.Request.body(),
		Status:      i.Response.status(),
		Header:      i.Response.Headers.Header,
		Body:        body,
	})
}

// line is one of the JSON lines of a proxy's log. The request and its response
// stand on one line, or on one line each, the request first.
type line struct {
	Method       string  `json:"method"`
	URL          string  `json:"url"`
	Host         string  `json:"host"`
	Path         string  `json:"path"`
	RequestBody  content `json:"request_body"`
	Status       status  `json:"status"`
	ResponseBody content `json:"response_body"`
}

// fromLines are the exchanges in JSON lines of requests and responses.
func fromLines(document []byte) []Exchange {
	if !bytes.Contains(document, []byte(`"response_body"`)) {
		return nil
	}
	var exchanges []Exchange
	var asked line
	for text := range bytes.Lines(document) {
		var l line
		if json.Unmarshal(text, &l) != nil {
			continue
		}
		if l.Method != "" {
			asked = l
		}
		if len(l.ResponseBody) == 0 {
			continue
		}
		if asked.Host != l.Host {
			asked = line{Host: l.Host}
		}
		exchanges = append(exchanges, asked.exchange(l))
		asked = line{Host: l.Host}
	}
	return exchanges
}

// exchange is the request of l with the response of the other line.
func (l line) exchange(response line) Exchange {
	address := l.URL
	if address == "" && l.Host != "" {
		address = "https://" + l.Host + l.Path
	}
	return Exchange{
		Method:      l.Method,
		URL:         address,
		RequestBody: l.RequestBody,
		Status:      int(response.Status),
		Body:        response.ResponseBody,
	}
}

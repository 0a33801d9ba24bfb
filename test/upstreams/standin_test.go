package upstreams_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"earshot/internal/app"
)

// vendorKey is the key that the stand-in accepts.
const vendorKey = "sk-operators-own-key-0123456789"

// standIn plays the vendors of official APIs. What it answers is ordered by words
// in the question: "fail=CASE".
type standIn struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string]int // by what was asked
}

func startStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{calls: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /responses", s.vendor("Authorization", responsesAnswer))
	mux.HandleFunc("POST /v1/agent", s.vendor("Authorization", agentAnswer))
	mux.HandleFunc("POST /messages", s.vendor("X-Api-Key", claudeAnswer))
	mux.HandleFunc("POST /models/{model}", s.vendor("X-Goog-Api-Key", geminiAnswer))
	mux.HandleFunc("GET /web/search", s.vendor("X-Subscription-Token", braveWeb))
	mux.HandleFunc("GET /news/search", s.vendor("X-Subscription-Token", braveNews))
	mux.HandleFunc("GET /grounding-api-redirect/{page}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://weather.example/"+r.PathValue("page"))
		w.WriteHeader(http.StatusFound)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// settings have every API ask the stand-in with its key.
func (s *standIn) settings(cfg *app.Config) {
	var names []string
	for _, p := range app.Providers() {
		for _, api := range p.Definition().APIs {
			names = append(names, strings.ToUpper(api.Name))
		}
	}
	s.one(names...)(cfg)
	cfg.Settings.APIs = map[string]app.APISettings{"gemini": {Redirects: s.URL}}
}

// one has the named APIs ask the stand-in.
func (s *standIn) one(names ...string) func(*app.Config) {
	variables := map[string]string{"EARSHOT_RESPONSES_MODEL": "office-1"}
	for _, name := range names {
		variables["EARSHOT_"+name+"_API_KEY"] = vendorKey
		variables["EARSHOT_"+name+"_URL"] = s.URL
	}
	return func(cfg *app.Config) { cfg.Getenv = func(name string) string { return variables[name] } }
}

// count tells how often a question with the word was asked.
func (s *standIn) count(word string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for asked, times := range s.calls {
		if strings.Contains(asked, word) {
			n += times
		}
	}
	return n
}

// vendor answers when the key is right and the question orders nothing else: with a stream
// if it is asked for one.
func (s *standIn) vendor(keyHeader string, answer func(stream bool) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked := string(body) + r.URL.Query().Get("q")
		stream := strings.Contains(asked, `"stream":true`) || strings.Contains(r.URL.Path, ":streamGenerateContent")
		s.mu.Lock()
		s.calls[asked]++
		times := s.calls[asked]
		s.mu.Unlock()
		if key := strings.TrimPrefix(r.Header.Get(keyHeader), "Bearer "); key != vendorKey {
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+key)
			return
		}
		_, order, _ := strings.Cut(asked, "fail=")
		order, _, _ = strings.Cut(order, ".")
		switch order {
		case "":
		case "late":
			if times < 3 {
				w.Header().Set("Retry-After-Ms", "2")
				refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Slow down")
				return
			}
		case "unverified":
			if stream {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"message":"Your organization must be verified to stream this model. Please go to: https://platform.example/settings","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`)
				return
			}
		case "gone":
			refuse(w, http.StatusNotFound, "model_not_found", "The model does not exist or you do not have access to it.")
			return
		case "text":
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "upstream connect error, key "+vendorKey)
			return
		case "cut":
			text := answer(stream)
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			fmt.Fprint(w, text[:len(text)/2])
			return
		case "garbage":
			fmt.Fprint(w, "\x00 not what you expect")
			return
		default:
			status, code, _ := strings.Cut(order, "-")
			n, _ := strconv.Atoi(status)
			refuse(w, n, code, "No, and your key was "+vendorKey)
			return
		}
		if stream {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		fmt.Fprint(w, answer(stream))
	}
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": code, "code": code, "status": code}})
}

// events writes an event stream of JSON objects.
func events(objects ...string) string {
	return "data: " + strings.Join(objects, "\n\ndata: ") + "\n\n"
}

func responsesAnswer(stream bool) string {
	const search = `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","queries":["weather tomorrow"],"sources":[{"type":"url","url":"https://weather.example/today"},{"type":"url","url":"https://rain.example/"}]}}`
	const said = `Take an umbrella. ([weather.example](https://weather.example/today))`
	message := fmt.Sprintf(`{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%q,"annotations":[{"type":"url_citation","start_index":18,"end_index":%d,"title":"Weather today","url":"https://weather.example/today"}]}]}`, said, len(said))
	response := fmt.Sprintf(`{"id":"r","object":"response","status":"completed","model":"vendor-1","output":[%s,%s]}`, search, message)
	if !stream {
		return response
	}
	return events(
		`{"type":"response.created","response":{"id":"r","object":"response","status":"in_progress","model":"vendor-1","output":[]}}`,
		fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":%q}`, said),
		fmt.Sprintf(`{"type":"response.completed","response":%s}`, response),
	)
}

func agentAnswer(stream bool) string {
	const results = `{"type":"search_results","queries":["weather tomorrow"],"results":[{"id":1,"title":"Weather today","url":"https://weather.example/today","date":"2026-01-02","snippet":"Rain."}]}`
	const message = `{"id":"m","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Take an umbrella.[1]","annotations":[]}]}`
	const response = `{"id":"r","object":"response","status":"completed","model":"vendor-1","output":[` + results + `,` + message + `],"usage":{"cost":{"currency":"USD","total_cost":0.00465}}}`
	if !stream {
		return response
	}
	return events(
		`{"type":"response.created","response":{"id":"r","object":"response","status":"in_progress","model":"vendor-1","output":[]}}`,
		`{"type":"response.output_text.delta","item_id":"m","output_index":1,"content_index":0,"delta":"Take an umbrella.[1]"}`,
		`{"type":"response.completed","response":`+response+`}`,
	)
}

func geminiAnswer(stream bool) string {
	const support = `{"segment":{"startIndex":0,"endIndex":17,"text":"Take an umbrella."},"groundingChunkIndices":[0]}`
	const grounding = `{"webSearchQueries":["weather tomorrow"],"groundingChunks":[{"web":{"uri":"https://vertexaisearch.cloud.google.com/grounding-api-redirect/today","title":"weather.example"}}],"groundingSupports":[` + support + `]}`
	if !stream {
		return `{"candidates":[{"content":{"parts":[{"text":"Take an umbrella."}],"role":"model"},"finishReason":"STOP","index":0,"groundingMetadata":` + grounding + `}],"modelVersion":"vendor-1"}`
	}
	return events(
		`{"candidates":[{"content":{"parts":[{"text":"Take an "}],"role":"model"},"index":0}],"modelVersion":"vendor-1"}`,
		`{"candidates":[{"content":{"parts":[{"text":"umbrella."}],"role":"model"},"finishReason":"STOP","index":0,"groundingMetadata":`+grounding+`}],"modelVersion":"vendor-1"}`,
	)
}

func claudeAnswer(bool) string {
	return events(
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"vendor-1","content":[]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://weather.example/today","title":"Weather today","cited_text":"Rain.","encrypted_index":"eA=="}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Take an "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"umbrella."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		`{"type":"message_stop"}`,
	)
}

func braveWeb(bool) string {
	return `{"type":"search","query":{"original":"x","more_results_available":false},"web":{"type":"search","results":[{"title":"Weather today","url":"https://weather.example/today","description":"Take an <strong>umbrella</strong>."}]}}`
}

func braveNews(bool) string {
	return `{"type":"news","query":{"original":"x"},"results":[{"type":"news_result","title":"Rain is coming","url":"https://weather.example/today","description":"Take an umbrella.","age":"2 hours ago","meta_url":{"hostname":"weather.example"}}]}`
}

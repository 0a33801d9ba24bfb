package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

const (
	vendorKey = "sk_live_of-the-chaos-test-0123456789"
	// slowestSubmission is how long the vendor takes at most before it accepts a question,
	// and again before it confirms that.
	slowestSubmission = 300 * time.Millisecond
	// slowestAnswer is how long the vendor works on a question at most.
	slowestAnswer = 6 * time.Second
)

// vendor plays cloro. It accepts a question even if the client has gone in the meantime,
// and rejects an idempotency key that it has accepted before without naming the task.
type vendor struct {
	*httptest.Server
	mu        sync.Mutex
	random    *rand.Rand
	keys      map[string]bool // idempotency keys that were accepted
	questions []question      // the task id is the index
	repeated  map[string]int  // rejected repetitions of a key, by prompt
}

type question struct {
	prompt string
	ready  time.Time
}

func (s *stage) newVendor() *vendor {
	v := &vendor{random: s.source(), keys: map[string]bool{}, repeated: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/async/task", v.submit)
	mux.HandleFunc("GET /v1/async/task/{id}", v.poll)
	v.Server = httptest.NewServer(mux)
	s.Cleanup(v.Close)
	return v
}

func (v *vendor) submit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		IdempotencyKey string
		Payload        struct{ Prompt string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.IdempotencyKey == "" {
		http.Error(w, `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"incomplete"}}`, http.StatusBadRequest)
		return
	}
	v.delay()
	id := v.accept(body.IdempotencyKey, body.Payload.Prompt)
	v.delay()
	if id < 0 {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, `{"success":false,"error":{"code":"RESOURCE_ALREADY_EXISTS","message":"Task already exists","details":{"field":"idempotencyKey","value":%q}}}`, body.IdempotencyKey)
		return
	}
	fmt.Fprintf(w, `{"task":{"id":"%d","status":"QUEUED"}}`, id)
}

// accept returns the id of a new task, or -1 if the key was accepted before.
func (v *vendor) accept(key, prompt string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys[key] {
		v.repeated[prompt]++
		return -1
	}
	v.keys[key] = true
	v.questions = append(v.questions, question{prompt, time.Now().Add(v.within(slowestAnswer))})
	return len(v.questions) - 1
}

func (v *vendor) delay() {
	v.mu.Lock()
	wait := v.within(slowestSubmission)
	v.mu.Unlock()
	time.Sleep(wait)
}

func (v *vendor) within(most time.Duration) time.Duration {
	return time.Duration(v.random.Int64N(int64(most)))
}

func (v *vendor) poll(w http.ResponseWriter, r *http.Request) {
	var id int
	_, err := fmt.Sscan(r.PathValue("id"), &id)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case err != nil || id >= len(v.questions):
		http.Error(w, `{"success":false,"error":{"code":"NOT_FOUND","message":"no such task"}}`, http.StatusNotFound)
	case time.Now().Before(v.questions[id].ready):
		fmt.Fprintf(w, `{"task":{"id":"%d","status":"PROCESSING"}}`, id)
	default:
		text := answerTo(v.questions[id].prompt)
		fmt.Fprintf(w, `{"task":{"id":"%d","status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{"text":%q,"markdown":%q}}`, id, text, text)
	}
}

func answerTo(prompt string) string {
	return "Ollaro and Kestrin are recommended to those who ask about " + prompt + "."
}

// accepted returns how often each prompt was accepted and how often a repetition of its key was rejected.
func (v *vendor) accepted() (accepted, repeated map[string]int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	accepted, repeated = map[string]int{}, map[string]int{}
	for _, q := range v.questions {
		accepted[q.prompt]++
		repeated[q.prompt] = v.repeated[q.prompt]
	}
	return accepted, repeated
}

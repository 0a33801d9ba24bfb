package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// answer is what came back of a request: at least the head.
type answer struct {
	status int
	header http.Header
	body   []byte // nil if it broke off
}

// nobody is the key of requests without a credential.
const nobody = ""

// noAnswer counts requests whose connection ended before the response.
const noAnswer = "no answer"

// errNotSent is of a request that no node can have seen.
var errNotSent = errors.New("no node was there")

// send makes a request of an organization to some node. After an error that is
// not errNotSent nobody knows whether it was acted upon.
func (s *stage) send(r *rand.Rand, o *organization, method, path string, body any) (*answer, error) {
	base := s.someNode(r)
	if base == "" {
		return nil, errNotSent
	}
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNotSent, err)
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(s.Context(), method, base+path, content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotSent, err)
	}
	if o.key != nobody {
		harness.Authenticate(req, &app.Account{Key: account.Key{Text: o.key}})
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, errNotSent
	}
	if err != nil {
		if failed, ok := errors.AsType[net.Error](err); !ok || !failed.Timeout() { // a slow machine is no fault
			s.tally(noAnswer)
		}
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	s.tally(strconv.Itoa(resp.StatusCode))
	if text, err := io.ReadAll(resp.Body); err == nil {
		a.body = text
	}
	return a, nil
}

// someNode is the address of a node that is up, or "".
func (s *stage) someNode(r *rand.Rand) string {
	s.mu.Lock()
	nodes := s.nodes
	s.mu.Unlock()
	first := r.IntN(len(nodes))
	for i := range nodes {
		if _, base := nodes[(first+i)%len(nodes)].current(); base != "" {
			return base
		}
	}
	return ""
}

// failure is the error of an answer.
type failure struct {
	Code    earshot.Code    `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// taken is the task that has the idempotency key already.
func (f *failure) taken() string {
	var details earshot.DuplicateDetails
	_ = json.Unmarshal(f.Details, &details) // no task is what the caller will find
	return details.TaskID
}

func (a *answer) failure() *failure {
	var envelope struct {
		Error failure `json:"error"`
	}
	_ = json.Unmarshal(a.body, &envelope) // an error without a code is nobody's
	return &envelope.Error
}

// patience is how long a question may stay without an answer when all is well.
const patience = time.Minute

// ask gets an answer of the service when no fault is under way, whatever it is,
// and gives nil when there is none.
func (s *stage) ask(r *rand.Rand, o *organization, method, path string, body any) *answer {
	var last any
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		a, err := s.send(r, o, method, path, body)
		switch {
		case err != nil:
			last = err
		case a.body == nil:
			last = "the answer broke off"
		case a.status == http.StatusTooManyRequests || a.status >= http.StatusInternalServerError:
			last = fmt.Sprintf("%d %s", a.status, a.body)
		default:
			return a
		}
	}
	s.violation("%s: %s %s got no answer in %s: %v", o.name, method, path, patience, last)
	return nil
}

// get reads something into v and tells whether it was there.
func (s *stage) get(r *rand.Rand, o *organization, path string, v any) bool {
	a := s.ask(r, o, http.MethodGet, path, nil)
	if a == nil {
		return false
	}
	if a.status != http.StatusOK {
		s.violation("%s: GET %s answers %d %.300s", o.name, path, a.status, a.body)
		return false
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		s.violation("%s: GET %s: %v in %.300s", o.name, path, err, a.body)
		return false
	}
	return true
}

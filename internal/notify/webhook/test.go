package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/track/alert"
)

// testsAtOnce is the maximum number of concurrent tests of an organization on a node.
// Each test keeps a request open until its receiver answers.
const testsAtOnce = 4

// excerptLength is the maximum length of the answer in the result of a test, in characters.
const excerptLength = 200

// tests counts the running tests by organization.
type tests struct {
	mu      sync.Mutex
	running map[string]int
}

// begin counts a test until end is called.
func (t *tests) begin(organization string) (end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[organization] == testsAtOnce {
		return nil, &earshot.Error{
			Code:    earshot.CodeConcurrencyLimit,
			Message: fmt.Sprintf("%d tests are running; wait for one to end", testsAtOnce),
			Details: earshot.LimitDetails{Limit: testsAtOnce},
		}
	}
	if t.running == nil {
		t.running = map[string]int{}
	}
	t.running[organization]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.running[organization]--; t.running[organization] == 0 {
			delete(t.running, organization)
		}
	}, nil
}

// Test sends a test message, with the signature and address checks of a delivery, and
// returns the result. The message is neither stored nor retried. A failure of the
// receiver is part of the result, not an error.
func (s *Sender) Test(ctx context.Context, organization, url string) (*earshot.WebhookTest, error) {
	body, err := json.Marshal(earshot.WebhookTestEvent{SentAt: earshot.Timestamp{Time: time.Now()}})
	if err != nil {
		return nil, fmt.Errorf("encode a test: %w", err)
	}
	return s.TestChannel(ctx, organization, &alert.Message{URL: url, Body: body, Signed: true})
}

// TestChannel is Test for a message to a channel.
func (s *Sender) TestChannel(ctx context.Context, organization string, m *alert.Message) (*earshot.WebhookTest, error) {
	end, err := s.tests.begin(organization)
	if err != nil {
		return nil, err
	}
	defer end()
	started := time.Now()
	secrets, err := s.Store.WebhookSecrets(ctx, organization, started)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	got, err := s.tell(limited, uuid.Must(uuid.NewV7()).String(), m, secrets, started)
	if ctx.Err() != nil {
		return nil, ctx.Err() // the client has left
	}
	test := &earshot.WebhookTest{Delivered: acknowledged(got.status), Answer: excerpt(got.text, m.Secrets), Ms: time.Since(started).Milliseconds()}
	if err != nil {
		test.Error = new(class(err))
	} else {
		test.Status = &got.status
	}
	return test, nil
}

// excerpt returns the beginning of a receiver's answer as one line without secrets.
func excerpt(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	line := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " "))
	return string(line[:min(len(line), excerptLength)])
}

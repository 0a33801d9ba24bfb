package examples

import (
	"bufio"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
	"earshot/client"
)

func TestWebhookReceivers(t *testing.T) {
	t.Parallel()
	a := newAccount(t, "receivers")
	for language, command := range map[string][]string{
		"Go":         {"webhooks"},
		"Python":     {"python3", root + "/examples/webhooks/receiver.py"},
		"TypeScript": {"node", filepath.Join(compile(t), "receiver.mjs")},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			r := a.receiver(t, command)

			task := earshot.NewTask(earshot.ChatAssistantRequest{Prompt: "best running shoes", Country: "DE"})
			task.Webhook = &earshot.WebhookRequest{URL: r.url}
			queued, err := client.New(a.url, a.key).Submit(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			r.prints(t, queued.Task.ID+" COMPLETED")

			now := time.Now()
			r.answers(t, http.StatusNoContent, "msg_1", now, a.secret)
			r.answers(t, http.StatusNoContent, "msg_1", now, a.secret) // a duplicate, which is not printed
			r.answers(t, http.StatusUnauthorized, "msg_2", now, server.secret)
			r.answers(t, http.StatusUnauthorized, "msg_3", now.Add(-10*time.Minute), a.secret)
			r.answers(t, http.StatusNoContent, "msg_4", now, a.secret)
			r.prints(t, "msg_1 FAILED")
			r.prints(t, "msg_4 FAILED")
		})
	}
}

// receiver is a running example.
type receiver struct {
	url    string
	output *bufio.Scanner
}

func (a account) receiver(t *testing.T, command []string) *receiver {
	t.Helper()
	program := a.with("PORT=0", "EARSHOT_WEBHOOK_SECRET="+a.secret).command(t, root, command[0], command[1:]...)
	program.Stderr = t.Output()
	output, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Wait() }) // the end of the test kills it
	r := &receiver{output: bufio.NewScanner(output)}
	if !r.output.Scan() {
		t.Fatalf("%s prints no address: %v", program, r.output.Err())
	}
	r.url = r.output.Text()
	return r
}

// prints checks the next line that the receiver prints.
func (r *receiver) prints(t *testing.T, want string) {
	t.Helper()
	if r.output.Scan(); r.output.Text() != want {
		t.Errorf("the receiver prints %q, want %q (%v)", r.output.Text(), want, r.output.Err())
	}
}

// answers sends a webhook with the id as its task, and checks the status of the response.
func (r *receiver) answers(t *testing.T, want int, id string, sent time.Time, secret string) {
	t.Helper()
	body := fmt.Sprintf(`{"task": {"id": %q, "status": "FAILED"}}`, id)
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := key.Sign(id, sent, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(sent.Unix(), 10))
	request.Header.Set("webhook-signature", signature)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != want {
		t.Errorf("the receiver answers %s with %d, want %d", id, response.StatusCode, want)
	}
}

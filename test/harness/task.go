package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/app"
)

// ChatTask returns a task of the chat assistant with optional further fields.
func ChatTask(prompt string, more ...string) string {
	return fmt.Sprintf(`{"taskType":"CHATASSISTANT","payload":{"prompt":%q,"country":"US"}%s}`, prompt, strings.Join(append([]string{""}, more...), ","))
}

// IdempotencyKey returns the field of a task with an idempotency key.
func IdempotencyKey(key string) string { return fmt.Sprintf(`"idempotencyKey":%q`, key) }

// Submit queues a task.
func (n *Node) Submit(tb testing.TB, a *app.Account, body string) earshot.Task {
	tb.Helper()
	var answer struct {
		Success bool
		Task    earshot.Task
	}
	n.Post(tb, a, TaskPath, body).Into(tb, &answer)
	if !answer.Success || answer.Task.Status != earshot.StatusQueued {
		tb.Errorf("submitted: %+v", answer)
	}
	return answer.Task
}

// BatchReply is the answer to a batch.
type BatchReply struct {
	Success bool
	BatchID string
	Summary earshot.BatchSummary
	Results []struct {
		Index   int
		Success bool
		Task    *earshot.Task
		Credits *earshot.TaskCredits
		Error   struct {
			Code    earshot.Code
			Details json.RawMessage
		}
	}
}

// SubmitAll queues tasks as a batch.
func (n *Node) SubmitAll(tb testing.TB, a *app.Account, tasks ...string) *BatchReply {
	tb.Helper()
	answer := &BatchReply{}
	n.Post(tb, a, BatchPath, "["+strings.Join(tasks, ",")+"]").Into(tb, answer)
	if answer.Summary.Total != len(tasks) || len(answer.Results) != len(tasks) || answer.Summary.Succeeded+answer.Summary.Failed != len(tasks) {
		tb.Errorf("a batch of %d: %+v", len(tasks), answer)
	}
	return answer
}

// Task polls a task.
func (n *Node) Task(tb testing.TB, a *app.Account, id string) earshot.TaskRecord {
	tb.Helper()
	var record earshot.TaskRecord
	n.Get(tb, a, TaskPath+"/"+id).Into(tb, &record)
	return record
}

// Wait polls a task until it has ended.
func (n *Node) Wait(tb testing.TB, a *app.Account, id string) (record earshot.TaskRecord) {
	tb.Helper()
	Eventually(tb, "the task ends", func() bool {
		record = n.Task(tb, a, id)
		return record.Task.FinishedAt != nil
	})
	return record
}

// Queue reads the status of the queue.
func (n *Node) Queue(tb testing.TB, a *app.Account) earshot.QueueStatus {
	tb.Helper()
	var status earshot.QueueStatus
	n.Get(tb, a, StatusPath).Into(tb, &status)
	return status
}

// Events reads events after a cursor until there are no more, and returns the last cursor.
func (n *Node) Events(tb testing.TB, a *app.Account, cursor string, limit int) (events []earshot.TaskRecord, next string) {
	tb.Helper()
	for {
		query := fmt.Sprintf("%s?limit=%d", EventsPath, limit)
		if cursor != "" {
			query += "&cursor=" + cursor
		}
		var page earshot.EventPage
		n.Get(tb, a, query).Into(tb, &page)
		if len(page.Events) == 0 {
			if (page.NextCursor == nil) != (cursor == "") || (page.NextCursor != nil && *page.NextCursor != cursor) {
				tb.Errorf("an empty page after %q has another cursor", cursor)
			}
			return events, cursor
		}
		events = append(events, page.Events...)
		cursor = *page.NextCursor
	}
}

// Endless is a steering word for the lab: the answer is sent in pieces, so slowly that the
// last attempt ends only after ten minutes. An upstream that sends nothing at all would
// time out after 150 s, which is too short for a test on a loaded machine.
const Endless = "[[drip=20s]]"

// EndlessCall is a call of the chat assistant that is never answered.
const EndlessCall = `{"prompt":"kites ` + Endless + `","country":"US"}`

// Hang starts a call that is never answered, and waits until it runs. The call ends with
// the test, or when leave is called.
func (n *Node) Hang(tb testing.TB, a *app.Account) (leave func()) {
	tb.Helper()
	return n.HangWith(tb, a, nil)
}

// HangWith is Hang with further headers.
func (n *Node) HangWith(tb testing.TB, a *app.Account, header map[string]string) (leave func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	req := n.Request(ctx, tb, a, http.MethodPost, ChatPath, EndlessCall)
	req.Close = true
	for name, value := range header {
		req.Header.Set(name, value)
	}
	var group sync.WaitGroup
	group.Go(func() {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
			tb.Errorf("the call that hangs was answered with %d", resp.StatusCode)
		}
	})
	leave = func() {
		cancel()
		group.Wait()
	}
	tb.Cleanup(leave)
	Eventually(tb, "the call runs", func() bool { return n.Reload(tb, a).Running == 1 })
	return leave
}

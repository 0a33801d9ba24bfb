package client_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"earshot"
	"earshot/client"
)

// keyed is a task with an idempotency key; storedAs is the service's answer about it.
var keyed = earshot.TaskRequest{
	TaskType: "CHATASSISTANT", Payload: earshot.ChatAssistantRequest{Prompt: "shoes & <socks>", Country: "US"},
	IdempotencyKey: "k", Webhook: &earshot.WebhookRequest{URL: "https://receiver.test/"},
}

const duplicate = `{"field":"idempotencyKey","value":"k","taskId":"7"}`

func storedAs(prompt string, priority int, webhook string) answer {
	return says(200, fmt.Sprintf(`{"task":{"id":"7","taskType":"CHATASSISTANT","status":"QUEUED","priority":%d,
		"payload":{"country":"US", "prompt":%s}},"credits":{"creditsToCharge":5},"webhook":{"url":%q}}`, priority, encoded(prompt), webhook))
}

func TestSubmitFindsTaskOfLostAttempt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stored answer
		found  bool
	}{
		"the same":        {storedAs("shoes & <socks>", 1, "https://receiver.test/"), true},
		"another prompt":  {storedAs("hats", 1, "https://receiver.test/"), false},
		"more urgent":     {storedAs("shoes & <socks>", 9, "https://receiver.test/"), false},
		"another webhook": {storedAs("shoes & <socks>", 1, "https://elsewhere.test/"), false},
		"removed since":   {fails(404, "RESOURCE_NOT_FOUND", `{"id":"7"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, service := answering(breaks("read"), fails(409, "RESOURCE_ALREADY_EXISTS", duplicate), test.stored)
				record, err := c.Submit(t.Context(), keyed)
				if test.found && (err != nil || record.Task.ID != "7") {
					t.Errorf("got %+v, %v", record, err)
				}
				if details, ok := client.Details[earshot.DuplicateDetails](err); !test.found && (!ok || details.TaskID != "7") {
					t.Errorf("got %+v, %v", record, err)
				}
				want := []string{"POST /v1/async/task", "POST /v1/async/task", "GET /v1/async/task/7"}
				if got := service.lines(); !slices.Equal(got, want) {
					t.Errorf("it sent %q", got)
				}
			})
		})
	}
}

// If no response was lost, a duplicate is an error, even of an equal task.
func TestDuplicateIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, before := range [][]answer{nil, {rateLimit}} {
			c, service := answering(append(before, fails(409, "RESOURCE_ALREADY_EXISTS", duplicate))...)
			if _, err := c.Submit(t.Context(), keyed); !client.IsCode(err, earshot.CodeAlreadyExists) || len(service.sent) != len(before)+1 {
				t.Errorf("after %d requests: %v", len(service.sent), err)
			}
		}
	})
}

func TestSubmitBatchFindsTasksOfLostAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		item := func(i int) string {
			return fmt.Sprintf(`{"index":%d,"success":false,"error":{"code":"RESOURCE_ALREADY_EXISTS","message":"no","details":%s}}`, i, duplicate)
		}
		c, _ := answering(
			proxyError,
			says(200, `{"summary":{"total":3,"succeeded":0,"failed":3},"results":[`+item(0)+`,`+item(1)+
				`,{"index":2,"success":false,"error":{"code":"INSUFFICIENT_CREDITS","message":"no","details":{"required":5,"remaining":1}}}]}`),
			storedAs("shoes & <socks>", 1, "https://receiver.test/"),
			storedAs("hats", 1, "https://receiver.test/"),
		)
		batch, err := c.SubmitBatch(t.Context(), []earshot.TaskRequest{keyed, keyed, keyed})
		if err != nil {
			t.Fatal(err)
		}
		if want := (earshot.BatchSummary{Total: 3, Succeeded: 1, Failed: 2}); batch.Summary != want {
			t.Errorf("the summary is %+v", batch.Summary)
		}
		first, second, third := batch.Results[0], batch.Results[1], batch.Results[2]
		if !first.Success || first.Task.ID != "7" || first.Credits.CreditsToCharge != 5 || first.Error != nil {
			t.Errorf("the first is %+v", first)
		}
		if second.Success || !client.IsCode(second.Error, earshot.CodeAlreadyExists) {
			t.Errorf("the second is %+v", second)
		}
		if details, ok := client.Details[earshot.CreditDetails](third.Error); !ok || details.Required != 5 {
			t.Errorf("the third is %+v", third)
		}
	})
}

func TestCancelSucceedsAfterLostResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		missing := fails(404, "RESOURCE_NOT_FOUND", `{"id":"7"}`)
		c, _ := answering(breaks("read"), missing)
		if err := c.Cancel(t.Context(), "7"); err != nil {
			t.Error(err)
		}
		c, _ = answering(missing)
		if err := c.Cancel(t.Context(), "7"); !client.IsCode(err, earshot.CodeNotFound) {
			t.Errorf("a task that does not exist: %v", err)
		}
	})
}

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
)

// everyField are requests with every field set, as far as fields can be combined. The
// service refuses unknown fields.
var everyField = []earshot.Request{
	earshot.ChatAssistantRequest{
		Prompt: "shoes", Country: "US", State: "CO", Legacy: true, DisableWebSearch: true,
		Include: earshot.ChatAssistantInclude{HTML: true, Markdown: true, RawResponse: true, SearchQueries: true, Ads: true, Shopping: true},
	},
	earshot.GenAssistantRequest{Prompt: "shoes", Country: "US", State: "CO", Include: earshot.AssistantInclude{HTML: true, Markdown: true, RawResponse: true}},
	earshot.SocialAssistantRequest{Prompt: "shoes", Country: "US", State: "CO", Include: earshot.AssistantInclude{HTML: true, Markdown: true, RawResponse: true}},
	earshot.OfficeAssistantRequest{Prompt: "shoes", Country: "US", State: "CO", Include: earshot.AssistantInclude{HTML: true, Markdown: true, RawResponse: true}},
	earshot.AnswerEngineRequest{Prompt: "shoes", Country: "US", State: "CO", Include: earshot.AssistantInclude{HTML: true, Markdown: true, RawResponse: true}},
	earshot.SearchAIModeRequest{
		Prompt: "shoes", Country: "US", GL: "us", HL: "en", Location: "Austin,Texas,United States", Device: earshot.Mobile,
		Include: earshot.SearchAIModeInclude{HTML: true, Markdown: true, ExpandProducts: true},
	},
	earshot.WebSearchRequest{
		Query: "shoes", Country: "US", GL: "us", HL: "en", UULE: "w+CAIQICINVW5pdGVkIFN0YXRlcw", Device: earshot.IOS, Pages: 2,
		Include: earshot.WebSearchInclude{HTML: true, SearchOverview: &earshot.SearchOverviewInclude{}, PAASearchOverview: true},
	},
	earshot.WebSearchRequest{URL: "https://search.lab.test/search?q=shoes", Country: "US", Device: earshot.Desktop},
	earshot.NewsRequest{Query: "shoes", Country: "US", GL: "us", HL: "en", Device: earshot.Android, Pages: 2, Include: earshot.NewsInclude{HTML: true}},
}

func TestServiceKnowsEveryField(t *testing.T) {
	t.Parallel()
	var tasks []earshot.TaskRequest
	for _, request := range everyField {
		task := earshot.NewTask(request)
		task.Priority, task.IdempotencyKey, task.Webhook = 7, "every field", &earshot.WebhookRequest{URL: "https://receiver.example/"}
		tasks = append(tasks, task)
	}
	quote, err := running(t).Quote(t.Context(), tasks...)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range quote.Items {
		if !item.Success || *item.CreditsToCharge == 0 {
			t.Errorf("%s: %v", tasks[i].TaskType, item.Error)
		}
	}
}

func TestEveryProviderAnswers(t *testing.T) {
	t.Parallel()
	c, ctx := running(t), t.Context()
	for _, p := range app.Providers() {
		about := p.Definition()
		request := reflect.New(reflect.TypeOf(about.Request))
		if err := json.Unmarshal(fmt.Appendf(nil, `{%q: "hats", "country": "FR", "model": "lab"}`, about.TextField()), request.Interface()); err != nil { // only one has a model
			t.Fatal(err)
		}
		result, usage, err := ask(t, c, about, request.Elem())
		if err != nil {
			t.Errorf("%s: %v", about.Name, err)
			continue
		}
		if reflect.ValueOf(result).Elem().IsZero() {
			t.Errorf("%s returns no result", about.Name)
		}
		if usage.CreditsCharged == 0 || usage.RequestID == "" || usage.Concurrent == 0 {
			t.Errorf("%s: the usage is %+v", about.Name, usage)
		}
	}
	found, _, err := c.WebSearch(ctx, earshot.WebSearchRequest{Query: "hats", Country: "FR"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.OrganicResults, func(r earshot.OrganicResult) bool { return r.RedirectLink != "" })
	if i < 0 {
		t.Fatal("no result was served as a redirect")
	}
	if link, err := c.Goto(ctx, found.OrganicResults[i].RedirectLink); err != nil || link != found.OrganicResults[i].Link {
		t.Errorf("goto: %q, %v, want %q", link, err, found.OrganicResults[i].Link)
	}
}

func TestTaskLifecycle(t *testing.T) {
	t.Parallel()
	c, ctx := running(t), t.Context()
	ask := func(prompt string) earshot.TaskRequest {
		return earshot.NewTask(earshot.ChatAssistantRequest{Prompt: prompt, Country: "US"})
	}
	batch, err := c.SubmitBatch(ctx, []earshot.TaskRequest{ask("gloves"), ask("gloves [[status=503]]"), ask(""), ask("gloves [[delay=50ms]]")})
	if err != nil || batch.Summary != (earshot.BatchSummary{Total: 4, Succeeded: 3, Failed: 1}) {
		t.Fatalf("the batch is %+v, %v", batch, err)
	}
	if fields, ok := client.Details[[]earshot.FieldProblem](batch.Results[2].Error); !ok || fields[0].Field != "payload.prompt" {
		t.Errorf("the third was refused with %v", batch.Results[2].Error)
	}
	ids := []string{batch.Results[0].Task.ID, batch.Results[1].Task.ID, batch.Results[3].Task.ID}
	var completed, failed int
	for record, err := range c.WaitAll(ctx, ids...) {
		var about *client.TaskError
		switch {
		case err == nil && len(record.Result) > 0:
			completed++
		case errors.As(err, &about) && about.TaskID == ids[1] && client.IsCode(err, earshot.CodeUpstream):
			failed++
		default:
			t.Errorf("got %+v, %v", record, err)
		}
	}
	if completed != 2 || failed != 1 {
		t.Errorf("%d completed and %d failed", completed, failed)
	}
	var listed []string
	for record, err := range c.Tasks(ctx, earshot.TaskQuery{TaskType: "CHATASSISTANT", PageQuery: earshot.PageQuery{Limit: 1}}) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, record.Task.ID)
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(listed, id) }) || !slices.IsSortedFunc(listed, func(a, b string) int {
		if a > b {
			return -1
		}
		return 1
	}) {
		t.Errorf("the list is %q, and should have %q", listed, ids)
	}
	if err := c.Cancel(ctx, ids[0]); !client.IsCode(err, earshot.CodeConflict) {
		t.Errorf("canceling a finished task: %v", err)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	c, ctx := running(t), t.Context()
	if err := c.Ready(ctx); err != nil {
		t.Error(err)
	}
	if _, _, err := c.GenAssistant(ctx, earshot.GenAssistantRequest{Prompt: "belts", Country: "US"}); err != nil {
		t.Fatal(err)
	}
	credits, err := c.Credits(ctx)
	if err != nil || credits.Remaining == 0 || credits.Plan != "hobby" {
		t.Errorf("credits: %+v, %v", credits, err)
	}
	if used, err := c.Usage(ctx, time.Now().AddDate(0, 0, -1), time.Now()); err != nil || len(used.Usage) == 0 {
		t.Errorf("usage: %+v, %v", used, err)
	}
	if all, err := c.Countries(ctx, ""); err != nil || len(all) != 250 {
		t.Errorf("countries: %d, %v", len(all), err)
	}
	if some, err := c.Countries(ctx, "chatassistant"); err != nil || slices.Contains(some, "CN") {
		t.Errorf("countries of chatassistant: %q, %v", some, err)
	}
	if states, err := c.States(ctx, "US"); err != nil || len(states) != 51 {
		t.Errorf("states: %d, %v", len(states), err)
	}
	if status, err := c.QueueStatus(ctx); err != nil || status.Concurrency.Max != 20 {
		t.Errorf("queue: %+v, %v", status, err)
	}
	if hours, err := c.Stats(ctx, 2); err != nil || len(hours) == 0 {
		t.Errorf("stats: %+v, %v", hours, err)
	}
	for event, err := range c.Live(ctx) {
		if err != nil || event.Status == nil {
			t.Errorf("live: %+v, %v", event, err)
		}
		break
	}
}

func TestAdministration(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	if _, err := running(t).Keys(ctx); !client.IsCode(err, earshot.CodeNoPermission) {
		t.Errorf("a key without the scope: %v", err)
	}
	c := client.New(os.Getenv("EARSHOT_URL"), adminKey)
	made, err := c.CreateKey(ctx, earshot.KeyRequest{Scopes: []string{"read"}, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if revoked, err := c.RevokeKey(ctx, made.Key.ID); err != nil || revoked.RevokedAt == nil {
		t.Errorf("revoked: %+v, %v", revoked, err)
	}
	if keys, err := c.Keys(ctx); err != nil || len(keys) < 2 {
		t.Errorf("keys: %v, %v", keys, err)
	}
	granted := int64(0)
	for entry, err := range c.LedgerEntries(ctx, "grant") {
		if err != nil {
			t.Fatal(err)
		}
		granted += entry.Credits
	}
	if granted != 250_000 {
		t.Errorf("granted %d", granted)
	}
}

// An undelivered webhook is listed and can be sent again.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	c := running(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	task := earshot.NewTask(earshot.GenAssistantRequest{Prompt: "scarves", Country: "US"})
	nobody := httptest.NewServer(nil)
	nobody.Close()
	task.Webhook = &earshot.WebhookRequest{URL: nobody.URL}
	queued, err := c.Submit(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Wait(ctx, queued.Task.ID); err != nil {
		t.Fatal(err)
	}
	if one, err := c.Delivery(ctx, queued.Task.ID); err != nil || one.TaskID != queued.Task.ID {
		t.Errorf("the delivery is %+v, %v", one, err)
	}
	if one, err := c.Resend(ctx, queued.Task.ID); err != nil || one.NextTryAt == nil {
		t.Errorf("sent again it is %+v, %v", one, err)
	}
	found := false
	for one, err := range c.Deliveries(ctx, earshot.DeliveryPending) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || one.ID == queued.Task.ID
	}
	if !found {
		t.Error("the delivery is not listed as pending")
	}
}

package client_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"earshot"
	"earshot/client"
)

// Ask ChatGPT, and print facts about its answer and the cost.
func Example() {
	c, err := client.FromEnv() // EARSHOT_URL and EARSHOT_API_KEY
	if err != nil {
		log.Fatal(err)
	}
	answer, usage, err := c.ChatAssistant(context.Background(), earshot.ChatAssistantRequest{
		Prompt:  "Which trail running shoes last longest?",
		Country: "DE",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Surface, len(answer.Text) > 0, len(answer.Sources) > 0)
	fmt.Println(usage.CreditsCharged, "credits")
	// Output:
	// lab true true
	// 5 credits
}

func ExampleClient_WebSearch() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	found, _, err := c.WebSearch(context.Background(), earshot.WebSearchRequest{
		Query:   "trail running shoes",
		Country: "US",
		Include: earshot.WebSearchInclude{SearchOverview: &earshot.SearchOverviewInclude{Markdown: true}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.OrganicResults[0].Position, found.SearchOverview != nil)
	// Output: 1 true
}

// Queue a task, wait for its end, and decode its result.
func ExampleClient_Wait() {
	ctx := context.Background()
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	task := earshot.NewTask(earshot.NewsRequest{Query: "trail running", Country: "GB"})
	task.IdempotencyKey = "trail-news-2026-09-08" // makes it safe to submit again
	queued, err := c.Submit(ctx, task)
	if err != nil {
		log.Fatal(err)
	}
	ended, err := c.Wait(ctx, queued.Task.ID)
	if err != nil {
		log.Fatal(err)
	}
	news, err := client.Result[earshot.NewsSearch](ended)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Task.Status, len(news.NewsResults) > 0)
	// Output: COMPLETED true
}

// Queue many tasks and read their results as they finish.
func ExampleClient_WaitAll() {
	ctx := context.Background()
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	var tasks []earshot.TaskRequest
	for _, country := range []string{"DE", "FR", "JP"} {
		tasks = append(tasks, earshot.NewTask(earshot.GenAssistantRequest{Prompt: "best travel mug", Country: country}))
	}
	batch, err := c.SubmitBatch(ctx, tasks)
	if err != nil {
		log.Fatal(err)
	}
	var ids []string
	for _, item := range batch.Results {
		if item.Success {
			ids = append(ids, item.Task.ID)
		}
	}
	completed := 0
	for _, err := range c.WaitAll(ctx, ids...) {
		if err != nil {
			log.Fatal(err)
		}
		completed++
	}
	fmt.Println(completed, "of", batch.Summary.Total)
	// Output: 3 of 3
}

// Iterate over all tasks of a type.
func ExampleClient_Tasks() {
	ctx := context.Background()
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Submit(ctx, earshot.NewTask(earshot.OfficeAssistantRequest{Prompt: "best travel mug", Country: "US"})); err != nil {
		log.Fatal(err)
	}
	for task, err := range c.Tasks(ctx, earshot.TaskQuery{TaskType: "OFFICEASSISTANT"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(task.Task.TaskType, string(task.Task.Payload))
	}
	// Output: OFFICEASSISTANT {"prompt":"best travel mug","country":"US"}
}

// Read the maximum cost of tasks before queueing them.
func ExampleClient_Quote() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	quote, err := c.Quote(context.Background(),
		earshot.NewTask(earshot.ChatAssistantRequest{Prompt: "best travel mug", Country: "US", Include: earshot.ChatAssistantInclude{Ads: true}}),
		earshot.NewTask(earshot.WebSearchRequest{Query: "best travel mug", Country: "US", Pages: 3}),
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("at most", quote.CreditsToCharge, "credits")
	// Output: at most 14 credits
}

// List the invalid fields of a request.
func ExampleDetails() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = c.AnswerEngine(context.Background(), earshot.AnswerEngineRequest{Country: "Germany"})
	if fields, ok := client.Details[[]earshot.FieldProblem](err); ok {
		for _, field := range fields {
			fmt.Println(field.Field)
		}
	}
	// Unordered output:
	// prompt
	// country
}

func ExampleIsCode() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	err = c.Cancel(context.Background(), "01a0805a-5a40-7b2e-9d41-3f6c0a8e71b5")
	fmt.Println(client.IsCode(err, earshot.CodeNotFound))
	// Output: true
}

// Receive the webhook of a task.
func ExampleVerifyWebhook() {
	announced := make(chan earshot.Status, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		record, err := client.VerifyWebhook(r.Header, body, secret) // pass the previous secret too while rotating
		if err != nil {
			http.Error(w, "not signed", http.StatusUnauthorized)
			return
		}
		announced <- record.Task.Status // acknowledged by the 200 that follows
	}))
	defer receiver.Close()

	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	task := earshot.NewTask(earshot.ChatAssistantRequest{Prompt: "best travel mug", Country: "US"})
	task.Webhook = &earshot.WebhookRequest{URL: receiver.URL}
	if _, err := c.Submit(context.Background(), task); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-announced)
	// Output: COMPLETED
}

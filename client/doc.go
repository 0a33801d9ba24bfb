// Package client is the Go client of the Earshot API. It asks AI assistants and search
// engines, synchronously or through the queue, and returns their answers as types of
// package earshot.
//
//	c := client.New("http://127.0.0.1:8080", key)
//	answer, usage, err := c.ChatAssistant(ctx, earshot.ChatAssistantRequest{
//		Prompt: "Which trail running shoes last longest?", Country: "DE",
//	})
//
// A program in another module needs a copy of this repository, and two lines in its go.mod,
// after which `go mod tidy` adds the rest:
//
//	require earshot v0.0.0
//	replace earshot => ../earshot
//
// In a copy with an address, `make module MODULE=example.com/you/earshot` renames the module.
// Then other modules import it with `go get`, without replace.
//
// # Synchronous calls
//
// Each provider has a method that asks it and waits for the answer: ChatAssistant,
// GenAssistant, SocialAssistant, OfficeAssistant, AnswerEngine, SearchAIMode, WebSearch and
// News. It returns the result and the Usage (credits, slots and time). Monitor does the
// same for a provider given by name, and returns JSON. A call may take minutes; its context
// decides how long to wait. If a charged answer did not arrive, Request returns it. A call
// with an IdempotencyKey can be repeated without being charged again.
//
// # Tasks
//
// NewTask turns any of these requests into a task; Submit and SubmitBatch queue tasks.
// Wait waits for the end of one task, WaitAll for many, and Result decodes the result.
// Instead of waiting, a program can give a task a webhook, and verify the webhook with
// VerifyWebhook. Quote returns the maximum price.
//
// Lists are iterators that fetch pages on demand: Requests, Tasks, Deliveries,
// LedgerEntries, Sweeps, Answers. Live streams changes of an organization.
//
// # Trackers
//
// A tracker asks the same prompts on a schedule. ApplyTracker creates or changes it from a
// file, StartSweep runs it now, Sweeps, Answers and Answer read its results, and Export
// streams them.
//
// # Errors
//
// An error response of the service is an *Error. IsCode checks its code, and Details
// returns the details of its code, such as the invalid fields of a request:
//
//	if fields, ok := client.Details[[]earshot.FieldProblem](err); ok { … }
//
// The error of a failed task is a *TaskError that wraps an *Error, so IsCode and Details
// work for it too.
//
// # Retries
//
// The client retries a request up to four times (see WithRetries), with exponential
// backoff and jitter, and honours Retry-After. It retries
//
//   - any request that was not processed: no connection was made, or the service refused
//     the request with CodeRateLimit or CodeServerUnavailable;
//   - an idempotent request, also when its response was lost or a proxy answered 429, 502,
//     503 or 504. Idempotent are all requests that read or delete, a synchronous call with
//     an IdempotencyKey, and the submission of tasks that all have an idempotency key.
//
// A request that may have been processed and charged is never repeated: if the connection
// breaks during a synchronous call or a submission without a key, the error is returned.
// A call that finds all slots in use (CodeConcurrencyLimit) is not retried either, because
// slots may be in use for minutes; submit a task instead. A call's context limits its retries.
//
// The client has no methods for metrics, the OpenAPI document, the dashboard's sign-in and
// stored pages. The URLs of stored pages are in results and need no key.
package client

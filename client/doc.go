// Package client is the Go client of the Earshot API: it asks AI assistants and
// search engines, at once or through the queue, and returns what they answered as
// the types of package earshot.
//
//	c := client.New("http://127.0.0.1:8080", key)
//	answer, usage, err := c.ChatAssistant(ctx, earshot.ChatAssistantRequest{
//		Prompt: "Which trail running shoes last longest?", Country: "DE",
//	})
//
// # At once
//
// A method named after each provider asks it and waits: ChatAssistant,
// GenAssistant, SocialAssistant, OfficeAssistant, AnswerEngine, SearchAIMode,
// WebSearch and News. Each returns its result and the Usage: credits, slots and
// time. Monitor does the same for a provider that is known by name only, and
// returns JSON. A call may take minutes; its context decides how long to wait.
// Request reads the answer of a call that was paid for and did not arrive, and a
// call with an IdempotencyKey can be repeated without being charged again.
//
// # Through the queue
//
// NewTask makes a task of any of those requests; Submit and SubmitBatch queue it.
// Wait waits for the end of one task, WaitAll for many, and Result decodes the result.
// A program that does not want to wait gives a task a webhook, and verifies what
// arrives with VerifyWebhook. Quote returns the price before.
//
// Lists are iterators that fetch pages as the loop comes to them: Requests, Tasks,
// Deliveries, LedgerEntries, Sweeps, Answers. Live follows an organization as it moves.
//
// # Again and again
//
// ApplyTracker makes a tracker of a file: the same questions on a schedule. StartSweep
// runs it now, Sweeps, Answers and Answer tell what came of it, Export streams all.
//
// # Errors
//
// An error answer of the service is an *Error. IsCode tells its kind, and Details
// returns the details of its code, such as the fields of a request that are invalid:
//
//	if fields, ok := client.Details[[]earshot.FieldProblem](err); ok { … }
//
// The error of a task that failed is a *TaskError around an *Error, so that IsCode and
// Details work for it too.
//
// # Retries
//
// A request is sent again, up to four times or as WithRetries says, after waits
// that double, are spread at random and are at least what Retry-After asks for:
//
//   - any request, when nothing can have been done: no connection was made, or the
//     service refused it with CodeRateLimit or CodeServerUnavailable;
//   - a request that comes to the same however often it is sent, also when its
//     answer was lost, or a proxy answered 429, 502, 503 or 504 in the service's
//     place. Such are all that read or delete, a synchronous call with an
//     IdempotencyKey, and the submission of tasks that all have an idempotency key.
//
// What may have been done and charged is never repeated: a synchronous call or a
// submission without a key whose connection broke returns the error. Nor is a call
// that found all slots taken (CodeConcurrencyLimit), since they may be for
// minutes: the queue is there for that. A call's context bounds its retries.
//
// Outside of the client are the endpoints for other programs: metrics, the API's
// description, signing in to the dashboard and out, and stored pages, whose URLs a result
// holds and which need no key.
package client

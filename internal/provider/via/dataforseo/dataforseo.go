// Package dataforseo buys answers from DataForSEO. A task is put into a queue and polled,
// or, with the option mode set to live, answered at once for three times the price.
//
//	dataforseo.go  what it offers, live calls, tickets
//	request.go     the body of a task
//	status.go      calls, charges and status codes
//	answer.go      reading answers of assistants and AI overviews
//	search.go      reading result pages
package dataforseo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// endpoint is where DataForSEO is asked for a provider.
type endpoint struct {
	path   string
	prompt int // the most characters of a prompt
}

var endpoints = map[string]endpoint{
	"chatassistant":  {"/ai_optimization/chat_gpt/llm_scraper", 2000},
	"genassistant":   {"/ai_optimization/gemini/llm_scraper", 2000},
	"answerengine":   {"/ai_optimization/perplexity/llm_responses", 500},
	"searchaimode":   {"/serp/google/ai_mode", 700},
	"websearch":      {"/serp/google/organic", 700},
	"websearch/news": {"/serp/google/news", 700},
}

// fields are the fields of results that DataForSEO documents. Sources of assistants are only
// the cited pages.
var fields = map[string]provider.Fields{
	"chatassistant":  provider.Searches | provider.Cited | provider.Pills | provider.Products | provider.Ads,
	"genassistant":   provider.Cited,
	"answerengine":   provider.Searches | provider.Cited,
	"searchaimode":   provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads,
	"websearch":      provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads | provider.Layout,
	"websearch/news": 0,
}

// Vendor is DataForSEO.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of DataForSEO. Prices are for
// tasks in the queue; the vendor reports each charge, so they only matter for quotes.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "dataforseo", Title: "DataForSEO", URL: "https://api.dataforseo.com/v3", KeyHeader: "Authorization", KeyPrefix: "Basic ", Basic: true,
		Options: []string{"mode", "model"},
		Prices: map[string]float64{
			"chatassistant": 0.0012, "genassistant": 0.0012, "searchaimode": 0.0012, "websearch": 0.0006, "websearch/news": 0.0006,
			"answerengine": 0.007, // 0.0006 and the model's tokens
		},
		Fields: fields,
		Calls:  30, CallsPerMinute: 2000,
	}
}

// Covers returns why DataForSEO cannot answer a question, or nil.
func (Vendor) Covers(q *provider.Question) error {
	if err := via.CheckProvider(q, endpoints); err != nil {
		return err
	}
	if err := via.CheckLength(&provider.Question{Text: prompt(q)}, endpoints[q.Provider].prompt); err != nil {
		return err
	}
	search := q.Provider == "websearch" || q.Provider == "websearch/news"
	switch {
	case countryCode(q.Locale.Country) == 0:
		return errors.New("it has no location code for the country " + q.Locale.Country)
	case q.HTML && search:
		return errors.New("it delivers result pages as HTML only for another charge")
	case q.First > 0:
		return errors.New("it cannot skip results")
	case q.Location == "" && q.UULE != "":
		return errors.New("it needs the name of the place, and uule does not contain one")
	case q.Expand:
		return errors.New("it does not deliver the offers of products")
	case q.Provider == "websearch/news" && q.Device != "" && q.Device != earshot.Desktop:
		return errors.New("it searches news only on desktops")
	case q.Provider == "answerengine" && q.Locale.State != "":
		return errors.New("it cannot ask from a state")
	}
	for name := range q.Extra {
		if name != "tbm" && name != "udm" { // the endpoint says as much
			return fmt.Errorf("it does not take the search parameter %s", name)
		}
	}
	return nil
}

// The ways to ask, which are values of the option mode.
const (
	modeLive     = "live"
	modeQueue    = "queue"
	modePriority = "priority"
)

// Ask makes a live call, or submits a task once and polls it.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (reply *provider.Reply, err error) {
	path, mode := endpoints[q.Provider].path, cmp.Or(up.Option("mode"), modeQueue)
	if q.Provider == "answerengine" { // it has no queue
		return askLive(ctx, up, q, path+"/live")
	}
	switch mode {
	case modeLive:
		return askLive(ctx, up, q, path+"/live/advanced")
	case modeQueue, modePriority:
	default:
		return nil, &upstream.Failure{Reason: earshot.ReasonUnavailable, Final: true, Err: fmt.Errorf("the option mode is %q; it must be live, queue or priority", mode)}
	}
	err = up.Redeem(ctx, &upstream.Async{
		Wait: up.Wait(45 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, key string) (string, error) {
			body := task(up, q)
			body["tag"] = key
			if mode == modePriority {
				body["priority"] = 2
			}
			return submit(ctx, up, path+"/task_post", body)
		},
		Find: func(ctx context.Context, key string, submitted time.Time) (string, error) {
			return find(ctx, up, path, key, submitted)
		},
		FindAfter: submitTime + listLag,
		Poll: func(ctx context.Context, id string) error {
			polled, document, err := call(ctx, up, path+"/task_get/advanced/"+url.PathEscape(id), nil)
			if err != nil {
				return err
			}
			reply, err = read(polled, q)
			if reply != nil {
				reply.Document = document
			}
			return err
		},
	})
	return reply, err
}

func askLive(ctx context.Context, up *upstream.Session, q *provider.Question, path string) (*provider.Reply, error) {
	answered, document, err := call(ctx, up, path, task(up, q))
	if err != nil {
		return nil, err
	}
	reply, err := read(answered, q)
	if errors.Is(err, upstream.ErrNotReady) {
		return nil, upstream.Fail(earshot.ReasonUnavailable, "a live task was put into the queue")
	}
	if reply != nil {
		reply.Document = document
	}
	return reply, err
}

// submit posts a task and returns its id.
func submit(ctx context.Context, up *upstream.Session, path string, body map[string]any) (string, error) {
	created, _, err := call(ctx, up, path, body)
	if err != nil {
		return "", err
	}
	if code := status(created); code != statusCreated && code != statusOK {
		return "", refusal(code, created.Text("status_message"))
	}
	id := created.Text("id")
	if id == "" {
		return "", upstream.Fail(earshot.ReasonUnreadable, "DataForSEO returned no task id")
	}
	return id, nil
}

const (
	// submitTime is how long a submission may take, and by how much clocks may differ.
	submitTime = 2 * time.Minute
	// listLag is how far in the past the end of the listed time must be.
	listLag = time.Minute
	// listPage and listPages limit what is listed; the vendor allows 10 calls a minute.
	listPage, listPages = 1000, 5
	listTime            = "2006-01-02 15:04:05 -07:00"
)

// find lists the tasks since a submission and returns the id of the task with the tag.
func find(ctx context.Context, up *upstream.Session, path, tag string, submitted time.Time) (string, error) {
	api, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	until := time.Now().Add(-listLag)
	for page := range listPages {
		listed, _, err := call(ctx, up, "/"+api+"/id_list", map[string]any{
			"datetime_from": submitted.Add(-submitTime).UTC().Format(listTime), "datetime_to": until.UTC().Format(listTime),
			"limit": listPage, "offset": page * listPage, "sort": "asc", "include_metadata": true,
		})
		if err != nil {
			return "", err
		}
		if code := status(listed); code != statusOK {
			return "", refusal(code, listed.Text("status_message"))
		}
		tasks := listed.Objects("result")
		for _, o := range tasks {
			if o.Object("metadata").Text("tag") == tag {
				charge(up, o) // its submission was not seen
				return o.Text("id"), nil
			}
		}
		if len(tasks) < listPage {
			return "", nil
		}
	}
	return "", upstream.Fail(earshot.ReasonUnavailable, "the task is not among the first %d of its time", listPage*listPages)
}

// read reads a task. It returns upstream.ErrNotReady while the task is in the queue.
func read(answered loosejson.Object, q *provider.Question) (*provider.Reply, error) {
	reply := &provider.Reply{Located: true}
	code := status(answered)
	search := q.Provider == "websearch" || q.Provider == "websearch/news"
	var result loosejson.Object
	if list := answered.Objects("result"); len(list) > 0 {
		result = list[0]
	}
	switch {
	case code == statusHanded || code == statusQueued:
		return nil, upstream.ErrNotReady
	case code == statusNoResults && search:
		result = loosejson.Object{}
	case code != statusOK:
		return nil, gaveUp(code, answered.Text("status_message"))
	case result == nil:
		return nil, upstream.Fail(earshot.ReasonUnreadable, "DataForSEO's task has no result")
	}
	switch q.Provider {
	case "websearch":
		reply.Web = readWeb(result, q)
	case "websearch/news":
		reply.News = readNews(result)
	case "searchaimode":
		overview := firstOverview(result)
		if overview == nil {
			return nil, via.NoAnswer(earshot.ReasonEmpty, "the page has no answer")
		}
		reply.Answer = readOverview(overview, q)
	case "answerengine":
		reply.Answer = readResponse(result)
	default:
		reply.Answer = readScraped(result, q)
	}
	return reply, nil
}

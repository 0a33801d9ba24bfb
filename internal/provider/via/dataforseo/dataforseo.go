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

// endpoints are the paths of DataForSEO's tasks by provider.
var endpoints = map[string]string{
	"chatassistant":  "/ai_optimization/chat_gpt/llm_scraper",
	"genassistant":   "/ai_optimization/gemini/llm_scraper",
	"answerengine":   "/ai_optimization/perplexity/llm_responses",
	"searchaimode":   "/serp/google/ai_mode",
	"websearch":      "/serp/google/organic",
	"websearch/news": "/serp/google/news",
}

// serves is what DataForSEO documents, with the prices of tasks in the queue. DataForSEO reports
// each charge. Sources of assistants are only the cited pages.
var serves = map[string]provider.Coverage{
	"chatassistant": {
		Price: upstream.Price{Request: 1_200_000}, Prompt: 2000, Except: exceptCountries,
		Fields: provider.Searches | provider.Cited | provider.Pills | provider.Products | provider.Ads,
		Takes:  assistant | provider.TakesState | provider.TakesNoSearch | provider.TakesLegacy | provider.TakesSearchQueries | provider.TakesShopping | provider.TakesAds,
	},
	"genassistant": {
		Price: upstream.Price{Request: 1_200_000}, Prompt: 2000, Except: exceptCountries, Fields: provider.Cited, Takes: assistant | provider.TakesState,
	},
	"answerengine": { // 0.0006 USD and what the model costs: a search of 0.012 and 3,000 tokens
		Price: upstream.Price{Request: 16_000_000}, Prompt: 500, Except: exceptCountries, Fields: provider.Searches | provider.Cited, Takes: assistant,
	},
	"searchaimode": {
		Price: upstream.Price{Request: 1_200_000}, Prompt: 700, Except: exceptCountries, Language: via.GoogleLanguage,
		Fields: provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads, Takes: assistant | provider.TakesLocation | provider.TakesMobile,
	},
	"websearch": {
		Price: upstream.Price{Request: 600_000, Page: 450_000, Overview: 600_000}, Prompt: 700, Except: exceptCountries, Language: via.GoogleLanguage, Pages: 10,
		Fields: provider.Retrieved | provider.Cited | provider.Pills | provider.Products | provider.Ads | provider.Layout,
		Takes:  provider.TakesLocation | provider.TakesMobile | provider.TakesSystems | provider.TakesOverview | provider.TakesQuestionOverviews,
	},
	"websearch/news": {
		Price: upstream.Price{Request: 600_000, Page: 450_000}, Prompt: 700, Except: exceptCountries, Language: via.GoogleLanguage, Pages: 10, Takes: provider.TakesLocation,
	},
}

const assistant = provider.TakesHTML | provider.TakesRawResponse

// Vendor is DataForSEO.
type Vendor struct{}

var _ provider.Vendor = Vendor{}

// Definition returns what everybody else needs to know of DataForSEO.
func (Vendor) Definition() provider.VendorDefinition {
	return provider.VendorDefinition{
		Name: "dataforseo", Title: "DataForSEO", URL: "https://api.dataforseo.com/v3", KeyHeader: "Authorization", KeyPrefix: "Basic ", Basic: true,
		Options: []string{"mode", "model"}, Serves: serves, Read: "2026-11-17", Adjust: adjust, Calls: 30, CallsPerMinute: 2000,
	}
}

// The ways to ask, which are values of the option mode.
const (
	modeLive     = "live"
	modeQueue    = "queue"
	modePriority = "priority"
)

// adjust returns the price of a task that is not just queued: twice as much with priority, ten
// thirds live.
func adjust(price upstream.Price, name string, options map[string]string) upstream.Price {
	factor, by := upstream.USD(1), upstream.USD(1)
	switch {
	case name == "answerengine": // it has no queue
	case options["mode"] == modePriority:
		factor = 2
	case options["mode"] == modeLive:
		factor, by = 10, 3
	}
	return upstream.Price{Request: price.Request * factor / by, Page: price.Page * factor / by, Overview: price.Overview * factor / by}
}

// Ask makes a live call, or submits a task once and polls it.
func (Vendor) Ask(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	path, mode := endpoints[q.Provider], cmp.Or(up.Option("mode"), modeQueue)
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
	return via.Order(ctx, up, q, upstream.Order{
		Wait: up.Wait(45 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, key string) (string, *upstream.USD, error) {
			body := task(up, q)
			body["tag"] = key
			if mode == modePriority {
				body["priority"] = 2
			}
			return submit(ctx, up, path+"/task_post", body)
		},
		Find: func(ctx context.Context, key string, submitted time.Time) (string, *upstream.USD, error) {
			return find(ctx, up, path, key, submitted)
		},
		FindAfter: submitTime + listLag,
		Poll: func(ctx context.Context, id string) ([]byte, error) {
			value, document, err := via.Get(ctx, up, path+"/task_get/advanced/"+url.PathEscape(id), nil)
			if err != nil {
				return nil, err
			}
			return document, polled(up, loosejson.AsObject(value), id)
		},
	}, func(document any) (*provider.Reply, upstream.Verdict) {
		return read(loosejson.AsObject(document), q)
	})
}

// polled returns upstream.ErrNotReady for a task in the queue, and a failure if the vendor fails: it
// may be able to tell later.
func polled(up *upstream.Session, o loosejson.Object, id string) error {
	task := firstTask(o)
	switch code := cmp.Or(status(task), status(o)); {
	case code == statusHanded, code == statusQueued:
		return upstream.ErrNotReady
	case code >= statusInternal, task == nil && code != 0:
		return refusal(code, cmp.Or(task.Text("status_message"), o.Text("status_message")))
	}
	return via.SameID(up, id, task.Text("id"))
}

func askLive(ctx context.Context, up *upstream.Session, q *provider.Question, path string) (*provider.Reply, error) {
	request, err := via.Request(up, path, []any{task(up, q)})
	if err != nil {
		return nil, err
	}
	request.Buys = new(q.Parts())
	reply, document, err := via.Buy(ctx, up, request, func(document any) (*provider.Reply, upstream.Verdict) {
		return read(loosejson.AsObject(document), q)
	})
	if err == nil {
		reply.Document = document
	}
	return reply, err
}

// submit posts a task and returns its id.
func submit(ctx context.Context, up *upstream.Session, path string, body map[string]any) (string, *upstream.USD, error) {
	answered, created, err := call(ctx, up, path, body)
	if err != nil {
		return "", nil, err
	}
	if code := status(created); code != statusCreated && code != statusOK {
		return "", nil, refusal(code, created.Text("status_message"))
	}
	id, _, err := via.ID(up, created.Text("id"))
	return id, charge(answered), err
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
func find(ctx context.Context, up *upstream.Session, path, tag string, submitted time.Time) (string, *upstream.USD, error) {
	api, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	until := time.Now().Add(-listLag)
	for page := range listPages {
		_, listed, err := call(ctx, up, "/"+api+"/id_list", map[string]any{
			"datetime_from": submitted.Add(-submitTime).UTC().Format(listTime), "datetime_to": until.UTC().Format(listTime),
			"limit": listPage, "offset": page * listPage, "sort": "asc", "include_metadata": true,
		})
		if err != nil {
			return "", nil, err
		}
		if code := status(listed); code != statusOK {
			return "", nil, refusal(code, listed.Text("status_message"))
		}
		tasks := listed.Objects("result")
		for _, o := range tasks {
			if o.Object("metadata").Text("tag") == tag {
				return o.Text("id"), charge(o), nil
			}
		}
		if len(tasks) < listPage {
			return "", nil, nil
		}
	}
	return "", nil, upstream.Fail(earshot.ReasonUnavailable, "the task is not among the first %d of its time", listPage*listPages)
}

// read reads an answer with a task that has ended. DataForSEO says what each answer costs, whatever
// it holds.
func read(o loosejson.Object, q *provider.Question) (*provider.Reply, upstream.Verdict) {
	cost := charge(o)
	task := firstTask(o)
	code := cmp.Or(status(task), status(o))
	var result loosejson.Object
	if list := task.Objects("result"); len(list) > 0 {
		result = list[0]
	}
	switch {
	case code == 0:
		return nil, via.Failed(cost, via.Unreadable("DataForSEO's answer has no status code"))
	case status(o) != statusOK:
		return nil, via.Failed(cmp.Or(cost, upstream.Free()), refusal(status(o), o.Text("status_message")))
	case code != statusOK:
		return nil, via.Failed(cmp.Or(cost, upstream.Free()), refusal(code, task.Text("status_message")))
	case result == nil:
		return nil, via.Failed(cost, via.Unreadable("DataForSEO's task has no result"))
	}
	reply := &provider.Reply{Located: true}
	switch q.Provider {
	case "websearch":
		reply.Web = readWeb(result, q)
	case "websearch/news":
		reply.News = readNews(result)
	case "searchaimode":
		reply.Answer = readOverview(firstOverview(result), q)
	case "answerengine":
		reply.Answer = readResponse(result)
	default:
		reply.Answer = readScraped(result, q)
	}
	return via.Checked(reply, q, cost)
}

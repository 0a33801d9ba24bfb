package brightdata

import (
	"context"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// dataset is how an assistant is asked.
type dataset struct{ id, url string }

// datasets are Bright Data's datasets by provider. Grok is left out: Bright Data marks it
// as unavailable.
var datasets = map[string]dataset{
	"chatassistant":   {"gd_m7aof0k82r803d5bjm", "https://chatgpt.com/"},
	"answerengine":    {"gd_m7dhdot1vw9a7gc1n", "https://www.perplexity.ai"},
	"officeassistant": {"gd_m7di5jy6s9geokz8w", "https://copilot.microsoft.com/chats"},
	"genassistant":    {"gd_mbz66arm2mf9cu856y", "https://gemini.google.com/"},
	"searchaimode":    {"gd_mcswdt6z2elth3zqr2", "https://google.com/aimode"},
}

// askDataset triggers the collection of one record and polls it.
func askDataset(ctx context.Context, up *upstream.Session, q *provider.Question) (*provider.Reply, error) {
	return via.Redeem(ctx, up, q, upstream.Async{
		Wait: up.Wait(15 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, _ string) (string, error) {
			query := url.Values{"dataset_id": {datasets[q.Provider].id}, "include_errors": {"true"}, "format": {"json"}}
			value, _, err := post(ctx, up, "/datasets/v3/trigger", query, []any{input(q)})
			if err != nil {
				return "", err
			}
			id := loosejson.AsObject(value).Text("snapshot_id")
			if id == "" {
				return "", upstream.Fail(earshot.ReasonUnreadable, "Bright Data returned no snapshot id")
			}
			return id, nil
		},
		Cancel: func(ctx context.Context, id string) error { // abandoned snapshots count as running jobs
			_, _, err := post(ctx, up, "/datasets/v3/snapshot/"+url.PathEscape(id)+"/cancel", nil, struct{}{})
			return err
		},
	}, func(ctx context.Context, id string) (*provider.Reply, error) { return poll(ctx, up, q, id) })
}

// input returns the one input of a collection. Only ChatGPT accepts web_search.
func input(q *provider.Question) map[string]any {
	in := map[string]any{"url": datasets[q.Provider].url, "prompt": q.Text, "country": q.Locale.Country, "index": 1}
	if q.Provider == "chatassistant" {
		in["web_search"] = !q.NoSearch
	}
	return in
}

// poll reads the progress of a collection, and its snapshot when that is ready.
func poll(ctx context.Context, up *upstream.Session, q *provider.Question, id string) (*provider.Reply, error) {
	value, _, err := get(ctx, up, "/datasets/v3/progress/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	switch status := loosejson.AsObject(value).Text("status"); status {
	case "ready":
	case "failed", "cancelled", "canceled":
		return nil, via.NoAnswer(earshot.ReasonUnavailable, "Bright Data's collection has the status %s", status)
	default: // starting, running, collecting, digesting, building, or a new one
		return nil, upstream.ErrNotReady
	}
	value, document, err := get(ctx, up, "/datasets/v3/snapshot/"+url.PathEscape(id), url.Values{"format": {"json"}})
	if err != nil {
		return nil, err
	}
	reply, err := readSnapshot(value, q)
	if reply != nil {
		reply.Document = document
	}
	return reply, err
}

// readSnapshot reads the record of a snapshot. An object in place of the list is a
// message that the snapshot is not ready.
func readSnapshot(value any, q *provider.Question) (*provider.Reply, error) {
	list, isList := value.([]any)
	if note := loosejson.AsObject(value); note != nil && (note["status"] != nil || note["message"] != nil) {
		return nil, upstream.ErrNotReady
	}
	if !isList {
		return nil, upstream.Fail(earshot.ReasonUnreadable, "Bright Data's snapshot is not a list")
	}
	if len(list) == 0 {
		return nil, via.NoAnswer(earshot.ReasonUnavailable, "Bright Data's snapshot has no record")
	}
	record := loosejson.AsObject(list[0])
	if record["error"] != nil || record["error_code"] != nil {
		codes, message := via.Trouble(record)
		failure := vendorapi.Refusal(0, nil, codes, message)
		failure.NoAnswer = true
		return nil, failure
	}
	a, err := readRecord(record)
	if err != nil {
		return nil, err
	}
	return &provider.Reply{Answer: a, Located: strings.EqualFold(record.Text("country"), q.Locale.Country)}, nil
}

// readRecord reads the answer of an assistant. The text is preferred as Markdown: the
// plain text of Perplexity may be a whole page of HTML.
func readRecord(record loosejson.Object) (*earshot.Answer, error) {
	a := &earshot.Answer{}
	markdown, text := via.Multiline(record, "answer_text_markdown"), via.Multiline(record, "answer_text")
	switch {
	case markdown != "":
		via.SetText(a, "", markdown)
	case rawdoc.IsPage([]byte(text)):
		return nil, upstream.Fail(earshot.ReasonUnreadable, "Bright Data delivered a page of HTML in place of the text")
	default:
		via.SetText(a, text, "")
	}
	a.Model = answer.ModelName(record.Text("model"))
	var sources answer.Sources
	for _, field := range []string{"citations", "sources"} {
		for _, o := range record.Objects(field) {
			source, ok := via.Source(o)
			if cited := o.Flag("cited"); ok && (cited == nil || *cited) {
				sources.Add(source)
			}
		}
	}
	for _, o := range record.Objects("links_attached") {
		if source, ok := via.Source(o); ok && sources.Known(source.URL) {
			sources.Chip([]answer.Citation{{Source: earshot.Source{URL: source.URL}, Label: o.Text("text")}})
		}
	}
	sources.Fill(a)
	a.SearchQueries = answer.AddQueries(a.SearchQueries, record.Text("web_search_query"))
	a.SearchQueries = answer.AddQueries(a.SearchQueries, record.Texts("web_search_query", "query")...)
	a.SearchQueries = answer.AddQueries(a.SearchQueries, record.Object("metadata").Texts("search_model_queries", "query")...)
	a.RelatedQueries = answer.AddQueries(nil, record.Texts("related_prompts", "prompt")...)
	return a, nil
}

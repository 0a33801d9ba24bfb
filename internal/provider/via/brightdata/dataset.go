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
	return via.Order(ctx, up, q, upstream.Order{
		Wait: up.Wait(15 * time.Minute), Every: up.PollEvery(10 * time.Second),
		Submit: func(ctx context.Context, _ string) (string, *upstream.USD, error) {
			query := url.Values{"dataset_id": {datasets[q.Provider].id}, "include_errors": {"true"}, "format": {"json"}}
			value, _, err := post(ctx, up, "/datasets/v3/trigger", query, []any{input(q)})
			if err != nil {
				return "", nil, err
			}
			return via.ID(up, loosejson.AsObject(value).Text("snapshot_id"))
		},
		Poll: func(ctx context.Context, id string) ([]byte, error) { return poll(ctx, up, id) },
		Cancel: func(ctx context.Context, id string) error { // abandoned snapshots count as running jobs
			_, _, err := post(ctx, up, "/datasets/v3/snapshot/"+url.PathEscape(id)+"/cancel", nil, struct{}{})
			return err
		},
	}, func(document any) (*provider.Reply, upstream.Verdict) { return readSnapshot(document, q) })
}

// input returns the one input of a collection. Only ChatGPT accepts web_search.
func input(q *provider.Question) map[string]any {
	in := map[string]any{"url": datasets[q.Provider].url, "prompt": q.Text, "country": q.Locale.Country, "index": 1}
	if q.Provider == "chatassistant" {
		in["web_search"] = !q.NoSearch
	}
	return in
}

// poll reads the progress of a collection, and its snapshot when that is ready. It returns the
// progress of a collection that failed.
func poll(ctx context.Context, up *upstream.Session, id string) ([]byte, error) {
	value, document, err := get(ctx, up, "/datasets/v3/progress/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	progress := loosejson.AsObject(value)
	if err := via.SameID(up, id, progress.Text("snapshot_id")); err != nil {
		return nil, err
	}
	switch progress.Text("status") {
	case "ready":
	case "failed", "cancelled", "canceled":
		return document, nil
	default: // starting, running, collecting, digesting, building, or a new one
		return nil, upstream.ErrNotReady
	}
	value, document, err = get(ctx, up, "/datasets/v3/snapshot/"+url.PathEscape(id), url.Values{"format": {"json"}})
	if note := loosejson.AsObject(value); note["status"] != nil || note["message"] != nil { // instead of the list
		return nil, upstream.ErrNotReady
	}
	return document, err
}

// readSnapshot reads the record of a snapshot, or the progress of a collection that failed. Bright
// Data charges for records without an error.
func readSnapshot(value any, q *provider.Question) (*provider.Reply, upstream.Verdict) {
	if status := loosejson.AsObject(value).Text("status"); status != "" {
		return nil, via.Failed(upstream.Free(), upstream.Fail(earshot.ReasonUnavailable, "Bright Data's collection has the status %s", status))
	}
	list, isList := value.([]any)
	if !isList {
		return nil, via.Failed(nil, via.Unreadable("Bright Data's snapshot is not a list"))
	}
	if len(list) == 0 {
		return nil, via.Failed(upstream.Free(), upstream.Fail(earshot.ReasonUnavailable, "Bright Data's snapshot has no record"))
	}
	record := loosejson.AsObject(list[0])
	if record["error"] != nil || record["error_code"] != nil {
		return nil, via.Failed(upstream.Free(), via.Refused(record))
	}
	if rawdoc.IsPage([]byte(via.Multiline(record, "answer_text_markdown", "answer_text"))) {
		return nil, via.Failed(nil, via.Unreadable("Bright Data delivered a page of HTML in place of the text"))
	}
	reply := &provider.Reply{Answer: readRecord(record), Located: strings.EqualFold(record.Text("country"), q.Locale.Country)}
	return via.Checked(reply, q, nil)
}

// readRecord reads the answer of an assistant. The text is preferred as Markdown: the
// plain text of Perplexity may be a whole page of HTML.
func readRecord(record loosejson.Object) *earshot.Answer {
	a := &earshot.Answer{}
	text, markdown := via.Multiline(record, "answer_text"), via.Multiline(record, "answer_text_markdown")
	if markdown != "" {
		text = ""
	}
	via.SetText(a, text, markdown)
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
	return a
}

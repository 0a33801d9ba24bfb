package service_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// requests lists the account's requests that a query picks.
func requests(t *testing.T, n *harness.Node, a *app.Account, q earshot.RequestQuery) (all []*earshot.RequestRecord) {
	t.Helper()
	for record, err := range n.Client(a).Requests(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// keyed makes a call with an idempotency key.
func keyed(t *testing.T, n *harness.Node, a *app.Account, path, key, body string) *harness.Reply {
	t.Helper()
	return n.SendWith(t, a, http.MethodPost, path, body, map[string]string{"Idempotency-Key": key})
}

func TestAnAnswerThatDidNotArriveCanBeFetched(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "lite", 100)
	address, err := url.Parse(n.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"prompt":"a lost answer","country":"US"}`
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		harness.ChatPath, address.Host, a.Key.Text, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	// The client reads no more than the headers.
	id := ""
	for lines := bufio.NewScanner(conn); id == "" && lines.Scan(); {
		id, _ = strings.CutPrefix(lines.Text(), "X-Request-Id: ")
		if id == lines.Text() {
			id = ""
		}
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	n.Expect(t, a, "when the client is gone", harness.State{Balance: 95})

	record, err := n.Client(a).Request(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.RequestResult[earshot.Answer](record)
	if err != nil || answer.Text == "" || record.Mode != earshot.ModeSync || record.Provider != "chatassistant" || string(record.Payload) != body ||
		*record.Credits.CreditsCharged != 5 || record.LatencyMs == nil {
		t.Errorf("the call is %+v, its answer %+v, %v", record, answer, err)
	}
	if found := requests(t, n, a, earshot.RequestQuery{Text: "LOST"}); len(found) != 1 || found[0].ID != id || found[0].Result != nil {
		t.Errorf("the list is %+v", found)
	}
	n.Expect(t, a, "once it was fetched", harness.State{Balance: 95})

	stranger := n.Organization(t, "lite", 100)
	n.Get(t, stranger, "/v1/requests/"+id).FailsWith(t, "another's", http.StatusNotFound, earshot.CodeNotFound, `{"id":"`+id+`"}`)
	n.Get(t, a, harness.TaskPath+"/"+id).Fails(t, "as a task", http.StatusNotFound, earshot.CodeNotFound)
	storetest.Audited(t, n.Store)
}

func TestACallWithAKeyIsPaidOnce(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "lite", 100)
	first := keyed(t, n, a, harness.ChatPath, "hats 帽子", harness.GoodCall).Has(t, "the first", http.StatusOK)
	if first.Header.Get("Idempotency-Replayed") != "" || first.Number(t, "X-Credits-Charged") != 5 {
		t.Errorf("the first call has %v", first.Header)
	}
	for _, body := range []string{harness.GoodCall, "{\"country\" : \"US\",\n\"prompt\":\"best hats\"}", `{"prompt":"best \u0068ats","country":"US"}`} {
		again := keyed(t, n, a, harness.ChatPath, "hats 帽子", body).Has(t, "the same again", http.StatusOK)
		if !bytes.Equal(again.Body, first.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s is answered with %v %.200s", body, again.Header, again.Body)
		}
		if again.Number(t, "X-Credits-Charged") != 0 || again.Number(t, "X-Credits-Remaining") != 95 || again.Number(t, "X-Concurrent-Current") != 0 ||
			again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") || again.Header.Get("X-Latency-Ms") == "" {
			t.Errorf("%s is answered with %v", body, again.Header)
		}
	}
	n.Expect(t, a, "after all of them", harness.State{Balance: 95})
	if all := requests(t, n, a, earshot.RequestQuery{}); len(all) != 1 || *all[0].IdempotencyKey != "hats 帽子" {
		t.Errorf("the calls are %+v", all)
	}

	taken := harness.JSON(t, earshot.DuplicateDetails{Field: "Idempotency-Key", Value: "hats 帽子", RequestID: first.Header.Get("X-Request-Id")})
	keyed(t, n, a, harness.ChatPath, "hats 帽子", `{"prompt":"best caps","country":"US"}`).
		FailsWith(t, "another body", http.StatusConflict, earshot.CodeAlreadyExists, taken)
	keyed(t, n, a, "/v1/monitor/genassistant", "hats 帽子", harness.GoodCall).
		FailsWith(t, "another provider", http.StatusConflict, earshot.CodeAlreadyExists, taken)
	stranger := n.Organization(t, "lite", 100)
	if r := keyed(t, n, stranger, harness.ChatPath, "hats 帽子", harness.GoodCall); r.StatusCode != http.StatusOK || r.Number(t, "X-Credits-Charged") != 5 {
		t.Errorf("another organization gets %d %v", r.StatusCode, r.Header)
	}
	n.Expect(t, a, "at the end", harness.State{Balance: 95})
	storetest.Audited(t, n.Store)
}

func TestRequestsAreFiltered(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 1000)
	ids := map[string]string{} // a name -> the request
	call := func(name, provider, body string) {
		ids[n.Post(t, a, "/v1/monitor/"+provider, body).Header.Get("X-Request-Id")] = name
	}
	call("chat", "chatassistant", `{"prompt":"Trail SHOES für Äcker","country":"DE"}`)
	call("url", "websearch", `{"url":"https://search.lab.test/search?q=Trail+running&gl=fr"}`)
	call("gl", "websearch", `{"query":"tents","gl":"de"}`)
	call("news", "websearch/news", `{"query":"tents"}`)
	call("blocked", "genassistant", `{"prompt":"hats [[block]]","country":"DE"}`)
	task := n.Submit(t, a, harness.GoodTask)
	ids[task.ID] = "task"
	n.Wait(t, a, task.ID)

	now := time.Now().UTC()
	for _, test := range []struct {
		q    earshot.RequestQuery
		want string // in alphabetical order
	}{
		{earshot.RequestQuery{}, "blocked chat gl news task url"},
		{earshot.RequestQuery{PageQuery: earshot.PageQuery{Limit: 1}}, "blocked chat gl news task url"},
		{earshot.RequestQuery{Mode: earshot.ModeAsync}, "task"},
		{earshot.RequestQuery{Mode: earshot.ModeSync, Status: earshot.StatusCompleted}, "chat gl news url"},
		{earshot.RequestQuery{Status: earshot.StatusFailed}, "blocked"},
		{earshot.RequestQuery{Status: earshot.StatusQueued}, ""},
		{earshot.RequestQuery{Provider: "websearch"}, "gl url"},
		{earshot.RequestQuery{Provider: "websearch/news"}, "news"},
		{earshot.RequestQuery{Country: "DE"}, "blocked chat gl"},
		{earshot.RequestQuery{Country: "FR"}, "url"},
		{earshot.RequestQuery{Country: "US"}, "news task"}, // where news are from by default
		{earshot.RequestQuery{Text: "trail"}, "chat url"},
		{earshot.RequestQuery{Text: "trail running"}, "url"},
		{earshot.RequestQuery{Text: "für Äck"}, "chat"},
		{earshot.RequestQuery{Text: "für äck"}, ""}, // not ASCII
		{earshot.RequestQuery{Text: "country"}, ""}, // in no prompt
		{earshot.RequestQuery{ErrorReason: earshot.ReasonBlocked}, "blocked"},
		{earshot.RequestQuery{ErrorReason: earshot.ReasonTimeout}, ""},
		{earshot.RequestQuery{Mode: earshot.ModeSync, Country: "DE", Text: "TENT"}, "gl"},
		{earshot.RequestQuery{From: now.Add(-48 * time.Hour).Format(time.DateOnly), To: now.Format(time.DateOnly)}, "blocked chat gl news task url"},
		{earshot.RequestQuery{From: now.Add(time.Hour).Format(time.RFC3339)}, ""},
		{earshot.RequestQuery{From: now.Add(-time.Hour).In(time.FixedZone("", 7200)).Format(time.RFC3339)}, "blocked chat gl news task url"},
		{earshot.RequestQuery{To: now.Add(-time.Hour).Format(time.RFC3339)}, ""},
	} {
		var names []string
		for _, record := range requests(t, n, a, test.q) {
			names = append(names, ids[record.ID])
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s finds %q, want %q", harness.JSON(t, test.q), got, test.want)
		}
	}
	var page map[string]json.RawMessage
	n.Get(t, a, "/v1/requests?limit=6").Into(t, &page)
	if keys := slices.Sorted(maps.Keys(page)); !slices.Equal(keys, []string{"nextCursor", "requests"}) || string(page["nextCursor"]) != "null" {
		t.Errorf("the page has %q, and goes on at %s", keys, page["nextCursor"])
	}
	storetest.Audited(t, n.Store)
}

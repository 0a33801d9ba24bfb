package track_test

import (
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/track/report"
)

// A title is shown wherever people see a tracker. A new title changes neither rules nor series.
func TestTitle(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Date(2026, 3, 11, 12, 0, 0, 0, time.UTC))
		s := w.services[0]
		if _, err := s.SaveChannel(t.Context(), w.organization, "ops", &earshot.ChannelRequest{Kind: earshot.ChannelSlack, URL: "https://receiver.example"}, account.Operator(), w.now); err != nil {
			t.Fatal(err)
		}
		const shoes = `{"brands":[{"name":"Ollaro","own":true}],"prompts":["best shoes"],"targets":[{"provider":"chatassistant","country":"US"}],"alerts":{"channels":["ops"]}`
		w.apply("shoes", shoes+`}`)
		shown := func(want string) {
			t.Helper()
			list, err := s.List(t.Context(), w.organization, w.now)
			if err != nil || len(list.Trackers) != 1 || list.Trackers[0].Title != want || list.Trackers[0].Name != "shoes" {
				t.Errorf("the list is %+v, %v, and the title %q", list, err, want)
			}
		}
		shown("shoes")
		for _, title := range []string{"Running Shoes 2026", "跑步鞋 <b>", "کفش\u200cها"} {
			applied, err := s.Apply(t.Context(), w.organization, "shoes", []byte(shoes+`,"title":"`+title+`"}`), false, false, account.Operator(), w.now)
			if err != nil || len(applied.Changes) != 1 || applied.Changes[0].Part != "title" || len(applied.Breaks) != 0 {
				t.Fatalf("%s: %+v, %v", title, applied, err)
			}
			shown(title)
		}
		rules, err := s.Rules(t.Context(), w.organization, "shoes")
		if err != nil || len(rules.Rules) != 1 {
			t.Errorf("titles made new rules: %+v, %v", rules, err)
		}
		for _, title := range []string{`a\nb`, " ", strings.Repeat("x", 201)} {
			if _, err := s.Apply(t.Context(), w.organization, "shoes", []byte(shoes+`,"title":"`+title+`"}`), false, true, account.Operator(), w.now); earshot.ErrorCode(err) != earshot.CodeValidation {
				t.Errorf("%q is a title: %v", title, err)
			}
		}

		w.apply("shoes", shoes+`,"title":"Running Shoes <2026>"}`)
		in, err := s.Report(t.Context(), w.organization, "shoes", &earshot.ReportQuery{}, w.now)
		if err != nil {
			t.Fatal(err)
		}
		page, err := report.HTML(in)
		if err != nil || !strings.Contains(string(page), "<h1>Brand visibility report: Running Shoes &lt;2026&gt;</h1>") {
			t.Errorf("the report does not show the title: %v", err)
		}
		if _, err := s.SendReport(t.Context(), w.organization, "shoes", "", w.now); err != nil {
			t.Fatal(err)
		}
		all, err := w.store.Deliveries(t.Context(), w.organization, store.DeliveryFilter{Limit: 1})
		if err != nil || len(all) != 1 {
			t.Fatalf("deliveries %v, %v", all, err)
		}
		message, err := s.ChannelMessage(t.Context(), w.organization, all[0].Job)
		if err != nil || !strings.Contains(string(message.Body), "Running Shoes") || !strings.Contains(string(message.Body), "#/trackers/shoes") {
			t.Errorf("the message is %s, %v", message.Body, err)
		}
	})
}

package tracking

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/notify/mail"
	"earshot/internal/notify/mail/mailtest"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// TestAnAlertReachesEveryChannel has a sweep skipped, which is told on every channel in
// its own shape, and never shows where the channels lead.
func TestAnAlertReachesEveryChannel(t *testing.T) {
	t.Parallel()
	mails := mailtest.Listen(t)
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 100_000)
		admin := n.Admin(t, a)
		webhook, slack, discord := harness.Receive(t, 204), harness.Receive(t, 500, 200), harness.Receive(t, 204)
		teams, telegram, pager := harness.Receive(t, 202), harness.Receive(t, 200), harness.Receive(t, 202)
		to := fmt.Sprintf("ada+%s@example.com", a.Organization.ID)
		for name, body := range map[string]string{
			"hook": fmt.Sprintf(`{"kind":"webhook","url":"%s/hidden"}`, webhook.URL), "chat": fmt.Sprintf(`{"kind":"slack","url":"%s/hidden"}`, slack.URL),
			"game": fmt.Sprintf(`{"kind":"discord","url":"%s/hidden"}`, discord.URL), "post": fmt.Sprintf(`{"kind":"mail","to":[%q]}`, to),
			"work": fmt.Sprintf(`{"kind":"teams","url":"%s/hidden"}`, teams.URL), "page": fmt.Sprintf(`{"kind":"pagerduty","url":%q,"routingKey":"hidden00000000000000000000000000"}`, pager.URL),
			"phone": fmt.Sprintf(`{"kind":"telegram","url":%q,"botToken":"12345:hidden-token-of-the-bot","chatId":"@shoes"}`, telegram.URL),
		} {
			other.Send(t, admin, http.MethodPut, "/v1/channels/"+name, body).Has(t, "save a channel", http.StatusOK)
		}
		n.Send(t, admin, http.MethodPut, "/v1/channels/bad", `{"kind":"mail","to":["ada@example.com\r\nBcc: eve@example.com"]}`).Invalid(t, "a header", http.StatusBadRequest, "to[0]")
		definition := `{"prompts":["hats <b>&"],"targets":[{"provider":"chatassistant","country":"US"}],"ceiling":{"creditsPerMonth":1},"alerts":{"falseAlarmsPerYear":1,"channels":["hook","chat","game","post","work","phone","page"%s]}}`
		n.Send(t, a, http.MethodPut, "/v1/trackers/hats", fmt.Sprintf(definition, `,"none"`)).Invalid(t, "a channel that is not there", http.StatusBadRequest, "alerts.channels[7]")
		n.Send(t, a, http.MethodPut, "/v1/trackers/hats", fmt.Sprintf(definition, "")).Has(t, "apply", http.StatusOK)

		var tested earshot.AlertTestResult
		n.Post(t, a, "/v1/trackers/hats/alerts/test", "").Has(t, "test", http.StatusOK).Into(t, &tested)
		if len(tested.Tests) != 7 || !tested.Tests[0].Delivered || tested.Tests[1].Delivered || *tested.Tests[1].Status != 500 || !tested.Tests[3].Delivered {
			t.Errorf("the tests went %s", harness.JSON(t, tested))
		}
		for i, key := range []string{"first", "second"} { // the second tells the same
			n.Post(t, a, "/v1/trackers/hats/sweeps", fmt.Sprintf(`{"idempotencyKey":%q}`, key)).Has(t, "run", http.StatusOK)
			var page earshot.AlertPage
			harness.Eventually(t, "the alert is raised", func() bool {
				other.Get(t, a, "/v1/trackers/hats/alerts").Into(t, &page)
				return len(page.Alerts) > 0
			})
			if len(page.Alerts) != 1 || page.Alerts[0].Kind != earshot.AlertSweep || !strings.HasPrefix(page.Alerts[0].Summary, "The manual sweep first was skipped") {
				t.Errorf("after sweep %d the alerts are %s", i+1, harness.JSON(t, page))
			}
		}
		told := func(r *harness.Receiver) []harness.Webhook { return r.Webhooks()[1:] } // the test came first
		mine := func() (data []string) {
			for _, m := range mails.Mails() {
				if m.To[0] == to {
					data = append(data, m.Data)
				}
			}
			return data
		}
		harness.Eventually(t, "every channel is told", func() bool {
			return len(told(webhook)) > 0 && len(told(slack)) > 0 && len(told(discord)) > 0 && len(mine()) > 1 &&
				len(told(teams)) > 0 && len(told(telegram)) > 0 && len(told(pager)) > 0
		})
		told(webhook)[0].Verify(t, a.WebhookSecret)
		for what, body := range map[string]string{
			`"type":"alert.raised","tracker":"hats"`: told(webhook)[0].Body, `{"text":"hats: The manual sweep first was skipped`: told(slack)[0].Body,
			`"content":"hats: The manual sweep first was skipped`: told(discord)[0].Body, "Subject: [hats] The manual sweep first was skipped": mine()[1],
			`"type":"AdaptiveCard"`: told(teams)[0].Body, `{"chat_id":"@shoes"`: told(telegram)[0].Body, `"event_action":"trigger"`: told(pager)[0].Body,
		} {
			if !strings.Contains(body, what) {
				t.Errorf("%q is not in %s", what, body)
			}
		}
		if telegram.Webhooks()[0].Path != "/bot12345:hidden-token-of-the-bot/sendMessage" {
			t.Errorf("the bot is asked at %s", telegram.Webhooks()[0].Path)
		}
		var page earshot.AlertPage
		n.Get(t, a, "/v1/trackers/hats/alerts").Into(t, &page)
		n.Post(t, a, "/v1/trackers/hats/alerts/"+page.Alerts[0].ID+"/acknowledge", "").Has(t, "acknowledge", http.StatusOK)
		resolved := `{"dedup_key":"earshot-` + page.Alerts[0].ID + `","event_action":"resolve","routing_key":"hidden00000000000000000000000000"}`
		harness.Eventually(t, "the incident is resolved", func() bool {
			return slices.ContainsFunc(told(pager), func(w harness.Webhook) bool { return w.Body == resolved })
		})
		checkNothingIsShown(t, n, a, slack.URL)
		storetest.Audited(t, n.Store)
		n.Send(t, a, http.MethodDelete, "/v1/trackers/hats", "").Has(t, "delete", http.StatusOK)
	}, harness.LocalWebhooks, func(cfg *app.Config) {
		cfg.SMTP = mail.Config{Server: mails.Address, From: "earshot@example.com", TLS: "none"}
	})
}

// TestAChannelIsTestedByItself wants the receiver's answer, but not the secrets that the
// receiver repeats.
func TestAChannelIsTestedByItself(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, "no_service\n%s %s", r.URL, strings.Repeat("x", 300))
	}))
	t.Cleanup(receiver.Close)
	n := harness.Start(t, harness.LocalWebhooks)
	a := n.Organization(t, "many", 1000)
	admin := n.Admin(t, a)
	n.Send(t, admin, http.MethodPut, "/v1/channels/ops", fmt.Sprintf(`{"kind":"slack","url":"%s/services/T0123456/hidden?sig=hidden"}`, receiver.URL)).Has(t, "save a channel", http.StatusOK)
	var tested earshot.ChannelTestResponse
	n.Post(t, admin, "/v1/channels/ops/test", "").Has(t, "test", http.StatusOK).Into(t, &tested)
	if test := tested.Test; test.Delivered || *test.Status != 404 || !strings.HasPrefix(test.Answer, "no_service /…/…/…?sig=… xxx") || utf8.RuneCountInString(test.Answer) != 200 {
		t.Errorf("the test went %s", harness.JSON(t, tested))
	}
}

func TestAMailServerWithoutSTARTTLSIsNamed(t *testing.T) {
	t.Parallel()
	mails := mailtest.Listen(t)
	n := harness.Start(t, func(cfg *app.Config) { cfg.SMTP = mail.Config{Server: mails.Address, From: "earshot@example.com"} })
	a := n.Organization(t, "many", 1000)
	n.Send(t, n.Admin(t, a), http.MethodPut, "/v1/channels/post", `{"kind":"mail","to":["ada@example.com"]}`).Has(t, "save a channel", http.StatusOK)
	n.Send(t, a, http.MethodPut, "/v1/trackers/hats", `{"prompts":["hats"],"targets":[{"provider":"chatassistant","country":"US"}],"alerts":{"falseAlarmsPerYear":1,"channels":["post"]}}`).Has(t, "apply", http.StatusOK)
	var tested earshot.AlertTestResult
	n.Post(t, a, "/v1/trackers/hats/alerts/test", "").Has(t, "test", http.StatusOK).Into(t, &tested)
	if len(tested.Tests) != 1 || tested.Tests[0].Error == nil || !strings.Contains(*tested.Tests[0].Error, "does not offer STARTTLS") {
		t.Errorf("the test went %s", harness.JSON(t, tested))
	}
}

// checkNothingIsShown wants the path of a channel's URL nowhere that a key can look.
func checkNothingIsShown(t *testing.T, n *harness.Node, a *app.Account, url string) {
	t.Helper()
	for _, path := range []string{"/v1/channels", "/v1/trackers/hats", "/v1/trackers/hats/alerts", harness.DeliveriesPath} {
		reply := n.Get(t, a, path).Has(t, path, http.StatusOK)
		if strings.Contains(string(reply.Body), "hidden") {
			t.Errorf("%s shows where a channel leads: %s", path, reply.Body)
		}
		if path == harness.DeliveriesPath && !strings.Contains(string(reply.Body), `"url":"channel://chat"`) {
			t.Errorf("%s does not list deliveries to channels: %s", path, reply.Body)
		}
	}
	if strings.Contains(n.Logs.String(), "hidden") || strings.Contains(n.Logs.String(), url) {
		t.Error("the log shows where a channel leads")
	}
}

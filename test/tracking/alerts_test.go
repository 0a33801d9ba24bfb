package tracking

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

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
		to := fmt.Sprintf("ada+%s@example.com", a.Organization.ID)
		for name, body := range map[string]string{
			"hook": fmt.Sprintf(`{"kind":"webhook","url":"%s/hidden"}`, webhook.URL), "chat": fmt.Sprintf(`{"kind":"slack","url":"%s/hidden"}`, slack.URL),
			"game": fmt.Sprintf(`{"kind":"discord","url":"%s/hidden"}`, discord.URL), "post": fmt.Sprintf(`{"kind":"mail","to":[%q]}`, to),
		} {
			other.Send(t, admin, http.MethodPut, "/v1/channels/"+name, body).Has(t, "save a channel", http.StatusOK)
		}
		n.Send(t, admin, http.MethodPut, "/v1/channels/bad", `{"kind":"mail","to":["ada@example.com\r\nBcc: eve@example.com"]}`).Invalid(t, "a header", http.StatusBadRequest, "to[0]")
		definition := `{"prompts":["hats <b>&"],"targets":[{"provider":"chatassistant","country":"US"}],"ceiling":{"creditsPerMonth":1},"alerts":{"falseAlarmsPerYear":1,"channels":["hook","chat","game","post"%s]}}`
		n.Send(t, a, http.MethodPut, "/v1/trackers/hats", fmt.Sprintf(definition, `,"none"`)).Invalid(t, "a channel that is not there", http.StatusBadRequest, "alerts.channels[4]")
		n.Send(t, a, http.MethodPut, "/v1/trackers/hats", fmt.Sprintf(definition, "")).Has(t, "apply", http.StatusOK)

		var tested earshot.AlertTestResult
		n.Post(t, a, "/v1/trackers/hats/alerts/test", "").Has(t, "test", http.StatusOK).Into(t, &tested)
		if len(tested.Tests) != 4 || !tested.Tests[0].Delivered || tested.Tests[1].Delivered || *tested.Tests[1].Status != 500 || !tested.Tests[3].Delivered {
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
			return len(told(webhook)) > 0 && len(told(slack)) > 0 && len(told(discord)) > 0 && len(mine()) > 1
		})
		told(webhook)[0].Verify(t, a.WebhookSecret)
		for what, body := range map[string]string{
			`"type":"alert.raised","tracker":"hats"`: told(webhook)[0].Body, `{"text":"hats: The manual sweep first was skipped`: told(slack)[0].Body,
			`"content":"hats: The manual sweep first was skipped`: told(discord)[0].Body, "Subject: [hats] The manual sweep first was skipped": mine()[1],
		} {
			if !strings.Contains(body, what) {
				t.Errorf("%q is not in %s", what, body)
			}
		}
		checkNothingIsShown(t, n, a, slack.URL)
		storetest.Audited(t, n.Store)
		n.Send(t, a, http.MethodDelete, "/v1/trackers/hats", "").Has(t, "delete", http.StatusOK)
	}, harness.LocalWebhooks, func(cfg *app.Config) {
		cfg.SMTP = mail.Config{Server: mails.Address, From: "earshot@example.com", TLS: "none"}
	})
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

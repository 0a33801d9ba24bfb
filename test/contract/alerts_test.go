package contract_test

import (
	"database/sql"
	"net/http"
	"slices"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/test/harness"
)

// makeAlerts gives the account that has trackers an alert, and one that may change
// channels as many of them as it may have, of which a tracker names one.
func makeAlerts(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	owner := s.accounts[anyKey]
	admin := s.accounts[adminKey]
	for _, name := range []string{"ops", "spare"} {
		n.Send(t, admin, http.MethodPut, channelsPath+"/"+name, `{"kind":"slack","url":"`+s.things["<receiver>"]+`"}`).Has(t, "save a channel", http.StatusOK)
	}
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 60)
			INSERT INTO channels (organization, name, kind, settings, created_at, updated_at)
			SELECT organization, 'ops-' || n, kind, settings, created_at, updated_at FROM channels, copies WHERE name = 'ops' AND organization = ?`,
		`INSERT INTO alerts (organization, tracker, id, kind, subject, sweep, raised_at, content)
			SELECT organization, id, '01a0805a-0000-7000-8000-000000000001', 'ceiling', '2026-10', '01a0805a-0000-7000-8000-000000000002', 1, '{"summary":"most of it is spent"}'
			FROM trackers WHERE name = 'hats' AND organization = ?`,
		`INSERT INTO channels (organization, name, kind, settings, created_at, updated_at)
			SELECT ?, 'ops', 'slack', '{"url":"` + s.things["<receiver>"] + `"}', 1, 1`,
	} {
		organization := owner.Organization.ID
		if statement[0] == 'W' {
			organization = admin.Organization.ID
		}
		if _, err := db.ExecContext(t.Context(), statement, organization); err != nil {
			t.Fatal(err)
		}
	}
	s.things["<alert>"] = "01a0805a-0000-7000-8000-000000000001"
	named := `{"prompts":["hats"],"targets":[{"provider":"chatassistant","country":"US"}],"alerts":{"falseAlarmsPerYear":1,"channels":["ops"]}}`
	tracking := n.Key(t, admin, time.Time{}, account.ScopeTrack)
	n.Send(t, tracking, http.MethodPut, trackersPath+"/told", named).Has(t, "apply", http.StatusOK)
}

func alertRows() []row {
	return slices.Concat(
		commonRows("alerts", alertsOp, hatsPath+"/alerts", "", account.ScopeRead),
		commonRows("acknowledge", seenOp, hatsPath+"/alerts/"+harness.NoTask+"/acknowledge", "", account.ScopeTrack),
		commonRows("test of alerts", tryAlertsOp, hatsPath+"/alerts/test", `{"channel":"ops"}`, account.ScopeTrack),
		commonRows("send a report", sendOp, hatsPath+"/report", `{"channel":"ops"}`, account.ScopeTrack),
		commonRows("channels", "GET "+channelsPath, "", "", account.ScopeRead),
		commonRows("save a channel", channelOp, channelsPath+"/ops", goodChannel, account.ScopeAdmin),
		commonRows("test of a channel", tryChannelOp, channelsPath+"/none/test", "", account.ScopeAdmin),
		commonRows("delete a channel", noChannelOp, channelsPath+"/none", "", account.ScopeAdmin), []row{
			{name: "alerts", path: hatsPath + "/alerts?open=false&kind=ceiling&limit=1", as: alertsOp, key: readKey, status: 200, check: holds(`"summary":"most of it is spent"`)},
			{name: "alerts of no kind", path: hatsPath + "/alerts?kind=news", as: alertsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("kind")},
			{name: "alerts of nothing", path: trackersPath + "/none/alerts", as: alertsOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "acknowledge", method: "POST", path: hatsPath + "/alerts/<alert>/acknowledge", as: seenOp, key: anyKey, status: 200, check: holds(`"acknowledgedBy":"`)},
			{name: "acknowledge nothing", method: "POST", path: hatsPath + "/alerts/" + harness.NoTask + "/acknowledge", as: seenOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "test of alerts", method: "POST", path: hatsPath + "/alerts/test", as: tryAlertsOp, key: anyKey, body: `{"channel":"ops"}`, status: 200, check: holds(`"channel":"ops","kind":"slack","delivered":true,"status":204`)},
			{name: "test of alerts without a channel", method: "POST", path: hatsPath + "/alerts/test", as: tryAlertsOp, key: anyKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", check: fields("channel")},
			{name: "test of alerts of nothing", method: "POST", path: trackersPath + "/none/alerts/test", as: tryAlertsOp, key: anyKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "send a report", method: "POST", path: hatsPath + "/report", as: sendOp, key: anyKey, body: `{"channel":"ops"}`, status: 200, check: holds(`"deliveries":[{"channel":"ops","state":"`)},
			{name: "send a report nowhere", method: "POST", path: hatsPath + "/report", as: sendOp, key: anyKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", check: fields("channel")},
			{name: "send a report to no channel", method: "POST", path: hatsPath + "/report", as: sendOp, key: anyKey, body: `{"channel":"none"}`, status: 400, code: "VALIDATION_ERROR", check: fields("channel")},
			{name: "send a report of nothing", method: "POST", path: trackersPath + "/none/report", as: sendOp, key: anyKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "channels", path: channelsPath, key: readKey, status: 200, check: holds(`{"channels":[{"name":"ops","kind":"slack","receiver":"127.0.0.1:`)},
			{name: "save a channel", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: goodChannel, status: 200, check: holds(`"created":false`)},
			{name: "save a channel to nowhere", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"slack"}`, status: 400, code: "VALIDATION_ERROR", check: fields("url")},
			{name: "save a channel without mail", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"mail","to":["ada@example.com"]}`, status: 400, code: "VALIDATION_ERROR", check: fields("kind")},
			{name: "save a channel of no kind", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"pigeon"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("kind")},
			{name: "save one channel too many", method: "PUT", path: channelsPath + "/one-more", as: channelOp, key: adminKey, body: goodChannel, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"one-more"}`)},
			{name: "save a channel below a path", method: "PUT", path: channelsPath + "/ops/x", as: channelOp, key: adminKey, body: goodChannel, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "save a channel with fields of others", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"teams","url":"<receiver>","to":["ada@example.com"],"botToken":"1","chatId":"1","routingKey":"1"}`, status: 400, code: "VALIDATION_ERROR", check: fields("botToken", "chatId", "routingKey", "to")},
			{name: "save a channel to no bot", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"telegram","botToken":"123456:../escape-from-the-path","chatId":"shoes"}`, status: 400, code: "VALIDATION_ERROR", check: fields("botToken", "chatId")},
			{name: "save a channel without a bot", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"telegram"}`, status: 400, code: "VALIDATION_ERROR", check: fields("botToken", "chatId")},
			{name: "save a channel without a key", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"pagerduty","routingKey":"short"}`, status: 400, code: "VALIDATION_ERROR", check: fields("routingKey")},
			{name: "save a channel to a bad region", method: "PUT", path: channelsPath + "/ops", as: channelOp, key: adminKey, body: `{"kind":"pagerduty","routingKey":"0123456789abcdef0123456789abcdef","url":"events.eu.pagerduty.com"}`, status: 400, code: "VALIDATION_ERROR", check: fields("url")},
			{name: "test of a channel", method: "POST", path: channelsPath + "/ops/test", as: tryChannelOp, key: adminKey, status: 200, check: holds(`"channel":"ops","kind":"slack","delivered":true,"status":204`)},
			{name: "test of no channel", method: "POST", path: channelsPath + "/none/test", as: tryChannelOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"none"}`)},
			{name: "delete a channel", method: "DELETE", path: channelsPath + "/spare", as: noChannelOp, key: adminKey, status: 200, check: says(`{"success":true,"name":"spare"}`)},
			{name: "delete no channel", method: "DELETE", path: channelsPath + "/none", as: noChannelOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"none"}`)},
			{name: "delete a channel in use", method: "DELETE", path: channelsPath + "/ops", as: noChannelOp, key: adminKey, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"ops"}`)},
		},
	)
}

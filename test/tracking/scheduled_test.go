package tracking

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/files/tablefile/parquettest"
	smtp "earshot/internal/notify/mail"
	"earshot/internal/notify/mail/mailtest"
	"earshot/internal/store/storetest"
	"earshot/internal/track/alert"
	"earshot/test/harness"
)

// TestAReportReachesEveryChannel sends a report on every channel in its own shape.
func TestAReportReachesEveryChannel(t *testing.T) {
	t.Parallel()
	mails := mailtest.Listen(t)
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 100_000)
		admin := n.Admin(t, a)
		webhook, slack, discord := harness.Receive(t, 204), harness.Receive(t, 500, 200), harness.Receive(t, 204)
		to := fmt.Sprintf("ada+%s@example.com", a.Organization.ID)
		for name, body := range map[string]string{
			"hook": fmt.Sprintf(`{"kind":"webhook","url":%q}`, webhook.URL), "chat": fmt.Sprintf(`{"kind":"slack","url":%q}`, slack.URL),
			"game": fmt.Sprintf(`{"kind":"discord","url":%q}`, discord.URL), "post": fmt.Sprintf(`{"kind":"mail","to":[%q]}`, to),
		} {
			n.Send(t, admin, http.MethodPut, "/v1/channels/"+name, body).Has(t, "save a channel", http.StatusOK)
		}
		apply(t, n, a, "", shoes+"reports: {every: week, monthDay: 1, timezone: Nowhere, days: 0}\nexports: {tables: [answers, answers], format: xls}\n").
			Invalid(t, "wrong plans", http.StatusBadRequest, "exports", "exports.format", "exports.tables", "reports.channels", "reports.days", "reports.monthDay", "reports.timezone")
		apply(t, n, a, "", shoes+"exports: {sql: sometimes}\n").Invalid(t, "no boolean", http.StatusBadRequest, "exports", "exports.sql")
		apply(t, n, a, "", shoes+"exports: {sql: false}\n").Invalid(t, "nothing to export", http.StatusBadRequest, "exports")
		applied(t, n, a, "?dryRun=true", shoes+"exports: {sql: true}\n")
		apply(t, n, a, "", shoes+"reports: {every: week, channels: [hook, none]}\n").Invalid(t, "no channel", http.StatusBadRequest, "reports.channels[1]")
		definition := shoes + "reports: {every: month, monthDay: 31, at: \"08:00\", channels: [hook, chat, game, post]}\n"
		if dry := applied(t, n, a, "?dryRun=true", definition); dry.Tracker.Reports == nil || dry.Tracker.Reports.NextAt == nil {
			t.Errorf("a dry run tells %+v", dry.Tracker.Reports)
		}
		applied(t, n, a, "", definition)
		ended(t, n, a, run(t, n, a, "one").Sweep.ID)

		var sent earshot.ReportSent
		other.Post(t, a, "/v1/trackers/shoes/report", "").Has(t, "send now", http.StatusOK).Into(t, &sent)
		if len(sent.Report.Deliveries) != 4 || len(sent.Report.Summary) == 0 {
			t.Errorf("it is sent as %s", harness.JSON(t, sent))
		}
		mine := func() (data []string) {
			for _, m := range mails.Mails() {
				if m.To[0] == to {
					data = append(data, m.Data)
				}
			}
			return data
		}
		var shown earshot.Tracker
		harness.Eventually(t, "all arrived", func() bool {
			n.Get(t, a, "/v1/trackers/shoes").Has(t, "show", http.StatusOK).Into(t, &shown)
			for _, d := range shown.Reports.Last.Deliveries {
				if d.State != "delivered" {
					return false
				}
			}
			return true
		})
		hooked := webhook.Webhooks()[0]
		hooked.Verify(t, a.WebhookSecret)
		var event earshot.ReportEvent
		if err := json.Unmarshal([]byte(hooked.Body), &event); err != nil || event.Type != earshot.ReportMade || event.Report.ID != sent.Report.ID || event.Tracker != "shoes" {
			t.Errorf("the webhook says %v, %s", err, hooked.Body)
		}
		n.Get(t, a, event.Report.URL).Has(t, "the report's address", http.StatusOK)
		for what, body := range map[string]string{
			`{"text":"shoes: Report for ` + alert.Day(sent.Report.From): slack.Webhooks()[1].Body, `"content":"shoes: Report for ` + alert.Day(sent.Report.From): discord.Webhooks()[0].Body,
			"/#/trackers/shoes": slack.Webhooks()[1].Body,
		} {
			if !strings.Contains(body, what) {
				t.Errorf("%q is not in %s", what, body)
			}
		}
		checkMail(t, mine()[0], &sent.Report)
		n.Send(t, admin, http.MethodDelete, "/v1/channels/post", "").Has(t, "delete a channel that reports use", http.StatusConflict)
		storetest.Audited(t, n.Store)
		n.Send(t, a, http.MethodDelete, "/v1/trackers/shoes", "").Has(t, "delete", http.StatusOK)
	}, harness.LocalWebhooks, func(cfg *app.Config) {
		cfg.SMTP = smtp.Config{Server: mails.Address, From: "earshot@example.com", TLS: "none"}
	})
}

// checkMail wants a mail to say what the report says, as text and as HTML, and to have all
// of it attached.
func checkMail(t *testing.T, data string, report *earshot.SentReport) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	readParts(t, m.Header.Get("Content-Type"), m.Body, parts)
	attached := fmt.Sprintf("shoes-%s.html", report.To)
	for part, want := range map[string]string{
		"text/plain": "# Brand visibility report: shoes", "text/html": attached, attached: "<h1>Brand visibility report: shoes</h1>",
	} {
		if !strings.Contains(parts[part], want) {
			t.Errorf("%s lacks %q: %.300s", part, want, parts[part])
		}
	}
	if !strings.Contains(parts["text/plain"], report.Summary[0]) || m.Header.Get("Subject") != fmt.Sprintf("[shoes] Report for %s to %s", alert.Day(report.From), alert.Day(report.To)) {
		t.Errorf("the mail is %q, %.500s", m.Header.Get("Subject"), parts["text/plain"])
	}
}

// readParts reads the parts of a mail by their kind, or by the name of the file.
func readParts(t *testing.T, kind string, body io.Reader, into map[string]string) {
	t.Helper()
	kind, parameters, err := mime.ParseMediaType(kind)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		t.Fatalf("a mail is %s", kind)
	}
	for all := multipart.NewReader(body, parameters["boundary"]); ; {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		inner := part.Header.Get("Content-Type")
		if strings.HasPrefix(inner, "multipart/") {
			readParts(t, inner, part, into)
			continue
		}
		var content io.Reader = quotedprintable.NewReader(part)
		if part.Header.Get("Content-Transfer-Encoding") == "base64" {
			content = base64.NewDecoder(base64.StdEncoding, part)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(inner, ";")
		if part.FileName() != "" {
			name = part.FileName()
		}
		into[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

// TestExportedParquetIsReadByAnotherProgram has all tables of a tracker exported by
// themselves, reads the files in Node, and holds every value against the table as CSV.
func TestExportedParquetIsReadByAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := harness.Start(t, harness.AllNamed(t), func(cfg *app.Config) { cfg.Exports = dir })
	a := n.Organization(t, "many", 1000)
	applied(t, n, a, "", shoes+"exports: {tables: [answers, mentions, citations, metrics, sweeps]}\n")
	ended(t, n, a, run(t, n, a, "one").Sweep.ID)
	var shown earshot.Tracker
	harness.Eventually(t, "the day is written", func() bool {
		n.Get(t, a, "/v1/trackers/shoes").Has(t, "show", http.StatusOK).Into(t, &shown)
		return shown.Exports.WrittenAt != nil && shown.Exports.DaysWaiting == 0
	})
	for _, table := range []string{"answers", "mentions", "citations", "metrics", "sweeps"} {
		files, err := filepath.Glob(filepath.Join(dir, "organization="+a.Organization.ID, "tracker=shoes", "table="+table, "day=????-??-??", "part-0.parquet"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: there are %v, %v", table, files, err)
		}
		var read []map[string]any
		for _, file := range files { // two, where it was written around midnight
			read = append(read, parquettest.Read(t, "../..", file)...)
		}
		want := rows(t, n.Get(t, a, exportPath+"?format=csv&table="+table).Has(t, table, http.StatusOK))
		if len(read) != len(want) || len(want) == 0 {
			t.Fatalf("%s has %d rows, want %d", table, len(read), len(want))
		}
		nulls := 0
		for i, row := range read {
			for column, cell := range want[i] {
				if row[column] == nil {
					nulls++
				}
				if got := asCell(row[column]); got != cell && !sameTime(got, cell) {
					t.Errorf("%s: %s of row %d is %q, want %q", table, column, i, got, cell)
				}
			}
		}
		if nulls == 0 && table != "citations" {
			t.Errorf("%s has no nulls to read", table)
		}
		if table == "answers" && !json.Valid([]byte(asCell(read[len(read)-1]["result"]))) && read[len(read)-1]["outcome"] == "answered" {
			t.Errorf("the result is %v", read[len(read)-1]["result"])
		}
	}
}

// asCell is a value as a cell of CSV has it.
func asCell(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, asCell(item))
		}
		return strings.Join(items, ";")
	default:
		return fmt.Sprint(v)
	}
}

// sameTime tells whether two texts are the same moment.
func sameTime(a, b string) bool {
	x, errA := time.Parse(time.RFC3339Nano, a)
	y, errB := time.Parse(time.RFC3339Nano, b)
	return errA == nil && errB == nil && x.Equal(y)
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/harness/program"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// earshotCommand runs a command and returns its output.
func earshotCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out, io.Discard)
	return out.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := earshotCommand(t, args...)
	if err != nil {
		t.Fatalf("earshot %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// newData returns the data folder of a server that has not been started yet, with empty tables.
func newData(t *testing.T) string {
	t.Helper()
	return filepath.Dir(storetest.SQLite(t))
}

// serving runs a server until the test ends and returns what it printed when it was ready.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	return servingWithLog(t, io.Discard, args...)
}

func servingWithLog(t *testing.T, log io.Writer, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	output, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), printed, log)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	var text strings.Builder
	for !strings.Contains(text.String(), "Dashboard:") {
		chunk := make([]byte, 4096)
		n, err := output.Read(chunk)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(chunk[:n])
	}
	return text.String()
}

func TestLogInJSON(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read after the server stopped
	var secrets []string
	t.Run("serve", func(t *testing.T) {
		text := servingWithLog(t, &log, "--data", newData(t), "--log-format", "json")
		found := regexp.MustCompile(`(?s)EARSHOT_URL=(\S+) EARSHOT_API_KEY=(\S+)\n.* whsec_(\S+)\n.*#token=(\w+)`).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("the server prints %s", text)
		}
		mustRun(t, "ask", "--url", found[1], "--api-key", found[2], "chatassistant", "a private question")
		if _, err := earshotCommand(t, "ask", "--url", found[1], "--api-key", found[2]+"0", "chatassistant", "a private question"); err == nil {
			t.Error("a wrong key works")
		}
		secrets = slices.Concat(found[2:], []string{"a private question", found[2][strings.LastIndexByte(found[2], '_')+1:]})
	})
	for _, secret := range secrets {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, &log)
		}
	}
	found := map[string]map[string]any{}
	for line := range strings.Lines(log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339, fmt.Sprint(fields["time"])); err != nil || fields["level"] == nil {
			t.Errorf("the time or the level is wrong in %s", line)
		}
		found[fmt.Sprint(fields["msg"])] = fields
	}
	if call := found["request"]; call["route"] != "/v1/monitor/chatassistant" || call["status"] != 200.0 || call["key"] == nil || call["request"] == nil {
		t.Errorf("the call is logged as %v", call)
	}
	if refused := found["request refused"]; refused["status"] != 401.0 || refused["code"] != "INVALID_API_KEY" {
		t.Errorf("the refused call is logged as %v", refused)
	}
	if stop := found["stopping: waiting for running jobs"]; stop["at most"] != "28s" {
		t.Errorf("the end is logged as %v", stop)
	}
}

func TestFirstStartPrintsAWorkingCurlLine(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	text := serving(t, "--data", data)
	line := regexp.MustCompile(`(?m)^  (curl .*)$`).FindStringSubmatch(text)
	if line == nil {
		t.Fatalf("there is no curl line in:\n%s", text)
	}
	command := program.Command(t, "bash", "-c", line[1])
	answer, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", line[1], err)
	}
	var envelope struct {
		Success bool `json:"success"`
		Result  struct {
			Text string `json:"text"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &envelope); err != nil || !envelope.Success || envelope.Result.Text == "" {
		t.Errorf("the curl line answers %s (%v)", answer, err)
	}
	dashboard := regexp.MustCompile(`Dashboard: ((\S+)/#token=(\w+))`).FindStringSubmatch(text)
	page, err := program.Command(t, "curl", "-sf", dashboard[1]).Output()
	if err != nil || !bytes.Contains(page, []byte("Earshot")) {
		t.Errorf("the dashboard answers %.100s (%v)", page, err)
	}
	key, err := program.Command(t, "curl", "-sfi", dashboard[2]+"/v1/session", "-d", `{"token":"`+dashboard[3]+`"}`, "-H", "Content-Type: application/json").Output()
	if err != nil || !bytes.Contains(key, []byte("Set-Cookie: earshot=ear_live_")) {
		t.Errorf("the token answers %.100s (%v)", key, err)
	}
}

func TestLaterStartExplainsHowToCreateAKey(t *testing.T) {
	t.Parallel()
	data := newData(t)
	s := storetest.Open(t, filepath.Join(data, "earshot.db"))
	if _, err := app.CreateOrganization(orgs.New(s), app.Settings{}, "our shop", "free", nil, account.Operator()); err != nil {
		t.Fatal(err)
	}
	text := serving(t, "--data", data)
	if strings.Contains(text, "ear_live_") {
		t.Errorf("a start that is not the first printed a key:\n%s", text)
	}
	wants(t, text, "  earshot key create --org 'our shop' --data "+data+"\n", "start the server again for a new one", "All answers are made up")
}

type printedAccount struct {
	Organization  organizationJSON `json:"organization"`
	Key           string           `json:"key"`
	WebhookSecret string           `json:"webhookSecret"`
	Credits       int64            `json:"credits"`
}

func decoded(t *testing.T, text string) printedAccount {
	t.Helper()
	var a printedAccount
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

func TestAccountsAreManagedWhileAServerRuns(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		where := []string{"--data", filepath.Dir(address)}
		if strings.HasPrefix(address, "postgres") {
			where = []string{"--data", t.TempDir(), "--database", address}
		}
		on := func(args ...string) []string { return append(append([]string{}, where...), args...) }
		text := serving(t, where...)
		base := regexp.MustCompile(`Dashboard: (\S+)/`).FindStringSubmatch(text)[1]

		acme := decoded(t, mustRun(t, on("org", "create", "acme", "--plan", "lite", "--credits", "50", "--json")...))
		if acme.Organization.Name != "acme" || acme.Organization.Plan != "lite" || acme.Organization.ID == "" || !strings.HasPrefix(acme.WebhookSecret, "whsec_") {
			t.Errorf("org create printed %+v", acme)
		}
		api := client.New(base, acme.Key)
		balance := func() int64 {
			credits, err := api.Credits(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return credits.Remaining
		}
		if got := balance(); got != 50 {
			t.Errorf("the first grant is %d", got)
		}
		mustRun(t, on("credits", "grant", "--org", "acme", "25")...)
		if got := balance(); got != 75 {
			t.Errorf("after a grant: %d", got)
		}
		set := decoded(t, mustRun(t, on("org", "set", "acme", "--plan", "hobby", "--credits", "10", "--json")...))
		if got := balance(); got != 10 || set.Credits != 10 || set.Organization.Plan != "hobby" {
			t.Errorf("after a correction: %d, %+v", got, set)
		}
		if list := mustRun(t, on("org", "list")...); !strings.Contains(list, "acme") || !strings.Contains(list, "default") {
			t.Errorf("org list printed:\n%s", list)
		}
		reader := decoded(t, mustRun(t, on("key", "create", "--org", "acme", "--scopes", "read", "--expires", "1h", "--credits-per-day", "7", "--json")...))
		wants(t, mustRun(t, on("key", "list", "--org", "acme")...), "MAY SPEND", "7 credits per day; 0 today, 0 this month")
		ordinary := decoded(t, mustRun(t, on("key", "create", "--org", "acme", "--json")...))
		if session, err := client.New(base, ordinary.Key).Session(t.Context()); err != nil || session.Organization != "acme" || strings.Join(session.Scopes, ",") != "read,monitor,tasks,track" {
			t.Errorf("a new key is of %+v, %v", session, err)
		}
		if _, _, err := client.New(base, reader.Key).ChatAssistant(t.Context(), earshot.ChatAssistantRequest{Prompt: "x", Country: "US"}); err == nil {
			t.Error("a key that may only read was allowed to ask")
		}
		id := strings.Split(acme.Key, "_")[2]
		mustRun(t, on("key", "limit", id, "--org", "acme", "--credits-per-month", "70")...)
		mustRun(t, on("key", "revoke", id)...)
		rotated := decoded(t, mustRun(t, on("webhook", "rotate", "--org", "acme", "--json")...))
		harness.Eventually(t, "a revoked key is refused", func() bool {
			_, err := api.Credits(t.Context())
			var failure *client.Error
			return errors.As(err, &failure) && failure.Code == earshot.CodeInvalidKey
		})
		checkOperatorsAudit(t, mustRun(t, on("audit-log", "--org", "acme", "--json")...), acme.Key, acme.WebhookSecret, reader.Key, ordinary.Key, rotated.WebhookSecret)
		wants(t, mustRun(t, on("audit-log", "--action", "organization")...), "acme", "default", "system", "operator")
		wants(t, mustRun(t, on("audit-log", "--actor", "nobody", "--csv")...), "organization,at,actorKind,")
		if text := mustRun(t, on("audit")...); !strings.Contains(text, "agree") {
			t.Errorf("the audit printed %s", text)
		}
	})
}

// checkOperatorsAudit checks that the audit log has all changes by the operator, but no secret.
func checkOperatorsAudit(t *testing.T, printed string, secrets ...string) {
	t.Helper()
	var log struct{ Entries []listedAudit }
	if err := json.Unmarshal([]byte(printed), &log); err != nil {
		t.Fatal(err)
	}
	var changes []string
	for _, e := range slices.Backward(log.Entries) {
		changes = append(changes, e.Action)
		if e.Organization != "acme" || e.Actor.Kind != "operator" || e.Before == nil && e.After == nil && e.Action != "webhook.rotate" {
			t.Errorf("an entry is %+v", e)
		}
	}
	const want = "organization.create credits.grant plan.change credits.set key.create key.create key.change key.revoke webhook.rotate"
	if got := strings.Join(changes, " "); got != want {
		t.Errorf("the audit log has %s, want %s", got, want)
	}
	for _, secret := range secrets {
		if secret == "" || strings.Contains(printed, secret) {
			t.Errorf("the audit log contains the secret %q", secret)
		}
	}
}

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	data := newData(t)
	serving(t, "--data", data)
	mustRun(t, "--data", data, "org", "create", "acme")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"exists already", []string{"org", "create", "acme"}},
		{`no plan is called "gold"`, []string{"org", "create", "b", "--plan", "gold"}},
		{"printable", []string{"org", "create", "a\nb"}},
		{"--credits must be between 0 and", []string{"org", "create", "b", "--credits=-1"}},
		{"not found", []string{"key", "create", "--org", "nobody"}},
		{`no scope is called "write"`, []string{"key", "create", "--org", "acme", "--scopes", "write"}},
		{"must be at least 1", []string{"credits", "grant", "--org", "acme", "0"}},
		{"must be at least 1, but is -5; to reduce a balance, use 'earshot org set --credits'", []string{"credits", "grant", "--org", "acme", "-5"}},
		{"must be at least 1, but is -5", []string{"credits", "grant", "-5", "--org", "acme", "--json"}},
		{"the maximum balance is 1,000,000,000,000,000", []string{"credits", "grant", "--org", "acme", "9223372036854775807"}},
		{"--credits must be between 0 and 1,000,000,000,000,000", []string{"org", "create", "b", "--credits", "9223372036854775807"}},
		{"--base-url must be", []string{"serve", "--base-url", "earshot.example"}},
		{"--listen must be", []string{"serve", "--listen", "8080"}},
		{"--credits must be between 0 and 1,000,000,000,000,000, but is -5", []string{"org", "set", "acme", "--credits", "-5"}},
		{"'earshot org list'", []string{"org", "set", "nobody"}},
		{"'earshot key list'", []string{"key", "revoke", "nokey"}},
		{"--name: a name must have", []string{"key", "create", "--org", "acme", "--name", "a\nb"}},
		{`"ana" must be an email address`, []string{"user", "invite", "ana", "--org", "acme"}},
		{"--role must be one of", []string{"user", "invite", "ana@example.com", "--org", "acme", "--role", "owner"}},
		{"'earshot org list'", []string{"user", "invite", "ana@example.com", "--org", "nobody"}},
		{"'earshot user list'", []string{"user", "role", "ana@example.com", "admin", "--org", "acme"}},
		{"'earshot user list'", []string{"user", "remove", "ana@example.com", "--org", "acme"}},
		{"'earshot user list'", []string{"user", "reset", "ana@example.com"}},
		{"'earshot user sessions'", []string{"user", "revoke", "x", "--org", "acme"}},
		{"settings file", []string{"--config", filepath.Join(data, "missing.yaml"), "audit"}},
	} {
		if _, err := earshotCommand(t, append([]string{"--data", data}, test.args...)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("earshot %s: %v, want %q", strings.Join(test.args, " "), err, test.want)
		}
	}
}

func TestPrecedenceOfFlagsVariablesAndFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "earshot.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	uses := func(folder string, args ...string) {
		t.Helper()
		_, err := earshotCommand(t, append([]string{"--config", file, "audit"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), "no service is running on "+folder+";") {
			t.Errorf("it does not look into the folder %s: %v", folder, err)
		}
	}
	write("data: from-file\n")
	uses("from-file")
	t.Setenv("EARSHOT_DATA", "from-variable")
	uses("from-variable")
	uses("from-flag", "--data", "from-flag")
	write("dta: x\n")
	if _, err := earshotCommand(t, "--config", file, "audit"); err == nil || !strings.Contains(err.Error(), `"dta"`) {
		t.Errorf("a misspelt setting: %v", err)
	}
	write("providers: {chatassistant: {relesed: false}}\n")
	if _, err := earshotCommand(t, "--config", file, "audit"); err == nil || !strings.Contains(err.Error(), "relesed") {
		t.Errorf("a misspelt part of a section: %v", err)
	}
	write("json: true\n")
	if _, err := earshotCommand(t, "--config", file, "audit"); err == nil {
		t.Error("a flag of one command is a setting")
	}
	write("# nothing\n")
	uses("from-variable")
	write("providers: [\n")
	if _, err := earshotCommand(t, "--config", file, "audit"); err == nil {
		t.Error("a broken file was accepted")
	}
}

func TestCapturesBucketFromFlagVariableOrFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "earshot.yaml")
	if err := os.WriteFile(file, []byte("captures: s3://from-file?nothing=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(args ...string) {
		t.Helper()
		_, err := earshotCommand(t, append([]string{"--data", dir, "serve", "--listen", "127.0.0.1:0"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), `captures: the location has an unknown parameter "nothing"`) {
			t.Errorf("%v: %v", args, err)
		}
	}
	refused("--captures", "s3://from-flag?nothing=1")
	refused("--config", file)
	t.Setenv("EARSHOT_CAPTURES", "s3://from-variable?nothing=1")
	refused()
}

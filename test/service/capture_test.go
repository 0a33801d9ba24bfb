package service_test

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/capture/capturetest"
	"earshot/test/harness"
)

// inBucket makes nodes keep captures in a bucket. The test cannot be parallel.
func inBucket(t *testing.T) (*capturetest.Server, func(*app.Config)) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", capturetest.KeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", capturetest.Secret)
	server := capturetest.NewServer(t)
	return server, func(cfg *app.Config) { cfg.Captures = server.Location }
}

// captured makes a call and gives the address of its capture.
func captured(t *testing.T, n *harness.Node, a *app.Account) string {
	t.Helper()
	answer, _, err := n.Client(a).ChatAssistant(t.Context(), earshot.ChatAssistantRequest{
		Prompt: "best headphones", Country: "US", Include: earshot.ChatAssistantInclude{HTML: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer.HTML
}

func TestCapturesInABucketAreServedByEveryNode(t *testing.T) {
	_, captures := inBucket(t)
	database := storetest.Postgres(t)
	var data string
	one := harness.StartOn(t, database, captures, func(cfg *app.Config) { data = cfg.Data })
	other := harness.StartOn(t, database, captures)
	a := one.Organization(t, "lite", 100)
	address := captured(t, one, a)
	checkCapture(t, address)
	checkCapture(t, strings.Replace(address, one.BaseURL, other.BaseURL, 1))
	if _, err := os.Stat(filepath.Join(data, "captures")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder for captures: %v", err)
	}
}

func TestWithoutItsCaptureStoreACallFailsUncharged(t *testing.T) {
	server, captures := inBucket(t)
	n := harness.Start(t, captures)
	a := n.Organization(t, "lite", 100)
	address := captured(t, n, a)
	balance := n.Reload(t, a).Balance
	server.Close()
	failed := n.Post(t, a, harness.ChatPath, `{"prompt": "best headphones", "country": "US", "include": {"html": true}}`)
	if failed.StatusCode != http.StatusInternalServerError || strings.Contains(string(failed.Body), server.URL) {
		t.Errorf("%d %s", failed.StatusCode, failed.Body)
	}
	n.Expect(t, a, "afterwards", harness.State{Balance: balance})
	n.Get(t, nil, strings.TrimPrefix(address, n.BaseURL)).Has(t, "the page", http.StatusInternalServerError)
	if logs := n.Logs.String(); !strings.Contains(logs, "store capture") || strings.Contains(logs, capturetest.Secret) {
		t.Errorf("the log: %s", n.Logs.Tail())
	}
	storetest.Audited(t, n.Store)
}

func TestANodeDoesNotStartWithoutItsBucketForCaptures(t *testing.T) {
	server, _ := inBucket(t)
	missing := strings.Replace(server.Location, "s3://captures", "s3://missing", 1)
	_, err := app.New(t.Context(), app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Captures: missing, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), `"missing"`) || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
}

// The page is the next fixture.
func TestAPageThatIsNotUnderstoodIsKeptForTheOperator(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "hobby", 1000)
	resp := n.Post(t, a, "/v1/monitor/genassistant", `{"prompt": "shoes [[garbage]]", "country": "US"}`)
	if resp.StatusCode != http.StatusBadGateway {
		t.Fatalf("got %d: %s", resp.StatusCode, resp.Body)
	}
	kept := regexp.MustCompile(`capture=(\S+)/captures/(\S+)`).FindStringSubmatch(n.Logs.String())
	if kept == nil {
		t.Fatal("the log names no capture")
	}
	if page := n.Get(t, nil, "/captures/"+kept[2]+"/page-1.html"); page.StatusCode != http.StatusOK || len(page.Body) == 0 {
		t.Errorf("the capture is %d: %s", page.StatusCode, page.Body)
	}
	if strings.Contains(string(resp.Body), kept[2]) {
		t.Errorf("the client was told of it: %s", resp.Body)
	}
}

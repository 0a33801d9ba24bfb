package client_test

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"earshot"
	"earshot/client"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/provider"
)

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	service := &fake{answers: []answer{ok}}
	if err := asking(t.Context(), service.client(client.WithUserAgent("rank-tracker/2"))); err != nil {
		t.Fatal(err)
	}
	h := service.sent[0].header
	if h.Get("Authorization") != "Bearer ear_live_key" || h.Get("User-Agent") != "rank-tracker/2" || h.Get("Content-Type") != "application/json" {
		t.Errorf("the headers are %v", h)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s arrived", r.Method, r.URL)
	}))
	defer elsewhere.Close()
	service := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer service.Close()
	var answer *client.Error
	if err := asking(t.Context(), client.New(service.URL, "key")); !errors.As(err, &answer) || answer.Status != http.StatusFound {
		t.Errorf("it ended with %v", err)
	}
}

func TestInvalidServiceURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "127.0.0.1:8080", "localhost:8080", "ftp://service.test", "http://", "://"} {
		c := client.New(address, "key")
		if err := reading(t.Context(), c); err == nil || !strings.Contains(err.Error(), "the service URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestFromEnv(t *testing.T) {
	service := &fake{answers: []answer{ok}}
	transport := client.WithHTTPClient(&http.Client{Transport: service})
	t.Setenv("EARSHOT_API_KEY", "key\n")
	for _, address := range []string{"", "http://service.test/"} {
		t.Setenv("EARSHOT_URL", address)
		c, err := client.FromEnv(transport)
		if err != nil {
			t.Fatal(err)
		}
		if err := reading(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if got := service.sent[1]; got.line != "GET /v1/credits" || got.header.Get("Authorization") != "Bearer key" {
		t.Errorf("it sent %+v", got)
	}
	t.Setenv("EARSHOT_URL", "nowhere")
	if c, err := client.FromEnv(); err == nil {
		t.Errorf("an invalid URL is accepted: %v", c)
	}
	t.Setenv("EARSHOT_API_KEY", "")
	if _, err := client.FromEnv(); err == nil || !strings.Contains(err.Error(), "EARSHOT_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}

// notCalled are the operations without a method; the package comment lists them.
var notCalled = []string{
	"POST /v1/session", "PATCH /v1/session", "DELETE /v1/session", "PUT /v1/session/password", "POST /v1/invitation", "POST /v1/invitation/accept", "GET /healthz", "GET /metrics", "GET /openapi.json", "GET /v1/health/unparsed/{id}", "GET /captures/{id}/{page}",
}

func TestEveryDocumentedOperationHasAMethod(t *testing.T) {
	t.Parallel()
	text, err := app.OpenAPI(app.Providers())
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			documented[method+" "+path] = true
		}
	}
	for _, operation := range notCalled {
		if !documented[operation] {
			t.Errorf("%s is not documented", operation)
		}
		delete(documented, operation)
	}
	for _, line := range everything(t) {
		delete(documented, line)
	}
	if missing := slices.Sorted(maps.Keys(documented)); len(missing) > 0 {
		t.Errorf("no method calls %q", missing)
	}
}

// ask calls the method of a provider.
func ask(t *testing.T, c *client.Client, about provider.Definition, request reflect.Value) (result any, usage client.Usage, err error) {
	t.Helper()
	method := reflect.ValueOf(c).MethodByName(about.TypeName())
	if !method.IsValid() {
		t.Fatalf("the client has no method %s", about.TypeName())
	}
	returned := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
	usage, _ = returned[1].Interface().(client.Usage)
	err, _ = returned[2].Interface().(error)
	return returned[0].Interface(), usage, err
}

// everything calls every method, and returns the operations that were called.
func everything(t *testing.T) []string {
	t.Helper()
	c, service := answering(says(200, `{}`))
	for _, p := range app.Providers() {
		callMethod(t, c, p.Definition().TypeName(), "")
	}
	for _, o := range api.Operations(nil) {
		if o.Client.Name != "" {
			callMethod(t, c, o.Client.Name, o.Path)
		}
	}
	ctx := t.Context()
	_, _ = c.Submit(ctx, earshot.TaskRequest{})
	_, _ = c.SubmitBatch(ctx, nil)
	_, _ = c.Quote(ctx)
	_, _ = c.Usage(ctx, time.Now(), time.Now())
	_ = c.Ready(ctx)
	for _, err := range c.BatchResults(ctx, "{id}") {
		_ = err
	}
	for range c.Live(ctx) {
		break
	}
	_, _ = c.ApplyTracker(ctx, "{name}", nil, false)
	_, _ = c.PauseTracker(ctx, "{name}")
	_, _ = c.StartSweep(ctx, "{name}", "")
	_, _ = c.Export(ctx, "{name}", earshot.ExportQuery{})
	_, _ = c.Report(ctx, "{name}", earshot.ReportQuery{})
	var operations []string
	for _, line := range service.lines() {
		operation := regexp.MustCompile(`\?.*`).ReplaceAllString(line, "")
		operations = append(operations, strings.NewReplacer("%7B", "{", "%7D", "}").Replace(operation))
	}
	return operations
}

// callMethod calls a generated method. String parameters are the parts of the path in
// braces, then empty; an iterator is read up to its first item.
func callMethod(t *testing.T, c *client.Client, name, path string) {
	t.Helper()
	method := reflect.ValueOf(c).MethodByName(name)
	if !method.IsValid() {
		t.Fatalf("the client has no method %s", name)
	}
	parts := regexp.MustCompile(`\{\w+\}`).FindAllString(path, -1)
	arguments := []reflect.Value{reflect.ValueOf(t.Context())}
	count := method.Type().NumIn()
	if method.Type().IsVariadic() {
		count-- // options may be left out
	}
	for i := 1; i < count; i++ {
		argument := reflect.New(method.Type().In(i)).Elem()
		if argument.Kind() == reflect.String && len(parts) > 0 {
			argument.SetString(parts[0])
			parts = parts[1:]
		}
		arguments = append(arguments, argument)
	}
	if result := method.Call(arguments)[0]; result.Kind() == reflect.Func {
		for range result.Seq2() {
			break
		}
	}
}

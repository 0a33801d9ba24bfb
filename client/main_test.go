package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store/orgs"
)

var (
	secret   string // the webhook secret of the running service
	adminKey string // a key with the scope admin, which the first key lacks
)

// TestMain runs a service for the examples and for the end-to-end tests, which find it by
// the environment variables, as a program would.
func TestMain(m *testing.M) {
	code, err := serve(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func serve(run func() int) (code int, err error) {
	data, err := os.MkdirTemp("", "earshot-client")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(data) //nolint:errcheck // the system clears what is left
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	cfg := app.Config{
		Listen: "127.0.0.1:0", Data: data, AllowPrivateWebhooks: true, Getenv: func(string) string { return "" },
		Backoff: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond},
	}
	service, err := app.New(ctx, cfg)
	if err != nil {
		return 0, err
	}
	if adminKey, err = makeAdminKey(ctx, cfg, service.First.Organization.ID); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	secret = service.First.WebhookSecret
	for name, value := range map[string]string{"EARSHOT_URL": service.BaseURL, "EARSHOT_API_KEY": service.First.Key.Text} {
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
	}
	code = run()
	stop()
	return code, <-ended
}

func makeAdminKey(ctx context.Context, cfg app.Config, organization string) (string, error) {
	s, err := app.OpenStore(ctx, cfg, false)
	if err != nil {
		return "", err
	}
	key := account.NewKey()
	err = orgs.New(s).CreateKey(organization, key, []account.Scope{account.ScopeAdmin}, time.Time{}, account.Operator(), time.Now())
	return key.Text, errors.Join(err, s.Close())
}

// running returns a client of the running service.
func running(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

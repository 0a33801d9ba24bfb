package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"earshot"
	"earshot/client"
)

// served starts a server and returns its address and first key.
func served(t *testing.T, args ...string) (base, key string) {
	t.Helper()
	text := serving(t, args...)
	return regexp.MustCompile(`Dashboard: (\S+)/`).FindStringSubmatch(text)[1], regexp.MustCompile(`ear_live_\w+`).FindString(text)
}

// listening runs the command until the test ends and returns its lines.
func listening(t *testing.T, args ...string) *bufio.Scanner {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	output, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"listen", "--every", "10ms"}, args...), printed, io.Discard) }()
	t.Cleanup(func() {
		stop()
		_ = output.Close() // it may wait for somebody to read
		if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("listen: %v", err)
		}
	})
	return bufio.NewScanner(output)
}

func TestListenPrintsFinishedTasks(t *testing.T) {
	t.Parallel()
	base, key := served(t, "--data", newData(t))
	api := client.New(base, key)
	submit := func(prompt string) string {
		task, err := api.Submit(t.Context(), earshot.TaskRequest{
			TaskType: "CHATASSISTANT", Payload: earshot.ChatAssistantRequest{Prompt: prompt, Country: "US"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return task.Task.ID
	}
	whole := listening(t, "--url", base, "--api-key", key, "--cursor", "", "--json")
	short := listening(t, "--url", base, "--api-key", key, "--cursor", "")
	for range 2 {
		id := submit("shoes")
		var event earshot.TaskRecord
		if !whole.Scan() || json.Unmarshal(whole.Bytes(), &event) != nil || event.Task.ID != id || len(event.Result) == 0 {
			t.Fatalf("listen --json printed %s", whole.Text())
		}
		if !short.Scan() || !strings.Contains(short.Text(), id) || !strings.Contains(short.Text(), "5 credits") || !strings.HasSuffix(short.Text(), "  shoes") {
			t.Fatalf("listen printed %s", short.Text())
		}
	}
}

func TestListenWithAWrongKeyEnds(t *testing.T) {
	t.Parallel()
	base, _ := served(t, "--data", newData(t))
	if _, err := earshotCommand(t, "listen", "--url", base, "--api-key", "ear_live_wrong"); err == nil || !strings.Contains(err.Error(), "EARSHOT_API_KEY") {
		t.Errorf("it ended with %v", err)
	}
}

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	data := newData(t)
	serving(t, "--data", data)
	created := decoded(t, mustRun(t, "--data", data, "org", "create", "acme", "--json"))
	rotated := decoded(t, mustRun(t, "--data", data, "webhook", "rotate", "--org", "acme", "--json"))
	if !strings.HasPrefix(rotated.WebhookSecret, "whsec_") || rotated.WebhookSecret == created.WebhookSecret {
		t.Errorf("it printed %+v", rotated)
	}
	if _, err := earshotCommand(t, "--data", data, "webhook", "rotate", "--org", "nobody"); err == nil {
		t.Error("the secret of an organization that does not exist was rotated")
	}
}

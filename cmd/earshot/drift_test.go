package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/health"
	"earshot/internal/store/outbound"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/capture"
)

func TestDrift(t *testing.T) {
	t.Parallel()
	data := newData(t)
	if text := mustRun(t, "--data", data, "drift"); text != "no pages were kept\n" {
		t.Errorf("drift printed %s", text)
	}
	kept, err := capture.OpenKept(t.Context(), "", filepath.Join(data, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, filepath.Join(data, "earshot.db"))
	w := health.New(outbound.New(s.DB), kept, func(err error) { t.Error(err) })
	now := time.Now()
	if err := w.Check(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	w.Unreadable(health.Document{Provider: "websearch", Surface: earshot.SurfaceWeb, Pages: [][]byte{[]byte("<p>new")}}, now)
	w.Flush()
	if err := w.Check(t.Context(), now.Add(2*time.Hour)); err != nil { // makes a detector
		t.Fatal(err)
	}
	if text := mustRun(t, "--data", data, "drift"); strings.Count(text, "\n") != 1 || !strings.Contains(text, "websearch/web") || !strings.HasSuffix(text, "unreadable\n") {
		t.Errorf("drift printed %q", text)
	}
	var page listedPage
	text := mustRun(t, "--data", data, "drift", "--json", "--save", filepath.Join(data, "saved"))
	if err := json.Unmarshal([]byte(text), &page); err != nil || page.Reason != health.ReasonUnreadable || len(page.Files) != 1 {
		t.Fatalf("drift --json printed %s, %v", text, err)
	}
	if saved, err := os.ReadFile(page.Files[0]); err != nil || string(saved) != "<p>new" {
		t.Errorf("saved %q, %v", saved, err)
	}
	if text := mustRun(t, "--data", data, "drift", "--acknowledge", "websearch/web"); text != "the alarms are closed\n" {
		t.Errorf("drift --acknowledge printed %q", text)
	}
	if _, err := earshotCommand(t, "--data", data, "drift", "--acknowledge", "websearch"); err == nil || !strings.Contains(err.Error(), "websearch/web") {
		t.Errorf("a provider without a surface: %v", err)
	}
}

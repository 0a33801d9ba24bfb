package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOperatorsOfTheServiceAtAURL(t *testing.T) {
	t.Parallel()
	here, there := newData(t), newData(t)
	serving(t, "--data", here)
	mustRun(t, "--data", here, "org", "create", "here")
	base, ordinary := served(t, "--data", there)
	made := decoded(t, mustRun(t, "--data", there, "key", "create", "--operator", "--name", "far", "--json"))
	if made.Key == "" || made.Organization.ID != "" {
		t.Errorf("the operator key is %+v", made)
	}
	at := func(key string, args ...string) (string, error) {
		return earshotCommand(t, append([]string{"--data", here}, append(args, "--url", base, "--api-key", key)...)...)
	}
	text, err := at(made.Key, "org", "list")
	if err != nil || !strings.Contains(text, "default") || strings.Contains(text, "here") {
		t.Errorf("the organizations at the URL: %v\n%s", err, text)
	}
	if _, err := at(made.Key, "key", "create", "--org", "default", "--name", "near"); err != nil {
		t.Errorf("a key of an organization at the URL: %v", err)
	}
	for _, args := range [][]string{{"org", "list"}, {"key", "list"}, {"user", "list"}} {
		if _, err := at(ordinary, args...); err == nil || !strings.Contains(err.Error(), "operator key of "+base) {
			t.Errorf("earshot %v with an ordinary key: %v", args, err)
		}
		if _, err := at("", args...); err == nil || !strings.Contains(err.Error(), "EARSHOT_API_KEY") {
			t.Errorf("earshot %v without a key: %v", args, err)
		}
		// The socket belongs to the service at the URL.
		if _, err := earshotCommand(t, append([]string{"--data", there}, append(args, "--url", base+"/")...)...); err != nil {
			t.Errorf("earshot %v on the socket: %v", args, err)
		}
	}
	log := mustRun(t, "--data", there, "audit-log", "--org", "default", "--actor", "far")
	wants(t, log, "key.create", "127.0.0.1")
	wants(t, mustRun(t, "--data", filepath.Clean(there), "audit-log"), "  operator  ")
}

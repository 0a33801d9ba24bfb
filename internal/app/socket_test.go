package app

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestSocketsOfNodesThatShareAFolder(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	open := func(want string) *socket {
		t.Helper()
		s, err := openSocket(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		info, err := os.Stat(filepath.Join(data, want))
		if err != nil || info.Mode() != os.ModeSocket|0o600 {
			t.Fatalf("%s is %v, %v", want, info, err)
		}
		return s
	}
	first := open("earshot.sock")
	second := open("earshot-2.sock")
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	open("earshot.sock")
	if err := second.Listener.Close(); err != nil { // as if the node was killed
		t.Error(err)
	}
	open("earshot-2.sock")
	found, err := filepath.Glob(filepath.Join(data, "*"))
	hidden, _ := filepath.Glob(filepath.Join(data, ".*"))
	if err != nil || len(found) != 2 || len(hidden) != 0 {
		t.Errorf("the folder has %v and %v, %v", found, hidden, err)
	}
}

func TestNobodyConnectsWithoutANode(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: socketPath(data, 1)})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	_ = left.Close()
	if client, err := OnSocket(t.Context(), data, ""); client != nil || err != nil {
		t.Errorf("there is a client of a node that has ended: %v", err)
	}
}

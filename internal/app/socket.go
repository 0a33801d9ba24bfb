package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// socket is the operator's socket in the data folder.
type socket struct {
	net.Listener

	path string
}

// maxSockets limits the nodes that share a data folder on one machine.
const maxSockets = 32

// socketPath returns the path of the socket of the nth node that uses the data folder.
func socketPath(data string, n int) string {
	if n == 1 {
		return filepath.Join(data, "earshot.sock")
	}
	return filepath.Join(data, fmt.Sprintf("earshot-%d.sock", n))
}

// openSocket listens on a socket in the data folder that no other node uses. Only the user of the
// service can open it.
func openSocket(ctx context.Context, data string) (*socket, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	for n := 1; n <= maxSockets; n++ {
		path := socketPath(data, n)
		if conn, err := dialSocket(ctx, path); err == nil {
			_ = conn.Close() // of another node
			continue
		}
		return listenOn(ctx, path)
	}
	return nil, fmt.Errorf("%d other nodes use the data folder", maxSockets)
}

// listenOn listens on a socket that it creates in a folder of its own and then moves to path. So nobody
// can connect before the permissions are set, and a socket that an earlier node left is replaced.
func listenOn(ctx context.Context, path string) (_ *socket, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is empty
	own := filepath.Join(dir, "s")
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", own)
	if err != nil {
		return nil, err
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // close removes path
	}
	if err = os.Chmod(own, 0o600); err == nil {
		err = os.Rename(own, path)
	}
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	return &socket{listener, path}, nil
}

// Close stops listening and removes the socket.
func (s *socket) Close() error {
	_ = os.Remove(s.path) // it may be removed already
	return s.Listener.Close()
}

// dialSocket connects to a node on the same machine.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	return dialer.DialContext(ctx, "unix", path)
}

// OnSocket returns an HTTP client for a node on this machine that uses the data folder. If url is not "", it must be the URL of the node. The client is nil if no such node
// runs.
func OnSocket(ctx context.Context, data, url string) (*http.Client, error) {
	for n := 1; n <= maxSockets; n++ {
		path := socketPath(data, n)
		client := &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialSocket(ctx, path) }, DisableKeepAlives: true,
		}}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://earshot/healthz", http.NoBody)
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if url == "" || url == response.Header.Get("Earshot-Url") {
			return client, nil
		}
	}
	return nil, nil
}

// Command dex runs Dex, an OpenID Connect identity provider, for tests. It keeps everything in
// memory, listens on loopback addresses, prints them as one JSON object, and ends when its
// standard input is closed. Tests change it through its control address:
//
//	PUT /users/{id}     {"email", "verified", "name", "password", "groups"}: adds or changes a user
//	DELETE /users/{id}  removes a user
//	PUT /redirect       the body is an address to which the client may redirect
//	POST /rotate        replaces the signing key and forgets the old one
//	PUT /down           the body is a path; requests of it and below it get no answer
//	DELETE /down        all requests get answers again
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
)

// The client that tests use.
const (
	clientID     = "earshot"
	clientSecret = "a secret with / and +"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "dex:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	issuing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	controlling, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d, err := newDex(ctx, "http://"+issuing.Addr().String()+"/dex")
	if err != nil {
		return err
	}
	failed := make(chan error, 3)
	go func() { failed <- http.Serve(issuing, d) }()
	go func() { failed <- http.Serve(controlling, d.control()) }()
	err = json.NewEncoder(os.Stdout).Encode(map[string]string{
		"issuer": d.issuer, "control": "http://" + controlling.Addr().String(),
		"clientId": clientID, "clientSecret": clientSecret,
	})
	if err != nil {
		return err
	}
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		failed <- err
	}()
	return <-failed
}

// dex is a running Dex.
type dex struct {
	issuer string
	log    *slog.Logger
	store  storage.Storage
	users  users
	down   atomic.Value // path without answers; "" for none
	server atomic.Pointer[server.Server]
}

func newDex(ctx context.Context, issuer string) (*dex, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d := &dex{issuer: issuer, log: log, store: memory.New(log), users: users{byID: map[string]user{}}}
	server.ConnectorsConfig = map[string]func() server.ConnectorConfig{
		"users": func() server.ConnectorConfig { return &d.users },
	}
	if err := d.store.CreateConnector(ctx, storage.Connector{ID: "users", Type: "users", Name: "Users"}); err != nil {
		return nil, err
	}
	if err := d.store.CreateClient(ctx, storage.Client{ID: clientID, Secret: clientSecret, Name: "Earshot"}); err != nil {
		return nil, err
	}
	err := d.serve(ctx)
	return d, err
}

// serve replaces the server by a new one with the same storage.
func (d *dex) serve(ctx context.Context) error {
	policy, err := server.NewRefreshTokenPolicy(d.log, false, "", "", "")
	if err != nil {
		return err
	}
	s, err := server.NewServer(context.WithoutCancel(ctx), server.Config{
		Issuer: d.issuer, Storage: d.store, Logger: d.log,
		SkipApprovalScreen: true, RefreshTokenPolicy: policy,
	})
	d.server.Store(s)
	return err
}

// rotate replaces the signing key. A server caches its keys, and a new server makes a
// missing key.
func (d *dex) rotate(ctx context.Context) error {
	err := d.store.UpdateKeys(func(storage.Keys) (storage.Keys, error) { return storage.Keys{}, nil })
	if err != nil {
		return err
	}
	return d.serve(ctx)
}

// ServeHTTP serves the issuer.
func (d *dex) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path, _ := d.down.Load().(string); path != "" && strings.HasPrefix(r.URL.Path, "/dex"+path) {
		panic(http.ErrAbortHandler)
	}
	d.server.Load().ServeHTTP(w, r)
}

func (d *dex) control() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(*http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
		})
	}
	handle("PUT /users/{id}", func(r *http.Request) error {
		var u user
		err := json.NewDecoder(r.Body).Decode(&u)
		d.users.change(func(byID map[string]user) { byID[r.PathValue("id")] = u })
		return err
	})
	handle("DELETE /users/{id}", func(r *http.Request) error {
		d.users.change(func(byID map[string]user) { delete(byID, r.PathValue("id")) })
		return nil
	})
	handle("PUT /redirect", func(r *http.Request) error {
		address, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return d.store.UpdateClient(clientID, func(c storage.Client) (storage.Client, error) {
			c.RedirectURIs = append(c.RedirectURIs, string(address))
			return c, nil
		})
	})
	handle("POST /rotate", func(r *http.Request) error { return d.rotate(r.Context()) })
	handle("PUT /down", func(r *http.Request) error {
		path, err := io.ReadAll(r.Body)
		d.down.Store(string(path))
		return err
	})
	handle("DELETE /down", func(*http.Request) error { d.down.Store(""); return nil })
	return mux
}

// user is a person with a password.
type user struct {
	Email    string   `json:"email"`
	Verified bool     `json:"verified"`
	Name     string   `json:"name"`
	Password string   `json:"password"`
	Groups   []string `json:"groups"`
}

// users is a Dex connector whose users have groups, unlike the users of Dex's own password
// database. A user signs in with id and password.
type users struct {
	mu   sync.Mutex
	byID map[string]user
}

func (all *users) change(do func(byID map[string]user)) {
	all.mu.Lock()
	defer all.mu.Unlock()
	do(all.byID)
}

func (all *users) find(id string) (u user, identity connector.Identity, found bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	u, found = all.byID[id]
	return u, connector.Identity{
		UserID: id, Username: u.Name, PreferredUsername: id,
		Email: u.Email, EmailVerified: u.Verified, Groups: u.Groups,
	}, found
}

// Open implements server.ConnectorConfig.
func (all *users) Open(string, *slog.Logger) (connector.Connector, error) { return all, nil }

// Prompt implements connector.PasswordConnector.
func (all *users) Prompt() string { return "Name" }

// Login implements connector.PasswordConnector.
func (all *users) Login(_ context.Context, _ connector.Scopes, id, password string) (connector.Identity, bool, error) {
	u, identity, found := all.find(id)
	return identity, found && u.Password == password, nil
}

// Refresh implements connector.RefreshConnector.
func (all *users) Refresh(_ context.Context, _ connector.Scopes, old connector.Identity) (connector.Identity, error) {
	_, identity, found := all.find(old.UserID)
	if !found {
		return old, errors.New("user not found")
	}
	return identity, nil
}

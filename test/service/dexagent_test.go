package service_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"earshot"
	"earshot/test/harness"
	"earshot/test/harness/dex"
)

// token returns an access token of a user, which an agent gets with its own client.
func (w *world) token(t *testing.T, user string) string {
	t.Helper()
	const back = "http://127.0.0.1:1/back"
	w.dex.AllowRedirect(t, back)
	client := oauth2.Config{
		ClientID: w.dex.ClientID, ClientSecret: w.dex.ClientSecret, RedirectURL: back, Scopes: []string{"openid", "email", "profile", "groups"},
		Endpoint: oauth2.Endpoint{AuthURL: w.dex.Issuer + "/auth", TokenURL: w.dex.Issuer + "/token"},
	}
	code := w.dex.SignIn(t, client.AuthCodeURL("state"), user).Query().Get("code")
	token, err := client.Exchange(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	return token.AccessToken
}

// agent sends a call of a tool with a bearer token.
func agent(t *testing.T, n *harness.Node, path, token, tool string) *harness.Reply {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	req := n.Request(t.Context(), t, nil, http.MethodPost, path, body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return harness.Do(t, req)
}

// An agent finds the identity provider, signs its user in there, and may do what the user's role allows.
func TestAgentSignsInWithTheIdentityProvider(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		refused := agent(t, w.node, "/mcp", "", "usage")
		refused.Fails(t, "without a token", http.StatusUnauthorized, earshot.CodeMissingKey)
		_, address, _ := strings.Cut(refused.Header.Get("WWW-Authenticate"), `Bearer resource_metadata="`+w.node.BaseURL)
		var resource struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
		}
		for _, path := range []string{strings.TrimSuffix(address, `"`), "/.well-known/oauth-protected-resource"} {
			w.node.Get(t, nil, path).Has(t, path, http.StatusOK).Into(t, &resource)
			if resource.Resource != w.node.BaseURL+"/mcp" || len(resource.Servers) != 1 || resource.Servers[0] != w.dex.Issuer {
				t.Errorf("%s is %+v", path, resource)
			}
		}

		w.dex.SetUser(t, "ann", dex.User{Email: "ann@acme.example", Verified: true, Groups: []string{"staff"}})
		token := w.token(t, "ann")
		if reply := agent(t, w.node, "/mcp", token, "usage"); reply.StatusCode != http.StatusOK || !strings.Contains(string(reply.Body), "credits left") {
			t.Fatalf("ann gets %d %s", reply.StatusCode, reply.Body)
		}
		// A viewer may not run sweeps, and the token opens nothing but the tools.
		agent(t, w.other, "/mcp", token, "trackers").Has(t, "on the other node", http.StatusOK)
		client := &http.Client{Transport: bearer(token)}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
			Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: w.node.BaseURL + "/mcp", HTTPClient: client, MaxRetries: -1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 14 {
			t.Errorf("ann has %d tools (%v)", len(list.Tools), err)
		}
		called, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_sweep", Arguments: json.RawMessage(`{"tracker":"x"}`)})
		if err != nil || !called.IsError || !strings.Contains(harness.JSON(t, called), "the role editor") {
			t.Errorf("a sweep: %v %v", called, err)
		}
		agent(t, w.node, "/v1/credits", token, "usage").Fails(t, "the API with a token", http.StatusUnauthorized, earshot.CodeInvalidKey)
		agent(t, w.node, "/mcp", token[:len(token)-4]+"AAAA", "usage").Fails(t, "another signature", http.StatusUnauthorized, earshot.CodeInvalidKey)

		// The session is listed, and ends for good when it is revoked.
		var sessions earshot.SessionList
		w.node.Get(t, w.acme, "/v1/sessions").Into(t, &sessions)
		if len(sessions.Sessions) != 1 || sessions.Sessions[0].Email != "ann@acme.example" {
			t.Fatalf("the sessions are %+v", sessions)
		}
		w.node.Send(t, w.acme, http.MethodDelete, "/v1/sessions/"+sessions.Sessions[0].ID, "").Has(t, "revoke", http.StatusOK)
		for _, n := range []*harness.Node{w.node, w.other} {
			harness.Eventually(t, "the token is refused", func() bool {
				return agent(t, n, "/mcp", token, "usage").StatusCode == http.StatusUnauthorized
			})
		}

		// A user without a role, and a key.
		w.dex.SetUser(t, "kim", dex.User{Email: "kim@acme.example", Verified: true})
		agent(t, w.node, "/mcp", w.token(t, "kim"), "usage").Fails(t, "without a role", http.StatusForbidden, earshot.CodeNoPermission)
		if reply := agent(t, w.node, "/mcp", w.acme.Key.Text, "usage"); reply.StatusCode != http.StatusOK {
			t.Errorf("with a key: %d %s", reply.StatusCode, reply.Body)
		}
	})
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	r.Close = true
	return http.DefaultTransport.RoundTrip(r)
}

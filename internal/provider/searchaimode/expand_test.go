package searchaimode_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// engineWith returns a session with the lab's engine in which the handler serves the offers.
func engineWith(t *testing.T, offers http.HandlerFunc) *upstream.Session {
	t.Helper()
	rest := lab.Handler(labsite.Site())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = aimode.Engine.Host
		if strings.HasPrefix(r.URL.Path, "/async/") && offers != nil {
			offers(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceLab, Sites: map[string]string{"search": server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client.NewSession(1, "")
}

const expandFour = `{"prompt":"tents","include":{"expandProducts":true}}`

func TestClusterWithoutOffersIsNotReturned(t *testing.T) {
	t.Parallel()
	rest := lab.Handler(labsite.Site())
	session := engineWith(t, func(w http.ResponseWriter, r *http.Request) {
		switch id := r.URL.Query().Get("cluster"); id[len(id)-1] {
		case '0':
			http.Error(w, "no", http.StatusInternalServerError)
		case '1': // nothing at all
		case '2':
			_, _ = w.Write([]byte(`<div data-attrid="product-card" data-product-id="other"><b data-attrid="product-title">x</b><i data-attrid="product-offer"></i></div>`))
		default:
			rest.ServeHTTP(w, r)
		}
	})
	outcome, err := providertest.Decode(t, aimode, expandFour).Ask(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, outcome.Result)
	if n := len(providertest.Answer(t, outcome.Result).ProductResults); n != 1 || outcome.Bill["cluster"] != 1 {
		t.Errorf("%d clusters returned, %d billed", n, outcome.Bill["cluster"])
	}
}

func TestOffersEndWithTheAttempt(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	session := engineWith(t, func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	})
	if _, err := providertest.Decode(t, aimode, expandFour).Ask(ctx, session); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

package providertest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider"
)

// Body returns a request body with the given prompt and country.
type Body func(prompt, country string) string

// AgainstLab asks the provider through the lab, with every word that steers the lab.
func AgainstLab(t *testing.T, p provider.Provider, body Body) {
	t.Helper()
	l := StartLab(t, p)
	t.Run("normal", func(t *testing.T) { normal(t, l, p, body) })
	t.Run("countries", func(t *testing.T) { countries(t, l, p, body) })
	for word, want := range map[string]earshot.Reason{
		"[[block]]":      earshot.ReasonBlocked,
		"[[status=403]]": earshot.ReasonBlocked,
		"[[status=429]]": earshot.ReasonBlocked,
		"[[status=503]]": earshot.ReasonUnavailable,
		"[[status=200]]": earshot.ReasonUnreadable,
		"[[fail=1]]":     earshot.ReasonUnavailable,
		"[[cut]]":        earshot.ReasonUnavailable,
		"[[garbage]]":    earshot.ReasonUnreadable,
		"[[huge]]":       earshot.ReasonUnreadable,
		"[[empty]]":      earshot.ReasonEmpty,
	} {
		t.Run(word, func(t *testing.T) {
			_, err := l.Ask(t, p, body("kettles "+word, "US"))
			if err == nil || Reason(t, err) != string(want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	t.Run("second attempt", func(t *testing.T) {
		request := Decode(t, p, body("kettles [[fail=1]]", "US"))
		if _, err := request.Ask(t.Context(), l.Session(2)); err != nil {
			t.Error(err)
		}
	})
	t.Run("hang", func(t *testing.T) { hang(t, l, p, body) })
}

// normal checks that the answer is good, and that asking again gives the same answer, even if it is
// slow.
func normal(t *testing.T, l *Lab, p provider.Provider, body Body) {
	t.Helper()
	first, err := l.Ask(t, p, body("kettles", "US"))
	if err != nil {
		t.Fatal(err)
	}
	Check(t, first.Result)
	for _, prompt := range []string{"kettles", "kettles [[delay=1ms]]", "[[drip=10us]] kettles"} {
		again, err := l.Ask(t, p, body(prompt, "US"))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first.Result, again.Result) { // faster than cmp.Diff for equal values
			t.Errorf("%s: the same question got a different answer:\n%s", prompt, cmp.Diff(first.Result, again.Result))
		}
	}
}

// countries checks that the answers in all countries are good, and differ from the one in the US.
func countries(t *testing.T, l *Lab, p provider.Provider, body Body) {
	t.Helper()
	home, err := l.Ask(t, p, body("kettles", "US"))
	if err != nil {
		t.Fatal(err)
	}
	for _, country := range []string{"AU", "BR", "CH", "DE", "ES", "FR", "GB", "IN", "IT", "JP", "NL", "PT", "SE", "ZA"} {
		abroad, err := l.Ask(t, p, body("kettles", country))
		if err != nil {
			t.Errorf("%s: %v", country, err)
			continue
		}
		Check(t, abroad.Result)
		if reflect.DeepEqual(home.Result, abroad.Result) {
			t.Errorf("the answer is the same in US and %s", country)
		}
	}
}

// hang checks that a timeout counts as a failure of the upstream, and a cancellation does not.
func hang(t *testing.T, l *Lab, p provider.Provider, body Body) {
	t.Helper()
	request := Decode(t, p, body("[[hang]]", "US"))
	late, done := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer done()
	if _, err := request.Ask(late, l.Session(1)); err == nil || Reason(t, err) != string(earshot.ReasonTimeout) {
		t.Errorf("after its deadline: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := request.Ask(gone, l.Session(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

package service_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"earshot"
	"earshot/test/harness"
)

// TestTrackersAreReadWhileTheyRun reads the numbers of trackers in every form while their sweeps run
// and their rules change, so that the race detector sees what these have in common.
func TestTrackersAreReadWhileTheyRun(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		const path = "/v1/trackers/hats"
		apply := func(title string) {
			n.Send(t, a, http.MethodPut, path, fmt.Sprintf(`{"title":%q,"brands":[{"name":"Ollaro"},{"name":%q}],"prompts":["best hats","hats for rain"],
				"targets":[{"provider":"chatassistant","country":"US"},{"provider":"websearch","country":"DE"}]}`, title, title)).Has(t, "apply", http.StatusOK)
		}
		apply("Kestrin")
		ended := make(chan struct{})
		var readers sync.WaitGroup
		for i := range 6 {
			readers.Go(func() {
				for {
					for _, query := range []string{"/metrics?by=brand", "/metrics?by=sweep", "/compare", "/sources?by=url", "/answers?brand=Ollaro", "/report?format=html"} {
						select {
						case <-ended:
							return
						default:
						}
						node := []*harness.Node{n, other}[i%2]
						harness.Do(t, node.Request(t.Context(), t, a, http.MethodGet, path+query, "")).Has(t, query, http.StatusOK)
					}
				}
			})
		}
		for round := range 2 {
			var started earshot.SweepStarted
			n.Post(t, a, path+"/sweeps", `{}`).Into(t, &started)
			harness.Eventually(t, "the sweep ends", func() bool {
				var sweep earshot.Sweep
				other.Get(t, a, path+"/sweeps/"+started.Sweep.ID).Into(t, &sweep)
				return sweep.State == earshot.SweepClosed
			})
			apply([]string{"Nordvale", "Velquist"}[round])
		}
		close(ended)
		readers.Wait()
	})
}

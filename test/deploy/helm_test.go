package deploy

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// TestHelmChart runs the tests in test/helm, which is a module of its own because Helm has
// many dependencies.
func TestHelmChart(t *testing.T) {
	t.Parallel()
	// Without optimisation, the types of Kubernetes compile in half of the time.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // with an empty build cache
	defer cancel()
	command := exec.CommandContext(ctx, "go", "test", "-vet=off", "-gcflags=k8s.io/...=-N -l", "./...")
	command.Dir, command.WaitDelay = "../helm", time.Second
	if text, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

package deploy

import (
	"os/exec"
	"testing"
)

// TestHelmChart runs the tests in test/helm, which is a module of its own because Helm has
// many dependencies.
func TestHelmChart(t *testing.T) {
	t.Parallel()
	// Without optimisation, the types of Kubernetes compile in half of the time.
	command := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-gcflags=k8s.io/...=-N -l", "./...")
	command.Dir = "../helm"
	if text, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

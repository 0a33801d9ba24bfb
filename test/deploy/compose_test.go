package deploy

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const composeDir = "../../deploy/compose/"

// TestComposeFile checks the file without Docker, which CI does not have.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	type service struct {
		Image string
		Build struct {
			Context, Target string
			Args            map[string]string
		}
		EnvFile         []string `yaml:"env_file"`
		Environment     map[string]string
		Ports           []string
		Volumes         []string
		DependsOn       map[string]struct{ Condition string } `yaml:"depends_on"`
		StopGracePeriod string                                `yaml:"stop_grace_period"`
		Restart         string
		ReadOnly        bool `yaml:"read_only"`
		Tmpfs           []string
		CapDrop         []string `yaml:"cap_drop"`
		CapAdd          []string `yaml:"cap_add"`
		SecurityOpt     []string `yaml:"security_opt"`
	}
	var file struct {
		Services struct{ Earshot, Caddy service }
		Networks struct {
			Default struct {
				Ipam struct{ Config []struct{ Subnet string } }
			}
		}
		Volumes map[string]any
	}
	if err := yaml.UnmarshalWithOptions(read(t, composeDir+"compose.yaml"), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	node, front := file.Services.Earshot, file.Services.Caddy
	for name, s := range map[string]service{"earshot": node, "caddy": front} {
		if s.Image == "" || !s.ReadOnly || strings.Join(s.CapDrop, "") != "ALL" || s.Restart == "" {
			t.Errorf("%s is not restricted: %+v", name, s)
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, named := file.Volumes[source]; named {
				continue
			}
			if _, err := os.Stat(composeDir + source); err != nil {
				t.Errorf("%s mounts %s: %v", name, source, err)
			}
		}
	}
	settings := string(read(t, "../../docs/settings.md"))
	for name := range node.Environment {
		flag := "- `--" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "EARSHOT_"), "_", "-")) + "`"
		if !strings.Contains(settings, flag) {
			t.Errorf("there is no setting for %s", name)
		}
	}
	if dockerfile := read(t, composeDir+node.Build.Context+"/Dockerfile"); !strings.Contains(string(dockerfile), " AS "+node.Build.Target+"\n") {
		t.Errorf("the Dockerfile has no stage %s", node.Build.Target)
	}
	if len(node.Ports) > 0 || node.Environment["EARSHOT_TRUSTED_PROXIES"] != file.Networks.Default.Ipam.Config[0].Subnet {
		t.Errorf("others than Caddy may name clients: ports %v, %v", node.Ports, node.Environment)
	}
	if _, waits := front.DependsOn["earshot"]; !waits || front.Environment["DOMAIN"] == "" {
		t.Errorf("Caddy is started with %v after %v", front.Environment, front.DependsOn)
	}
}

// Package helm tests the Helm chart: Helm's linter checks it, Helm's engine renders it with
// each file of testdata, and the documents must have the types of the Kubernetes API.
package helm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestChart(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		objects  []string
		strategy apps.DeploymentStrategyType
	}{
		"sqlite.yaml": {
			[]string{"Deployment test-earshot", "PersistentVolumeClaim test-earshot", "Service test-earshot", "ServiceAccount test-earshot"},
			apps.RecreateDeploymentStrategyType,
		},
		"postgres.yaml": {
			[]string{"Deployment test-earshot", "PodDisruptionBudget test-earshot", "Service test-earshot", "ServiceAccount test-earshot"},
			apps.RollingUpdateDeploymentStrategyType,
		},
		"roles.yaml": {
			[]string{
				"Deployment test-earshot-api", "Deployment test-earshot-worker", "PersistentVolumeClaim test-earshot",
				"Secret test-earshot-database", "Service test-earshot", "ServiceAccount test-earshot",
			},
			apps.RollingUpdateDeploymentStrategyType,
		},
		"ingress.yaml": {
			[]string{
				"Deployment test-earshot", "Ingress test-earshot", "PersistentVolumeClaim test-earshot", "Service test-earshot",
				"ServiceAccount test-earshot",
			},
			apps.RecreateDeploymentStrategyType,
		},
		"secrets.yaml": {
			[]string{
				"Deployment test-earshot", "Secret test-earshot-config", "Secret test-earshot-env", "Service test-earshot",
				"ServiceAccount test-earshot",
			},
			apps.RecreateDeploymentStrategyType,
		},
		"autoscaling.yaml": {
			[]string{
				"Deployment test-earshot-api", "Deployment test-earshot-worker", "HorizontalPodAutoscaler test-earshot-api",
				"HorizontalPodAutoscaler test-earshot-worker", "Service test-earshot", "ServiceAccount test-earshot",
			},
			apps.RollingUpdateDeploymentStrategyType,
		},
		"everything.yaml": {
			[]string{
				"Deployment brand-watch-api", "Deployment brand-watch-worker", "HorizontalPodAutoscaler brand-watch-api", "Ingress brand-watch",
				"PodDisruptionBudget brand-watch-api", "PodDisruptionBudget brand-watch-worker", "PodMonitor brand-watch",
				"Secret brand-watch-config", "Secret brand-watch-database", "Secret brand-watch-env", "Service brand-watch",
			},
			apps.RollingUpdateDeploymentStrategyType,
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, message := range lint.All(chartDir, values(t, file), "apps", true).Messages {
				if message.Severity > support.InfoSev {
					t.Errorf("lint: %s", message)
				}
			}
			r := install(t, values(t, file))
			if got := r.objects(); !slices.Equal(got, want.objects) {
				t.Errorf("there are %q, want %q", got, want.objects)
			}
			if strings.Contains(r.text, "hidden-") {
				t.Errorf("a secret is outside of the secrets:\n%s", r.text)
			}
			for _, d := range r.deployments {
				if d.Spec.Strategy.Type != want.strategy {
					t.Errorf("%s is updated by %s", d.Name, d.Spec.Strategy.Type)
				}
				r.checkDeployment(t, d)
			}
			r.checkReferences(t)
		})
	}
}

// checkDeployment checks rules that hold for every node.
func (r *release) checkDeployment(t *testing.T, d *apps.Deployment) {
	t.Helper()
	pod := d.Spec.Template.Spec
	if !contains(d.Spec.Template.Labels, d.Spec.Selector.MatchLabels) {
		t.Errorf("%s does not select its pods", d.Name)
	}
	if len(pod.Containers) != 1 {
		t.Fatalf("%s has %d containers", d.Name, len(pod.Containers))
	}
	c := pod.Containers[0]
	stopping := int64(35)
	if c.Lifecycle != nil {
		stopping += c.Lifecycle.PreStop.Sleep.Seconds
	}
	if pod.TerminationGracePeriodSeconds == nil || *pod.TerminationGracePeriodSeconds < stopping {
		t.Errorf("%s is killed before it has stopped", d.Name)
	}
	if *pod.AutomountServiceAccountToken || !*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser != 65532 ||
		*pod.SecurityContext.FSGroup != 65532 || pod.SecurityContext.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault ||
		!*c.SecurityContext.ReadOnlyRootFilesystem || *c.SecurityContext.AllowPrivilegeEscalation ||
		!slices.Equal(c.SecurityContext.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("%s may do more than it needs: %+v %+v", d.Name, pod.SecurityContext, c.SecurityContext)
	}
	for path, probe := range map[string]*core.Probe{"/healthz": c.LivenessProbe, "/healthz ": c.StartupProbe, "/readyz": c.ReadinessProbe} {
		if probe.HTTPGet.Path != strings.TrimSpace(path) || probe.HTTPGet.Port.String() != c.Ports[0].Name {
			t.Errorf("%s is probed at %s %s", d.Name, probe.HTTPGet.Port.String(), probe.HTTPGet.Path)
		}
	}
	r.checkEnvironment(t, d)
	volumes := map[string]core.Volume{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = v
	}
	for _, mount := range c.VolumeMounts {
		if _, ok := volumes[mount.Name]; !ok {
			t.Errorf("%s mounts %s, which does not exist", d.Name, mount.Name)
		}
	}
	if claim := volumes["data"].PersistentVolumeClaim; claim != nil && claim.ClaimName != "earshot-data" && r.claims[claim.ClaimName] == nil {
		t.Errorf("%s uses the claim %s, which does not exist", d.Name, claim.ClaimName)
	}
}

// existing are secrets that testdata expects in the cluster.
var existing = []string{"earshot-postgres", "earshot-keys"}

// checkEnvironment checks that the variables are known, and that their secrets exist.
func (r *release) checkEnvironment(t *testing.T, d *apps.Deployment) {
	t.Helper()
	known := settings(t)
	c := d.Spec.Template.Spec.Containers[0]
	env := map[string]string{}
	for _, v := range c.Env {
		if !known[v.Name] {
			t.Errorf("%s sets %s, which docs/settings.md does not have", d.Name, v.Name)
		}
		if _, twice := env[v.Name]; twice {
			t.Errorf("%s sets %s twice", d.Name, v.Name)
		}
		env[v.Name] = v.Value
		if v.ValueFrom == nil {
			continue
		}
		ref := v.ValueFrom.SecretKeyRef
		if secret := r.secrets[ref.Name]; secret == nil && !slices.Contains(existing, ref.Name) || secret != nil && secret.StringData[ref.Key] == "" {
			t.Errorf("%s reads %s of the secret %s, which does not exist", d.Name, ref.Key, ref.Name)
		}
	}
	for _, from := range c.EnvFrom {
		if r.secrets[from.SecretRef.Name] == nil && !slices.Contains(existing, from.SecretRef.Name) {
			t.Errorf("%s reads the secret %s, which does not exist", d.Name, from.SecretRef.Name)
		}
	}
	if want := fmt.Sprintf(":%d", c.Ports[0].ContainerPort); env["EARSHOT_LISTEN"] != want || env["EARSHOT_DATA"] != c.VolumeMounts[0].MountPath {
		t.Errorf("%s listens on %s and stores data in %s", d.Name, env["EARSHOT_LISTEN"], env["EARSHOT_DATA"])
	}
	if role := d.Spec.Template.Labels["app.kubernetes.io/component"]; env["EARSHOT_ROLE"] != role {
		t.Errorf("%s has the role %s and the component %s", d.Name, env["EARSHOT_ROLE"], role)
	}
}

// checkReferences checks that objects refer to objects that exist.
func (r *release) checkReferences(t *testing.T) {
	t.Helper()
	for _, s := range r.services {
		var served []string
		for _, d := range r.deployments {
			if contains(d.Spec.Template.Labels, s.Spec.Selector) {
				served = append(served, d.Spec.Template.Labels["app.kubernetes.io/component"])
			}
		}
		if len(served) != 1 || served[0] == "worker" {
			t.Errorf("the service %s sends requests to %v", s.Name, served)
		}
	}
	for _, h := range r.autoscalers {
		if d := r.deployments[h.Spec.ScaleTargetRef.Name]; d == nil || d.Spec.Replicas != nil {
			t.Errorf("the autoscaler %s does not scale a deployment without replicas", h.Name)
		}
	}
	for _, b := range r.budgets {
		if d := r.deployments[b.Name]; d == nil || !contains(d.Spec.Template.Labels, b.Spec.Selector.MatchLabels) {
			t.Errorf("the budget %s selects no pods", b.Name)
		}
	}
	for _, m := range r.monitors {
		for _, d := range r.deployments {
			if !contains(d.Spec.Template.Labels, m.Spec.Selector.MatchLabels) || m.Spec.PodMetricsEndpoints[0].Port != d.Spec.Template.Spec.Containers[0].Ports[0].Name {
				t.Errorf("%s is not scraped", d.Name)
			}
		}
	}
	for _, i := range r.ingresses {
		for _, path := range i.Spec.Rules[0].HTTP.Paths {
			s := r.services[path.Backend.Service.Name]
			if s == nil || !slices.ContainsFunc(s.Spec.Ports, func(p core.ServicePort) bool { return p.Name == path.Backend.Service.Port.Name }) {
				t.Errorf("the ingress sends %s to a service or port that does not exist", path.Path)
			}
		}
	}
}

func contains(labels, part map[string]string) bool {
	for name, value := range part {
		if labels[name] != value {
			return false
		}
	}
	return len(part) > 0
}

// settings returns the variables of all settings in docs/settings.md.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, match := range regexp.MustCompile("(?m)^- `--([a-z-]+)`").FindAllStringSubmatch(read(t, "../../docs/settings.md"), -1) {
		all["EARSHOT_"+strings.ToUpper(strings.ReplaceAll(match[1], "-", "_"))] = true
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// variable returns the value of a node's variable, or the secret and key that have it.
func (r *release) variable(deployment, name string) string {
	for _, v := range r.deployments[deployment].Spec.Template.Spec.Containers[0].Env {
		switch {
		case v.Name != name:
		case v.ValueFrom != nil:
			return v.ValueFrom.SecretKeyRef.Name + "/" + v.ValueFrom.SecretKeyRef.Key
		default:
			return v.Value
		}
	}
	return ""
}

func TestValuesArrive(t *testing.T) {
	t.Parallel()
	sqlite, postgres, roles, ingress := install(t, values(t, "sqlite.yaml")), install(t, values(t, "postgres.yaml")), install(t, values(t, "roles.yaml")), install(t, values(t, "ingress.yaml"))
	secrets, scaled, everything := install(t, values(t, "secrets.yaml")), install(t, values(t, "autoscaling.yaml")), install(t, values(t, "everything.yaml"))
	claim, rule, worker := sqlite.claims["test-earshot"], ingress.ingresses["test-earshot"].Spec, everything.deployments["brand-watch-worker"]
	alone := install(t, parse(t, "database: {existingSecret: earshot-postgres}")).deployments["test-earshot"]
	var config map[string]any
	if err := yaml.Unmarshal([]byte(secrets.secrets["test-earshot-config"].StringData["earshot.yaml"]), &config); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what      string
		got, want any
	}{
		{"image", sqlite.deployments["test-earshot"].Spec.Template.Spec.Containers[0].Image, "earshot:v" + version(t)},
		{"replicas on SQLite", *sqlite.deployments["test-earshot"].Spec.Replicas, int32(1)},
		{"size", claim.Spec.Resources.Requests.Storage().String(), "20Gi"},
		{"class", *claim.Spec.StorageClassName, "fast"},
		{"access", claim.Spec.AccessModes[0], core.ReadWriteMany},
		{"what uninstalling does", claim.Annotations["helm.sh/resource-policy"], "keep"},
		{"database on SQLite", sqlite.variable("test-earshot", "EARSHOT_DATABASE"), ""},
		{"existing database", postgres.variable("test-earshot", "EARSHOT_DATABASE"), "earshot-postgres/uri"},
		{"captures", postgres.variable("test-earshot", "EARSHOT_CAPTURES"), "s3://earshot-captures/prod"},
		{"replicas", *postgres.deployments["test-earshot"].Spec.Replicas, int32(3)},
		{"surge", postgres.deployments["test-earshot"].Spec.Strategy.RollingUpdate.MaxUnavailable.String(), "0"},
		{"update with one volume", alone.Spec.Strategy.Type, apps.RecreateDeploymentStrategyType},
		{"database", roles.variable("test-earshot-worker", "EARSHOT_DATABASE"), "test-earshot-database/url"},
		{"URL of the database", roles.secrets["test-earshot-database"].StringData["url"], "postgres://earshot:hidden-password@db.example/earshot"},
		{"workers", *roles.deployments["test-earshot-worker"].Spec.Replicas, int32(2)},
		{"base URL", ingress.variable("test-earshot", "EARSHOT_BASE_URL"), "https://earshot.example.com"},
		{"proxies", ingress.variable("test-earshot", "EARSHOT_TRUSTED_PROXIES"), "10.0.0.0/8,fd00::/8"},
		{"class of the ingress", *rule.IngressClassName, "nginx"},
		{"certificate", rule.TLS[0].SecretName + " " + rule.TLS[0].Hosts[0], "earshot-tls earshot.example.com"},
		{"port of /metrics", rule.Rules[0].HTTP.Paths[0].Path + " " + rule.Rules[0].HTTP.Paths[0].Backend.Service.Port.Name, "/metrics closed"},
		{"port of the rest", rule.Rules[0].HTTP.Paths[1].Path + " " + rule.Rules[0].HTTP.Paths[1].Backend.Service.Port.Name, "/ http"},
		{"key", secrets.secrets["test-earshot-env"].StringData["EARSHOT_OPENAI_API_KEY"], "hidden-key"},
		{"settings file", config["retention"], "48h"},
		{"place of the settings", secrets.variable("test-earshot", "EARSHOT_CONFIG"), "/etc/earshot/earshot.yaml"},
		{"nodes", *scaled.autoscalers["test-earshot-api"].Spec.MinReplicas, int32(2)},
		{"most nodes", scaled.autoscalers["test-earshot-api"].Spec.MaxReplicas, int32(4)},
		{"CPU", *scaled.autoscalers["test-earshot-worker"].Spec.Metrics[0].Resource.Target.AverageUtilization, int32(60)},
		{"other image", worker.Spec.Template.Spec.Containers[0].Image, "registry.example/earshot:v9.9.9-browser"},
		{"memory", worker.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String(), "4Gi"},
		{"memory request", worker.Spec.Template.Spec.Containers[0].Resources.Requests.Memory().String(), "512Mi"},
		{"account", worker.Spec.Template.Spec.ServiceAccountName, "restricted"},
		{"other base URL", everything.variable("brand-watch-api", "EARSHOT_BASE_URL"), "https://watch.example.com"},
		{"log level", everything.variable("brand-watch-api", "EARSHOT_LOG_LEVEL"), "debug"},
		{"budget", everything.budgets["brand-watch-api"].Spec.MaxUnavailable.String(), "50%"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", test.what, test.got, test.want)
		}
	}
	if !strings.Contains(roles.notes, "exec deployment/test-earshot-api -- earshot org create") {
		t.Errorf("the notes are\n%s", roles.notes)
	}
}

// version returns the newest release in the changelog.
func version(t *testing.T) string {
	t.Helper()
	match := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindStringSubmatch(read(t, "../../CHANGELOG.md"))
	if match == nil {
		t.Fatal("the changelog has no release")
	}
	return match[1]
}

func TestPodsAreReplacedWhenASecretChanges(t *testing.T) {
	t.Parallel()
	checksum := func(retention string) string {
		r := install(t, parse(t, "config: {retention: "+retention+"}"))
		return r.deployments["test-earshot"].Spec.Template.Annotations["checksum/secrets"]
	}
	if first := checksum("24h"); first == "" || first == checksum("48h") || first != checksum("24h") {
		t.Error("the checksum does not depend on the settings alone")
	}
}

func TestRefusedValues(t *testing.T) {
	t.Parallel()
	const postgres = "database: {existingSecret: db}\n"
	for text, want := range map[string]string{
		"all: {replicas: 2}":                                        "SQLite serves one node",
		"all: {autoscaling: {enabled: true}}":                       "SQLite serves one node",
		"roles: [api, worker]":                                      "SQLite serves one node",
		postgres + "all: {replicas: 2}":                             "several nodes must share the captures",
		"database: {existingSecret: db, url: 'postgres://db/x'}":    "not both",
		"database: {url: 'mysql://db/x'}":                           "database/url",
		"roles: [worker]":                                           "roles",
		"replicas: 2":                                               "replicas",
		"ingress: {hosts: [a.example]}":                             "hosts",
		"ingress: {enabled: true}":                                  "ingress.host",
		"config: {base-url: 'https://a.example'}":                   "set baseURL instead of config.base-url",
		"secrets: {values: {EARSHOT_OPENAI_API_KEY: 1}}":            "EARSHOT_OPENAI_API_KEY",
		"captures: /var/lib/captures":                               "captures",
		"all: {autoscaling: {targetCPUUtilizationPercentage: 700}}": "targetCPUUtilizationPercentage",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if _, err := render(parse(t, text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	recipes := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(read(t, chartDir+"/README.md"), -1)
	if len(recipes) < 3 {
		t.Errorf("the README has %d recipes", len(recipes))
	}
	for _, recipe := range recipes {
		install(t, parse(t, recipe[1])).checkReferences(t)
	}
}

func TestTheReadmeListsEveryValue(t *testing.T) {
	t.Parallel()
	readme := read(t, chartDir+"/README.md")
	for name := range parse(t, read(t, chartDir+"/values.yaml")) {
		if !strings.Contains(readme, "`"+name+"`") && !strings.Contains(readme, "`"+name+".") {
			t.Errorf("README.md does not describe %s", name)
		}
	}
}

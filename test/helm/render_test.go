package helm

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const chartDir = "../../deploy/helm/earshot"

// podMonitor is the part of the Prometheus operator's type that the chart uses.
type podMonitor struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Selector            meta.LabelSelector `json:"selector"`
		PodMetricsEndpoints []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

// release has the objects of a rendered chart by their names.
type release struct {
	text            string // all documents but the secrets
	notes           string
	deployments     map[string]*apps.Deployment
	services        map[string]*core.Service
	secrets         map[string]*core.Secret
	claims          map[string]*core.PersistentVolumeClaim
	serviceAccounts map[string]*core.ServiceAccount
	ingresses       map[string]*networking.Ingress
	autoscalers     map[string]*autoscaling.HorizontalPodAutoscaler
	budgets         map[string]*policy.PodDisruptionBudget
	monitors        map[string]*podMonitor
}

// objects returns the kind and name of each object, sorted.
func (r *release) objects() []string {
	var all []string
	add := func(kind string, names []string) {
		for _, name := range names {
			all = append(all, kind+" "+name)
		}
	}
	add("Deployment", slices.Collect(maps.Keys(r.deployments)))
	add("Service", slices.Collect(maps.Keys(r.services)))
	add("Secret", slices.Collect(maps.Keys(r.secrets)))
	add("PersistentVolumeClaim", slices.Collect(maps.Keys(r.claims)))
	add("ServiceAccount", slices.Collect(maps.Keys(r.serviceAccounts)))
	add("Ingress", slices.Collect(maps.Keys(r.ingresses)))
	add("HorizontalPodAutoscaler", slices.Collect(maps.Keys(r.autoscalers)))
	add("PodDisruptionBudget", slices.Collect(maps.Keys(r.budgets)))
	add("PodMonitor", slices.Collect(maps.Keys(r.monitors)))
	slices.Sort(all)
	return all
}

// values reads a file of testdata.
func values(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	all, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// render returns the text of each template. It validates the values with the schema.
func render(values map[string]any) (map[string]string, error) {
	chart, err := loader.Load(chartDir)
	if err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: "test", Namespace: "apps", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}

// install renders the chart and decodes its documents. Unknown and duplicate fields are errors.
func install(t *testing.T, values map[string]any) *release {
	t.Helper()
	files, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{
		deployments: map[string]*apps.Deployment{}, services: map[string]*core.Service{}, secrets: map[string]*core.Secret{},
		claims: map[string]*core.PersistentVolumeClaim{}, serviceAccounts: map[string]*core.ServiceAccount{},
		ingresses: map[string]*networking.Ingress{}, autoscalers: map[string]*autoscaling.HorizontalPodAutoscaler{},
		budgets: map[string]*policy.PodDisruptionBudget{}, monitors: map[string]*podMonitor{},
	}
	for name, text := range files {
		if filepath.Base(name) == "NOTES.txt" {
			r.notes = text
			continue
		}
		for document := range strings.SplitSeq(text, "\n---\n") {
			r.decode(t, document)
		}
	}
	return r
}

func (r *release) decode(t *testing.T, document string) {
	t.Helper()
	var head struct {
		meta.TypeMeta `json:",inline"`
	}
	if err := yaml.Unmarshal([]byte(document), &head); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	if head.Kind != "Secret" {
		r.text += document
	}
	switch head.APIVersion + " " + head.Kind {
	case " ": // empty
	case "apps/v1 Deployment":
		keep(t, document, r.deployments)
	case "v1 Service":
		keep(t, document, r.services)
	case "v1 Secret":
		keep(t, document, r.secrets)
	case "v1 PersistentVolumeClaim":
		keep(t, document, r.claims)
	case "v1 ServiceAccount":
		keep(t, document, r.serviceAccounts)
	case "networking.k8s.io/v1 Ingress":
		keep(t, document, r.ingresses)
	case "autoscaling/v2 HorizontalPodAutoscaler":
		keep(t, document, r.autoscalers)
	case "policy/v1 PodDisruptionBudget":
		keep(t, document, r.budgets)
	case "monitoring.coreos.com/v1 PodMonitor":
		keep(t, document, r.monitors)
	default:
		t.Errorf("there is a %s %s", head.APIVersion, head.Kind)
	}
}

// keep decodes a document and stores it by its name.
func keep[T any, P interface {
	*T
	meta.Object
}](t *testing.T, document string, all map[string]P,
) {
	t.Helper()
	object := P(new(T))
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	if all[object.GetName()] != nil {
		t.Errorf("there are two objects with the name %s", object.GetName())
	}
	all[object.GetName()] = object
}

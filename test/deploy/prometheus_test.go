package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

const rulesFile = "../../deploy/prometheus/earshot.rules.yaml"

// rules is a file of Prometheus rules.
type rules struct {
	Groups []group `json:"groups"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert,omitempty"`
	Record      string            `json:"record,omitempty"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// alerts returns the alert rules.
func alerts(t *testing.T) []rule {
	t.Helper()
	var file rules
	if err := yaml.Unmarshal(read(t, rulesFile), &file); err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there are no alert rules")
	}
	return all
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// promtool runs promtool, which must succeed.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if text, err := program.Command(t, tool.Find(t, "promtool"), args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, text)
	}
}

func TestAlertRules(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "config", "../../deploy/prometheus/prometheus.yaml") // and the rules that it names
	promtool(t, "test", "rules", "../../deploy/prometheus/tests.yaml")
	tests := read(t, "../../deploy/prometheus/tests.yaml")
	for _, a := range alerts(t) {
		if !bytes.Contains(tests, []byte(`alertname="`+a.Alert+`"`)) {
			t.Errorf("%s has no test", a.Alert)
		}
		if severity := a.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s has the severity %q", a.Alert, severity)
		}
		for _, name := range []string{"summary", "description", "runbook"} {
			if a.Annotations[name] == "" {
				t.Errorf("%s has no %s", a.Alert, name)
			}
		}
	}
}

func TestQueriesNameExistingMetricsAndLabels(t *testing.T) {
	t.Parallel()
	known := metrics(t)
	queries := map[string]string{}
	for _, a := range alerts(t) {
		queries[a.Alert] = a.Expr
	}
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				queries[d.Title+", "+p.Title+" "+target.RefID] = target.Expr
			}
		}
		for _, v := range d.Templating.List {
			if match := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(v.Definition); match != nil {
				queries[d.Title+", variable "+v.Name] = match[1] + "{" + match[2] + `=""}`
			} else if v.Type == "query" {
				t.Errorf("%s: the variable %s is %q", d.Title, v.Name, v.Definition)
			}
		}
	}
	selector := regexp.MustCompile(`\b((?:earshot|go|process)_\w+|up)(?:\{([^}]*)\})?`)
	matcher := regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping := regexp.MustCompile(`\bby \(([^)]*)\)`)
	for name, query := range queries {
		var labels []string
		for _, match := range selector.FindAllStringSubmatch(query, -1) {
			found, ok := known[match[1]]
			if !ok {
				t.Errorf("%s: there is no metric %s", name, match[1])
			}
			labels = append(labels, found...)
			for _, used := range matcher.FindAllStringSubmatch(match[2], -1) {
				if !slices.Contains(found, used[1]) {
					t.Errorf("%s: %s has no label %s", name, match[1], used[1])
				}
			}
		}
		if len(labels) == 0 {
			t.Errorf("%s: there is no metric in %s", name, query)
		}
		for _, match := range grouping.FindAllStringSubmatch(query, -1) {
			for label := range strings.SplitSeq(match[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: there is no label %s in %s", name, label, query)
				}
			}
		}
	}
}

// metrics returns the labels of each metric, from the list that a test in test/service
// compares with a running node. Prometheus adds job and instance.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"up": {"job", "instance"}}
	for line := range strings.Lines(string(read(t, "../service/testdata/metrics.txt"))) {
		fields := strings.Fields(line)
		name, labels := fields[0], slices.Concat(fields[2:], []string{"job", "instance"})
		if fields[1] != "histogram" {
			all[name] = labels
		} else {
			all[name+"_count"], all[name+"_sum"], all[name+"_bucket"] = labels, labels, slices.Concat(labels, []string{"le"})
		}
	}
	return all
}

// dashboard is the part of a Grafana dashboard that the tests read.
type dashboard struct {
	UID           string  `json:"uid"`
	Title         string  `json:"title"`
	Description   string  `json:"description"`
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []panel `json:"panels"`
	Templating    struct {
		List []struct {
			Name       string `json:"name"`
			Label      string `json:"label"`
			Type       string `json:"type"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID          int       `json:"id"`
	Type        string    `json:"type"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	GridPos     rectangle `json:"gridPos"`
	Datasource  struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	} `json:"datasource"`
	Targets []struct {
		RefID string `json:"refId"`
		Expr  string `json:"expr"`
	} `json:"targets"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
}

// rectangle is the place of a panel on a grid with 24 columns.
type rectangle struct{ X, Y, W, H int }

func (r rectangle) overlaps(o rectangle) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

// dashboards reads the Grafana dashboards.
func dashboards(t *testing.T) []dashboard {
	t.Helper()
	paths, err := filepath.Glob("../../deploy/grafana/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no dashboards (%v)", err)
	}
	all := make([]dashboard, len(paths))
	for i, path := range paths {
		if err := json.Unmarshal(read(t, path), &all[i]); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return all
}

func TestDashboards(t *testing.T) {
	t.Parallel()
	file := rules{Groups: []group{{Name: "dashboards"}}}
	variables := strings.NewReplacer("$__rate_interval", "5m", "$__range", "6h", "$node", ".*", "$provider", ".*")
	uids := map[string]bool{}
	for _, d := range dashboards(t) {
		if d.UID == "" || uids[d.UID] || d.Title == "" || d.Description == "" || d.SchemaVersion == 0 {
			t.Errorf("the dashboard %q has no unique uid, no title, no description or no version", d.Title)
		}
		uids[d.UID] = true
		if d.Templating.List[0].Type != "datasource" || d.Templating.List[0].Name != "datasource" {
			t.Errorf("%s: the first variable is not the data source", d.Title)
		}
		ids := map[int]bool{}
		for i, p := range d.Panels {
			if ids[p.ID] || p.Title == "" || p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
				t.Errorf("%s: a panel has no title, no unique id, or is outside of the grid: %+v", d.Title, p)
			}
			ids[p.ID] = true
			for _, other := range d.Panels[:i] {
				if p.GridPos.overlaps(other.GridPos) {
					t.Errorf("%s: %q and %q overlap", d.Title, p.Title, other.Title)
				}
			}
			if p.Type == "row" {
				continue
			}
			if p.Description == "" || len(p.Targets) == 0 || p.FieldConfig.Defaults.Unit == "" || p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s: %q has no description, query or unit, or another data source", d.Title, p.Title)
			}
			for k, target := range p.Targets {
				if target.RefID != string(rune('A'+k)) {
					t.Errorf("%s: query %d of %q has the id %q", d.Title, k, p.Title, target.RefID)
				}
				file.Groups[0].Rules = append(file.Groups[0].Rules, rule{Record: "dashboard:query", Expr: variables.Replace(target.Expr), Labels: map[string]string{"panel": fmt.Sprint(d.UID, p.ID, target.RefID)}})
			}
		}
	}
	text, err := json.Marshal(file) // which is also YAML
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", name)
}

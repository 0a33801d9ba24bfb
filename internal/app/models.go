package app

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/model"
	"earshot/internal/upstream"
)

// ModelSettings describe one model that the provider model can ask.
type ModelSettings struct {
	URL            string       `yaml:"url"`      // the base URL of the endpoint
	Model          string       `yaml:"model"`    // the endpoint's name for the model
	KeyFile        string       `yaml:"key-file"` // no key is sent without one
	Search         model.Search `yaml:"search"`   // empty means none
	Calls          int          `yaml:"calls"`
	CallsPerMinute int          `yaml:"calls-per-minute"`
	CostSettings   `yaml:",inline"`
}

// models returns the models of the settings in the order of their names.
func (s Settings) models() []model.Model {
	var list []model.Model
	for _, name := range slices.Sorted(maps.Keys(s.Models)) {
		list = append(list, model.Model{Name: name, Search: s.Models[name].Search})
	}
	return list
}

// modelName matches the names of models. They are part of results and of environment variables.
var modelName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,49}$`)

// checkModels returns an error for the first model whose settings are not valid.
func (s Settings) checkModels() error {
	for _, m := range s.models() {
		about := s.Models[m.Name]
		switch {
		case !modelName.MatchString(m.Name):
			return fmt.Errorf("settings: models: the name %q must consist of up to 50 lower-case letters, digits and hyphens", m.Name)
		case about.URL == "":
			return fmt.Errorf("settings: models.%s.url is missing", m.Name)
		case about.Model == "":
			return fmt.Errorf("settings: models.%s.model is missing", m.Name)
		case m.Search != "" && !slices.Contains(model.Searches(), m.Search):
			return fmt.Errorf("settings: models.%s.search is %q, but must be one of %v", m.Name, m.Search, model.Searches())
		}
	}
	return nil
}

// modelConfig returns the configuration of the upstream of a model.
func (u *upstreams) modelConfig(name string) (upstream.Config, error) {
	s, exists := u.cfg.Settings.Models[name]
	if !exists {
		return upstream.Config{}, fmt.Errorf("the settings list no model %q", name)
	}
	key, err := u.readKey(upstreamModel+name, "model_"+strings.ReplaceAll(name, "-", "_"), "models."+name+".key-file", s.KeyFile)
	if err != nil {
		return upstream.Config{}, err
	}
	access := &upstream.API{
		Name: model.Name, Model: s.Model, KeyHeader: "Authorization", KeyPrefix: "Bearer ", Key: key,
		Calls: cmp.Or(s.Calls, defaultCalls), CallsPerMinute: cmp.Or(s.CallsPerMinute, defaultCallsPerMinute),
	}
	return s.apply(upstream.Config{
		Surface: earshot.SurfaceAPI, Sites: map[string]string{model.Name: s.URL}, API: access, Entry: name,
	}, nil, u)
}

package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/upstream"
)

// ShadowSettings say which answered requests are asked again, to compare two upstreams.
type ShadowSettings struct {
	With  string  `yaml:"with"`  // the upstream to ask: web, api:NAME or via:NAME
	Share float64 `yaml:"share"` // of answered requests, above 0 and at most 1
	// Providers are the providers to compare. Without any, all that the upstream can serve.
	Providers []string `yaml:"providers"`
}

// ShadowList is a list of comparisons. In the settings file, a single one needs no list.
type ShadowList []ShadowSettings

// UnmarshalYAML reads a list or a single item.
func (l *ShadowList) UnmarshalYAML(unmarshal func(any) error) error {
	var value any
	if err := unmarshal(&value); err != nil {
		return err
	}
	if _, isList := value.([]any); isList {
		return unmarshal((*[]ShadowSettings)(l))
	}
	*l = make(ShadowList, 1)
	return unmarshal(&(*l)[0])
}

// openShadows opens the upstreams that are asked for comparison.
func (u *upstreams) openShadows(all []provider.Provider) error {
	for i, s := range u.cfg.Settings.Shadow {
		shadow, err := u.openShadow(s, all)
		if err != nil {
			return fmt.Errorf("settings: shadow[%d]: %w", i, err)
		}
		u.shadows = append(u.shadows, shadow)
	}
	return nil
}

func (u *upstreams) openShadow(s ShadowSettings, all []provider.Provider) (shadow purchase.Shadow, err error) {
	if s.Share <= 0 || s.Share > 1 {
		return shadow, fmt.Errorf("share must be above 0 and at most 1, it is %g", s.Share)
	}
	if s.With != upstreamWeb && !strings.HasPrefix(s.With, upstreamAPI) && !strings.HasPrefix(s.With, upstreamVendor) {
		return shadow, fmt.Errorf("with must be %s, %sNAME or %sNAME, it is %q", upstreamWeb, upstreamAPI, upstreamVendor, s.With)
	}
	shadow = purchase.Shadow{Share: s.Share, Providers: s.Providers}
	for _, name := range s.Providers {
		at := slices.IndexFunc(all, func(p provider.Provider) bool { return p.Definition().Name == name })
		if at < 0 {
			return shadow, fmt.Errorf("there is no provider %q", name)
		}
		if !u.serves(s.With, all[at].Definition()) {
			return shadow, fmt.Errorf("%s cannot be asked through %s", name, s.With)
		}
	}
	if len(s.Providers) == 0 {
		for _, p := range all {
			if u.serves(s.With, p.Definition()) {
				shadow.Providers = append(shadow.Providers, p.Definition().Name)
			}
		}
	}
	if len(shadow.Providers) == 0 {
		return shadow, errors.New("no provider can be asked through " + s.With)
	}
	shadow.With, err = u.client(s.With)
	return shadow, err
}

// serves reports whether a provider can be asked through an upstream.
func (u *upstreams) serves(name string, about provider.Definition) bool {
	if api, ok := strings.CutPrefix(name, upstreamAPI); ok {
		return slices.ContainsFunc(about.APIs, func(a provider.API) bool { return a.Name == api })
	}
	if via, ok := strings.CutPrefix(name, upstreamVendor); ok {
		vendor := u.vendors[via]
		if vendor == nil {
			return false
		}
		_, offered := vendor.Definition().Serves[about.Name]
		return offered
	}
	return true
}

// shadowsOf returns the upstreams that a provider is compared with.
func (u *upstreams) shadowsOf(provider string) (clients []*upstream.Client) {
	for _, s := range u.shadows {
		if slices.Contains(s.Providers, provider) {
			clients = append(clients, s.With)
		}
	}
	return clients
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/model"
	"earshot/internal/provider/serp"
	"earshot/internal/purchase"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
	"earshot/internal/upstream/egress"
	"earshot/internal/upstream/guard"
	"earshot/internal/upstream/lab"
)

// The names of upstreams in settings. After a colon comes a name or a folder.
const (
	upstreamLab    = "lab"
	upstreamWeb    = "web"
	upstreamAPI    = "api:"
	upstreamVendor = "via:"
	upstreamModel  = "model:"
	upstreamReplay = "replay:"
)

// UpstreamSettings are the settings of upstreams.
type UpstreamSettings struct {
	// APIs are the settings of official APIs by name.
	APIs map[string]APISettings `yaml:"apis"`
	// Vendors are the settings of vendors by name.
	Vendors map[string]VendorSettings `yaml:"vendors"`
	// Models are the models that the provider model asks, by the names in requests.
	Models map[string]ModelSettings `yaml:"models"`
	Web    WebSettings              `yaml:"web"`
	// Shadow has a share of answered requests asked again through another upstream.
	Shadow ShadowList `yaml:"shadow"`
}

// APISettings are the settings of one official API. A field that is "" or 0 has the
// provider's default.
type APISettings struct {
	URL            string `yaml:"url"`
	Model          string `yaml:"model"`
	Stream         *bool  `yaml:"stream"` // false asks for whole answers; absent means true
	KeyFile        string `yaml:"key-file"`
	KeyHeader      string `yaml:"key-header"` // for gateways that expect the key alone in another header
	Redirects      string `yaml:"redirects"`
	Calls          int    `yaml:"calls"`
	CallsPerMinute int    `yaml:"calls-per-minute"`
	CostSettings   `yaml:",inline"`
}

// The default budget of an official API.
const (
	defaultCalls          = 16
	defaultCallsPerMinute = 120
)

// WebSettings are the settings of the upstream web.
type WebSettings struct {
	Sites   map[string]string `yaml:"sites"`
	Proxies map[string]string `yaml:"proxies"` // by place: US, US-CA, or * for all other places
	// Browser is the path of Chromium. With "" the program looks for it; with "off" it
	// fetches pages without a browser.
	Browser string `yaml:"browser"`
	Pages   int    `yaml:"pages"` // maximum number of open pages in the browser
}

// upstreams are the upstreams that a node uses.
type upstreams struct {
	lists  map[string][]*upstream.Client // of each provider, in the order in which they are asked
	engine serp.Engine

	cfg      Config
	sites    provider.Sites
	apis     map[string]provider.API
	vendors  provider.Vendors
	keys     map[string]string           // the operator's keys by name of the official API or vendor
	known    map[string]*upstream.Client // by name in settings
	replayed map[string]*upstream.Recording
	recorder *upstream.Recorder
	lab      *lab.Server
	egress   *egress.Routes
	browser  *browser.Browser
	shadows  []purchase.Shadow
}

// listenLab starts a lab that serves the sites of all providers.
func listenLab(ctx context.Context, cfg Config) (*lab.Server, error) {
	sites, err := provider.NewSites(cfg.providers(serp.Engine{}))
	if err != nil {
		return nil, err
	}
	world, err := cfg.labWorld()
	if err != nil {
		return nil, err
	}
	return lab.Listen(ctx, lab.Populate(world, slices.Collect(maps.Values(sites.Lab))...)...)
}

// labWorld returns the world from which the lab samples answers to trackers.
func (c Config) labWorld() (*lab.World, error) {
	if c.LabWorld == "" {
		return lab.DefaultWorld(), nil
	}
	text, err := os.ReadFile(c.LabWorld)
	if err != nil {
		return nil, fmt.Errorf("read the lab's world: %w", err)
	}
	world, err := lab.ParseWorld(text)
	if err != nil {
		return nil, fmt.Errorf("the lab's world in %s: %w", c.LabWorld, err)
	}
	return world, nil
}

// madeUp returns a client of a separate lab with the given world, without a network.
func (u *upstreams) madeUp(world *lab.World) (*upstream.Client, error) {
	sites := slices.Collect(maps.Values(u.sites.Lab))
	return upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceLab, Sites: labURLs(u.sites), Transport: lab.Direct(lab.Populate(world, sites...)...),
	})
}

// labURLs returns the base URLs of the sites in the lab by name.
func labURLs(sites provider.Sites) map[string]string {
	bases := map[string]string{}
	for name, site := range sites.Lab {
		bases[name] = site.URL()
	}
	return bases
}

// openUpstreams opens the upstreams of all providers. The lab must be running if a provider
// uses it.
func openUpstreams(cfg Config, server *lab.Server) (_ *upstreams, err error) {
	u := &upstreams{
		cfg: cfg, lab: server, known: map[string]*upstream.Client{}, replayed: map[string]*upstream.Recording{},
		apis: map[string]provider.API{}, vendors: provider.NewVendors(Vendors()...), keys: map[string]string{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.close())
		}
	}()
	if cfg.Record != "" {
		if u.recorder, err = upstream.NewRecorder(cfg.Record, cfg.Log); err != nil {
			return nil, err
		}
	}
	all := cfg.providers(serp.Engine{})
	if u.sites, err = provider.NewSites(all); err != nil {
		return nil, err
	}
	for _, p := range all {
		for _, api := range p.Definition().APIs {
			u.apis[api.Name] = api
		}
	}
	for name := range cfg.Settings.APIs {
		if _, exists := u.apis[name]; !exists {
			return nil, fmt.Errorf("settings: there is no API %q; the APIs are %s", name, strings.Join(slices.Sorted(maps.Keys(u.apis)), ", "))
		}
	}
	for name := range cfg.Settings.Vendors {
		if _, exists := u.vendors[name]; !exists {
			return nil, fmt.Errorf("settings: there is no vendor %q; the vendors are %s", name, strings.Join(slices.Sorted(maps.Keys(u.vendors)), ", "))
		}
	}
	if err := errors.Join(u.readKeys(), cfg.Settings.checkModels()); err != nil {
		return nil, err
	}
	u.lists = map[string][]*upstream.Client{}
	for _, p := range all {
		about := p.Definition()
		if u.lists[about.Name], err = u.list(about); err != nil {
			return nil, fmt.Errorf("%s: %w", about.Name, err)
		}
	}
	if err := u.openShadows(all); err != nil {
		return nil, err
	}
	if err := u.findEngine(); err != nil {
		return nil, err
	}
	return u, nil
}

// list returns the upstreams of one provider. The first of these lists that exists counts:
// the list of the provider, the list of the node, the provider's official API if a key for
// it is configured, the lab.
func (u *upstreams) list(about provider.Definition) ([]*upstream.Client, error) {
	names := u.cfg.Settings.Providers[about.Name].Upstreams
	if len(names) == 0 {
		names = u.cfg.Upstreams
	}
	if len(names) == 0 {
		names = u.defaultUpstreams(about)
	}
	var clients []*upstream.Client
	for _, name := range names {
		found, err := u.open(name, about)
		if err != nil {
			return nil, err
		}
		clients = append(clients, found...)
	}
	return clients, nil
}

// defaultUpstreams returns the upstreams of a provider for which no list names any.
func (u *upstreams) defaultUpstreams(about provider.Definition) []string {
	if models := u.cfg.Settings.models(); about.Name == model.Name && len(models) > 0 {
		names := make([]string, len(models))
		for i, m := range models {
			names[i] = upstreamModel + m.Name
		}
		return names
	}
	for _, api := range about.APIs {
		if u.keys[api.Name] != "" {
			return []string{upstreamAPI + api.Name}
		}
	}
	return []string{upstreamLab}
}

// open returns the upstreams for a name in a provider's list. It is one upstream, except
// for a recording, which may contain several.
func (u *upstreams) open(name string, about provider.Definition) ([]*upstream.Client, error) {
	if dir, ok := strings.CutPrefix(name, upstreamReplay); ok {
		recording := u.replayed[dir]
		if recording == nil {
			var err error
			if recording, err = upstream.OpenRecording(dir); err != nil {
				return nil, err
			}
			u.replayed[dir] = recording
		}
		return recording.Clients(about.Name), nil
	}
	if api, ok := strings.CutPrefix(name, upstreamAPI); ok {
		if !slices.ContainsFunc(about.APIs, func(a provider.API) bool { return a.Name == api }) {
			return nil, fmt.Errorf("%s does not serve this provider", name)
		}
	}
	if vendor, ok := strings.CutPrefix(name, upstreamVendor); ok && u.vendors[vendor] != nil && !u.serves(name, about) {
		return nil, fmt.Errorf("%s does not serve this provider", name)
	}
	if strings.HasPrefix(name, upstreamModel) && about.Name != model.Name {
		return nil, fmt.Errorf("%s does not serve this provider", name)
	}
	client, err := u.client(name)
	if err != nil {
		return nil, err
	}
	return []*upstream.Client{client}, nil
}

// client returns the upstream with a name. All providers share it.
func (u *upstreams) client(name string) (*upstream.Client, error) {
	if client := u.known[name]; client != nil {
		return client, nil
	}
	cfg, err := u.config(name)
	if err != nil {
		return nil, err
	}
	cfg.Name, cfg.Recorder = name, u.recorder
	client, err := upstream.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	u.known[name] = client
	return client, nil
}

func (u *upstreams) config(name string) (upstream.Config, error) {
	api, isAPI := strings.CutPrefix(name, upstreamAPI)
	vendor, isVendor := strings.CutPrefix(name, upstreamVendor)
	entry, isModel := strings.CutPrefix(name, upstreamModel)
	switch {
	case isAPI:
		return u.apiConfig(u.apis[api])
	case isVendor:
		return u.vendorConfig(vendor)
	case isModel:
		return u.modelConfig(entry)
	case name == upstreamLab:
		return upstream.Config{Surface: earshot.SurfaceLab, Sites: labURLs(u.sites), Dial: u.lab.Dial, Multiplexed: true}, nil
	case name == upstreamWeb:
		return u.webConfig()
	default:
		return upstream.Config{}, fmt.Errorf("there is no upstream %q; use %s, %s, %sNAME, %sNAME, %sNAME or %sFOLDER", name, upstreamLab, upstreamWeb, upstreamAPI, upstreamVendor, upstreamModel, upstreamReplay)
	}
}

func (u *upstreams) apiConfig(api provider.API) (upstream.Config, error) {
	s := u.cfg.Settings.APIs[api.Name]
	key := u.keys[api.Name]
	if key == "" {
		return upstream.Config{}, fmt.Errorf("api:%s needs a key in %s or %s", api.Name, variable(api.Name, "API_KEY"), variable(api.Name, "API_KEY_FILE"))
	}
	base := cmp.Or(u.cfg.getenv(variable(api.Name, "URL")), s.URL, api.URL)
	if base == "" {
		return upstream.Config{}, fmt.Errorf("api:%s needs its address in %s", api.Name, variable(api.Name, "URL"))
	}
	sites := map[string]string{api.Name: base}
	if redirects := cmp.Or(u.cfg.getenv(variable(api.Name, "REDIRECTS")), s.Redirects, api.Redirects); redirects != "" {
		sites[api.Name+"-redirects"] = redirects
	}
	access := &upstream.API{
		Name: api.Name, Model: cmp.Or(u.cfg.getenv(variable(api.Name, "MODEL")), s.Model, api.Model),
		KeyHeader: api.KeyHeader, KeyPrefix: api.KeyPrefix, Key: key, NoStream: s.Stream != nil && !*s.Stream,
		Calls: cmp.Or(s.Calls, defaultCalls), CallsPerMinute: cmp.Or(s.CallsPerMinute, defaultCallsPerMinute),
	}
	if s.KeyHeader != "" {
		access.KeyHeader, access.KeyPrefix = s.KeyHeader, ""
	}
	return s.apply(upstream.Config{Surface: earshot.SurfaceAPI, Sites: sites, API: access}, nil, u)
}

// readKeys reads the operator's keys for all APIs and vendors. A key file that is named
// but cannot be read is an error: without the key, the provider would silently use another
// upstream.
func (u *upstreams) readKeys() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(u.apis)) {
		key, err := u.readKey(upstreamAPI+name, name, "apis."+name+".key-file", u.cfg.Settings.APIs[name].KeyFile)
		errs = append(errs, err)
		u.keys[name] = key
	}
	for _, name := range slices.Sorted(maps.Keys(u.vendors)) {
		key, err := u.readKey(upstreamVendor+name, name, "vendors."+name+".key-file", u.cfg.Settings.Vendors[name].KeyFile)
		errs = append(errs, err)
		u.keys[name] = key
	}
	return errors.Join(errs...)
}

// readKey returns the operator's key for an upstream, "" if there is none. The setting names
// the key file unless a variable does. name is the part of the variable for the upstream.
func (u *upstreams) readKey(upstream, name, setting, path string) (string, error) {
	if key := strings.TrimSpace(u.cfg.getenv(variable(name, "API_KEY"))); key != "" {
		return key, nil
	}
	if named := u.cfg.getenv(variable(name, "API_KEY_FILE")); named != "" {
		setting, path = variable(name, "API_KEY_FILE"), named
	}
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the key of %s cannot be read from the file that %s names: %w", upstream, setting, err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return "", fmt.Errorf("the key of %s is missing: the file that %s names, %s, is empty", upstream, setting, path)
	}
	return key, nil
}

func variable(name, what string) string { return upstream.Variable(name, what) }

func (u *upstreams) webConfig() (cfg upstream.Config, err error) {
	s := u.cfg.Settings.Web
	sites := maps.Clone(u.sites.Web)
	for site, base := range s.Sites {
		if _, exists := sites[site]; !exists {
			return cfg, fmt.Errorf("settings: web.sites: there is no site %q; the sites are %s", site, strings.Join(slices.Sorted(maps.Keys(sites)), ", "))
		}
		sites[site] = base
	}
	u.egress, err = egress.New(egress.Config{
		Proxies: s.Proxies, Sites: slices.Collect(maps.Values(sites)), Guard: guard.Guard{}, Log: u.cfg.Log,
	})
	if err != nil {
		return cfg, err
	}
	cfg = upstream.Config{Surface: earshot.SurfaceWeb, Sites: sites, Transport: u.egress.Transport(), Located: u.egress.Located}
	if s.Browser != "off" {
		cfg.Browser = u.openBrowser(s)
	}
	return cfg, nil
}

// openBrowser returns a browser. If Chromium is not found, the service starts anyway, and
// requests that need a browser fail with that reason.
func (u *upstreams) openBrowser(s WebSettings) upstream.Visitor {
	path := s.Browser
	if path == "" {
		var err error
		if path, err = browser.Find(); err != nil {
			u.cfg.Log.Warn("no browser was found: assistants cannot be asked through the web", "error", err)
			return upstream.NoBrowser{Err: err}
		}
	}
	u.browser = browser.New(browser.Config{Path: path, Contexts: s.Pages, Proxy: u.egress.LocalProxy, Log: u.cfg.Log})
	return u.browser
}

// findEngine sets the search engine whose pages the search providers parse. There can be
// only one, because its links are recognised by its host.
func (u *upstreams) findEngine() (err error) {
	base := u.sites.Web[serp.Site]
	surfaces := map[earshot.Surface]bool{}
	for _, name := range engineReaders() {
		for _, client := range slices.Concat(u.lists[name], u.shadowsOf(name)) {
			if readsPages(client) {
				surfaces[client.Surface()] = true
			}
		}
	}
	switch {
	case len(surfaces) > 1:
		return errors.New("settings: the search providers can be asked through the lab or through the web, but not through both")
	case surfaces[earshot.SurfaceLab]:
		base = u.sites.Lab[serp.Site].URL()
	case surfaces[earshot.SurfaceWeb]:
		base = cmp.Or(u.cfg.Settings.Web.Sites[serp.Site], base)
	}
	u.engine, err = serp.NewEngine(base)
	return err
}

// engineReaders returns the names of the providers that parse the search engine's pages.
func engineReaders() []string {
	var names []string
	for _, p := range Providers() {
		if about := p.Definition(); about.Site.Name == serp.Site {
			names = append(names, about.Name)
		}
	}
	return names
}

// resolver returns the upstream that resolves redirect links of the search engine: the
// first one that serves pages to the first provider that parses them.
func (u *upstreams) resolver() *upstream.Client {
	for _, client := range u.lists[engineReaders()[0]] {
		if readsPages(client) {
			return client
		}
	}
	return upstream.NewStored(earshot.SurfaceWeb, nil, nil)
}

// describe logs the upstreams of each provider.
func (u *upstreams) describe() {
	var lists []any
	for _, p := range u.cfg.providers(u.engine) {
		var names []string
		for _, client := range u.lists[p.Definition().Name] {
			names = append(names, client.Name())
		}
		lists = append(lists, p.Definition().Name, strings.Join(names, ","))
	}
	u.cfg.Log.Info("upstreams", lists...)
}

// MadeUp returns the providers whose answers come from the lab, and reports whether these
// are all providers of the node.
func (a *App) MadeUp() (names []string, all bool) {
	all = true
	for _, p := range a.catalogue.Providers() {
		name := p.Definition().Name
		if clients := a.upstreams.lists[name]; len(clients) > 0 && clients[0].Name() == upstreamLab {
			names = append(names, name)
		} else {
			all = false
		}
	}
	return names, all
}

func (u *upstreams) close() error {
	for _, client := range u.known {
		client.Close()
	}
	var errs []error
	if u.browser != nil {
		u.browser.Close()
	}
	if u.egress != nil {
		errs = append(errs, u.egress.Close())
	}
	return errors.Join(errs...)
}

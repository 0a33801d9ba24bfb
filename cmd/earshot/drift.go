package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"earshot/internal/app"
	"earshot/internal/provider/health"
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream/capture"
)

type driftCmd struct {
	Save        string `help:"Write the pages to this folder." placeholder:"DIR"`
	Acknowledge string `help:"Close the alarms of a provider and surface: the present fill rates are normal." placeholder:"PROVIDER/SURFACE"`
	Captures    string `help:"The bucket of the captures, as for serve." placeholder:"s3://…" env:"EARSHOT_CAPTURES"`
	JSON        bool   `name:"json" help:"Print one JSON object per page."`
}

// Help returns the command's long help.
func (c *driftCmd) Help() string {
	return `Lists the pages that the service kept because they show that a site changed: a layout version or a block that is new, a
field with an alarm is missing, or the page could not be parsed. At most 3 pages a day are kept for each provider, layout
version and reason, for 14 days. They belong to all organizations and are only for the operator.

Exit status: 0 the pages were listed, 1 anything else.

Examples:
  earshot drift
  earshot drift --save pages --json | jq -r .reason`
}

// listedPage is a kept page in JSON.
type listedPage struct {
	outbound.KeptPage
	Files []string `json:"files,omitempty"`
}

// withStore opens the database for work. A server may run on the same database.
func withStore(in *invocation, work func(*orgs.Store) error) error {
	s, err := app.OpenStore(in, in.cfg, false)
	if err != nil {
		return err
	}
	return errors.Join(work(orgs.New(s)), s.Close())
}

// Run closes alarms, or prints and saves the kept pages.
func (c *driftCmd) Run(in *invocation) error {
	return withStore(in, func(s *orgs.Store) error {
		drift := outbound.New(s.DB)
		if c.Acknowledge != "" {
			return c.acknowledge(in, drift)
		}
		kept, err := drift.KeptPages(in)
		if err != nil {
			return err
		}
		for _, k := range kept {
			page := listedPage{KeptPage: *k}
			page.KeptAt = k.KeptAt.UTC()
			if c.Save != "" {
				if page.Files, err = c.save(in, k); err != nil {
					return err
				}
			}
			if c.JSON {
				err = json.NewEncoder(in.out).Encode(page)
			} else {
				_, err = fmt.Fprintf(in.out, "%s  %s  %-18s  %-6s  %s\n", k.ID, k.KeptAt.Local().Format(time.DateTime), k.Provider, k.Layout,
					strings.Join(append([]string{strings.TrimSpace(k.Reason + " " + k.Note)}, page.Files...), "  "))
			}
			if err != nil {
				return err
			}
		}
		if len(kept) == 0 && !c.JSON {
			_, err = fmt.Fprintln(in.out, "no pages were kept")
		}
		return err
	})
}

func (c *driftCmd) acknowledge(in *invocation, drift *outbound.Store) error {
	n, err := drift.AcknowledgeFields(c.Acknowledge, health.HourOf(drift.Now()))
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("no fill rates of %q are watched yet: name the provider and the surface, such as websearch/web", c.Acknowledge)
	}
	_, err = fmt.Fprintln(in.out, "the alarms are closed")
	return err
}

// save writes the documents of a kept page to the folder and returns the names of the files.
func (c *driftCmd) save(in *invocation, k *outbound.KeptPage) (files []string, err error) {
	from, err := capture.OpenKept(in, c.Captures, filepath.Join(in.cfg.Data, "kept"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Save, 0o700); err != nil {
		return nil, err
	}
	for n := range k.Pages {
		page, err := from.Page(in, k.ID, n+1)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(c.Save, k.ID+"-"+capture.PageName(n+1))
		if err := os.WriteFile(file, page, 0o600); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

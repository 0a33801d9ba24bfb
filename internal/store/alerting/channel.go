package alerting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// MaxChannels limits the channels of an organization.
const MaxChannels = 50

// Channel is a destination of alerts and reports.
type Channel struct {
	Organization string
	Name         string
	Kind         earshot.ChannelKind
	Settings     []byte // JSON, with secrets
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

var (
	channelsTable = engine.NewTable("channels",
		engine.Field("organization", "uuid", func(c *Channel) *string { return &c.Organization }),
		engine.TextField("name", func(c *Channel) *string { return &c.Name }),
		engine.TextField("kind", func(c *Channel) *earshot.ChannelKind { return &c.Kind }),
		engine.BytesAsText("settings", func(c *Channel) *[]byte { return &c.Settings }),
		engine.TimeField("created_at", func(c *Channel) *time.Time { return &c.CreatedAt }),
		engine.TimeField("updated_at", func(c *Channel) *time.Time { return &c.UpdatedAt }))
	upsertChannels = channelsTable.Insert(`ON CONFLICT (organization, name) DO UPDATE SET kind = excluded.kind, settings = excluded.settings, updated_at = excluded.updated_at`)
)

// Tag returns the version of the channel.
func (c *Channel) Tag() string {
	return store.Tag(engine.Millis(c.CreatedAt), engine.Millis(c.UpdatedAt))
}

// channelScheme begins the URL of a delivery to a channel. The URL does not show the channel's
// real address.
const channelScheme = "channel://"

// ChannelURL returns the URL of deliveries to a channel.
func ChannelURL(name string) string { return channelScheme + name }

// IsChannelURL reports whether a URL was made by ChannelURL.
func IsChannelURL(url string) bool { return strings.HasPrefix(url, channelScheme) }

// Channels lists the channels of an organization by name.
func (s *Store) Channels(ctx context.Context, organization string) ([]*Channel, error) {
	channels, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, channelsTable, `WHERE organization = $1 ORDER BY name`, organization)
	return channels, engine.Wrap(err, "list channels")
}

// Channel returns a channel. It returns ErrNotFound.
func (s *Store) Channel(ctx context.Context, organization, name string) (*Channel, error) {
	c, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, channelsTable, `WHERE organization = $1 AND name = $2`, organization, name)
	return c, engine.Wrap(err, "channel %s", name)
}

// SaveChannel creates or changes a channel and reports whether it was new. It returns
// CodeConflict if there are too many channels.
func (s *Store) SaveChannel(c *Channel, by account.Actor) (created bool, err error) {
	err = s.Commit(store.Change{Organization: c.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		all, err := engine.FindRows(ctx, w, channelsTable, `WHERE organization = $1`, c.Organization)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(other *Channel) bool { return other.Name == c.Name })
		tag := ""
		if created = at < 0; !created {
			tag = all[at].Tag()
			c.UpdatedAt = time.UnixMilli(max(engine.Millis(c.UpdatedAt), engine.Millis(all[at].UpdatedAt)+1)) // another version
		}
		if err := store.Expect(by, tag); err != nil {
			return err
		}
		if created && len(all) >= MaxChannels {
			return &earshot.Error{
				Code: earshot.CodeConflict, Message: fmt.Sprintf("an organization may have at most %d channels", MaxChannels),
				Details: earshot.ConflictDetails{ID: c.Name},
			}
		}
		what := store.Audited{Action: "channel.save", Subject: c.Name, After: auditedChannel{Kind: c.Kind}}
		if !created {
			what.Before = auditedChannel{Kind: all[at].Kind}
			what.After = auditedChannel{c.Kind, !bytes.Equal(all[at].Settings, c.Settings)}
		}
		return errors.Join(engine.Each(ctx, w.Tx, upsertChannels, []*Channel{c}, nil), w.Audit(c.Organization, by, what, c.UpdatedAt))
	}})
	if err != nil {
		return false, fmt.Errorf("save channel %s: %w", c.Name, err)
	}
	return created, nil
}

// auditedChannel is a channel in the audit log. The settings are secret.
type auditedChannel struct {
	Kind            earshot.ChannelKind `json:"kind"`
	SettingsChanged bool                `json:"settingsChanged,omitempty"`
}

// DeleteChannel deletes a channel. Planned deliveries to it are never sent. It returns
// ErrNotFound.
func (s *Store) DeleteChannel(organization, name string, by account.Actor, now time.Time) error {
	err := s.Commit(store.Change{Organization: organization, Apply: func(ctx context.Context, w *store.Work) error {
		const this = `WHERE organization = $1 AND name = $2`
		c, err := engine.FirstRow(ctx, w, channelsTable, this, organization, name)
		if err != nil {
			return err
		}
		if err := store.Expect(by, c.Tag()); err != nil {
			return err
		}
		if _, err := w.Run(ctx, `DELETE FROM channels `+this, organization, name); err != nil {
			return err
		}
		return w.Audit(organization, by, store.Audited{Action: "channel.delete", Subject: name, Before: auditedChannel{Kind: c.Kind}}, now)
	}})
	return engine.Wrap(err, "delete channel %s", name)
}

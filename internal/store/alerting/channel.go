package alerting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
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
func (s *Store) SaveChannel(c *Channel) (created bool, err error) {
	err = s.Commit(store.Change{Organization: c.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		names, err := engine.FindValues[string](ctx, w, `SELECT name FROM channels WHERE organization = $1`, c.Organization)
		if err != nil {
			return err
		}
		created = !slices.Contains(names, c.Name)
		if created && len(names) >= MaxChannels {
			return &earshot.Error{
				Code: earshot.CodeConflict, Message: fmt.Sprintf("an organization may have at most %d channels", MaxChannels),
				Details: earshot.ConflictDetails{ID: c.Name},
			}
		}
		return engine.Each(ctx, w.Tx, upsertChannels, []*Channel{c}, nil)
	}})
	if err != nil {
		return false, fmt.Errorf("save channel %s: %w", c.Name, err)
	}
	return created, nil
}

// DeleteChannel deletes a channel. Planned deliveries to it are never sent. It returns
// ErrNotFound.
func (s *Store) DeleteChannel(organization, name string) error {
	n, err := s.ShardOf(organization).Run(`DELETE FROM channels WHERE organization = $1 AND name = $2`, organization, name)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("delete channel %s: %w", name, err)
	}
	return err
}

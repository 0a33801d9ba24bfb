package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"earshot"
)

// Alerts lists what moved in a tracker and other things worth a look, the newest first.
// It works like Tasks.
func (c *Client) Alerts(ctx context.Context, tracker string, q earshot.AlertQuery) iter.Seq2[*earshot.Alert, error] {
	return items(func(cursor string) (earshot.List[earshot.Alert], *string, error) {
		q.Cursor = cursor
		page, err := get[earshot.AlertPage](ctx, c, query(trackerPath(tracker, "alerts"), q))
		if err != nil {
			return nil, nil, err
		}
		return page.Alerts, page.NextCursor, nil
	})
}

// AcknowledgeAlert notes that an alert was seen: from then on the next one that tells the
// same is raised again.
func (c *Client) AcknowledgeAlert(ctx context.Context, tracker, id string) (*earshot.Alert, error) {
	seen, err := exchange[earshot.AlertAcknowledged](ctx, c, call{method: http.MethodPost, path: trackerPath(tracker, "alerts", id, "acknowledge"), repeat: idempotent})
	if err != nil {
		return nil, err
	}
	return &seen.Alert, nil
}

// TestAlerts sends a test to all channels of a tracker, or to the named one.
func (c *Client) TestAlerts(ctx context.Context, tracker, channel string) ([]earshot.ChannelTest, error) {
	result, err := exchange[earshot.AlertTestResult](ctx, c, call{method: http.MethodPost, path: trackerPath(tracker, "alerts", "test"), body: earshot.AlertTestRequest{Channel: channel}})
	if err != nil {
		return nil, err
	}
	return result.Tests, nil
}

// Channels lists where alerts of trackers can be sent.
func (c *Client) Channels(ctx context.Context) ([]earshot.Channel, error) {
	list, err := get[earshot.ChannelList](ctx, c, "/v1/channels")
	if err != nil {
		return nil, err
	}
	return list.Channels, nil
}

// SaveChannel makes a channel, or changes it. It needs a key with the scope admin, as
// DeleteChannel does.
func (c *Client) SaveChannel(ctx context.Context, name string, channel earshot.ChannelRequest) (*earshot.ChannelSaved, error) {
	return exchange[earshot.ChannelSaved](ctx, c, call{method: http.MethodPut, path: "/v1/channels/" + url.PathEscape(name), body: channel, repeat: idempotent})
}

// DeleteChannel deletes a channel that no tracker names.
func (c *Client) DeleteChannel(ctx context.Context, name string) error {
	o, err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/channels/" + url.PathEscape(name), repeat: idempotent}, &earshot.ChannelDeleted{})
	if o.unsure && IsCode(err, earshot.CodeNotFound) {
		return nil // the try whose answer was lost has deleted it
	}
	return err
}

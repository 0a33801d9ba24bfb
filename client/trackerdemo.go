package client

import (
	"context"
	"net/http"
	"net/url"

	"earshot"
)

// MakeDemo makes a tracker with a history that is made up, or makes it anew. It takes
// some seconds and costs nothing.
func (c *Client) MakeDemo(ctx context.Context, name string, demo earshot.DemoRequest) (*earshot.DemoMade, error) {
	return exchange[earshot.DemoMade](ctx, c, call{method: http.MethodPost, path: "/v1/trackers/" + url.PathEscape(name) + "/demo", body: demo, repeat: idempotent})
}

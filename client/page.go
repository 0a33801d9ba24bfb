package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"earshot"
)

// Tasks lists tasks, newest first and without their results. It fetches pages as
// the loop comes to them, and ends with the first error.
func (c *Client) Tasks(ctx context.Context, q earshot.TaskQuery) iter.Seq2[*earshot.TaskRecord, error] {
	return items(func(cursor string) (earshot.List[earshot.TaskRecord], *string, error) {
		q.Cursor = cursor
		page, err := get[earshot.TaskPage](ctx, c, query("/v1/async/tasks", q))
		if err != nil {
			return nil, nil, err
		}
		return page.Tasks, page.NextCursor, nil
	})
}

// items yields the items of all pages.
func items[T any](fetch func(cursor string) (page earshot.List[T], next *string, err error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			page, next, err := fetch(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(&page[i], nil) {
					return
				}
			}
			if next == nil || *next == cursor { // the same page for ever would be a fault of the service
				return
			}
			cursor = *next
		}
	}
}

// Deliveries lists the webhooks of tasks, that of the newest task first: all of
// them, or those in one state. It works like Tasks.
func (c *Client) Deliveries(ctx context.Context, state earshot.DeliveryState) iter.Seq2[*earshot.Delivery, error] {
	return items(func(cursor string) (earshot.List[earshot.Delivery], *string, error) {
		page, err := get[earshot.DeliveryPage](ctx, c, query(deliveriesPath, earshot.DeliveryQuery{State: state, PageQuery: earshot.PageQuery{Cursor: cursor}}))
		if err != nil {
			return nil, nil, err
		}
		return page.Deliveries, page.NextCursor, nil
	})
}

const deliveriesPath = "/v1/webhooks/deliveries"

// Delivery returns the state of the webhook of one task. Its id is the task's, and the
// webhook-id that the receiver sees.
func (c *Client) Delivery(ctx context.Context, id string) (*earshot.Delivery, error) {
	return get[earshot.Delivery](ctx, c, deliveriesPath+"/"+url.PathEscape(id))
}

// Resend sends a webhook again, delivered or not.
func (c *Client) Resend(ctx context.Context, id string) (*earshot.Delivery, error) {
	resent, err := exchange[earshot.DeliveryResent](ctx, c, call{method: http.MethodPost, path: deliveriesPath + "/" + url.PathEscape(id) + "/resend"})
	if err != nil {
		return nil, err
	}
	return &resent.Delivery, nil
}

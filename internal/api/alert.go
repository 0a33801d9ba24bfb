package api

import (
	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
)

func alertOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/alerts", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "Alerts"}},
			func(s *Server, c *call, q earshot.AlertQuery, _ none) (*earshot.AlertPage, error) {
				before, err := idCursor(q.Cursor)
				if err != nil {
					return nil, err
				}
				return s.Trackers.Alerts(c.context(), c.organization(), c.trackerName(), &q, before)
			}),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/alerts/{id}/acknowledge", Scope: account.ScopeTrack, Finds: "alert", Unkeyed: repeatable, Audit: "alert.acknowledge", Client: Method{Name: "AcknowledgeAlert", Returns: "Alert"}},
			func(s *Server, c *call, _, _ none) (*earshot.AlertAcknowledged, error) {
				return s.Trackers.Acknowledge(c.context(), c.organization(), c.trackerName(), c.subject(), c.actor(), s.Store.Now())
			}),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/alerts/test", Claims: true, Scope: account.ScopeTrack, BodyOptional: true, Finds: "tracker", Unaudited: sendsTest, Client: Method{Name: "TestAlerts", Takes: []string{"Channel"}, Returns: "Tests"}},
			func(s *Server, c *call, _ none, request earshot.AlertTestRequest) (*earshot.AlertTestResult, error) {
				c.turn.End() // the rest is only waiting for receivers
				return s.Trackers.TestAlerts(c.context(), c.organization(), c.trackerName(), request.Channel, s.Store.Now())
			}),
	}
}

func channelOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/channels", Scope: account.ScopeRead, Client: Method{Name: "Channels", Returns: "Channels"}},
			func(s *Server, c *call, _, _ none) (*earshot.ChannelList, error) {
				return s.Trackers.Channels(c.context(), c.organization())
			}),
		operation(Operation{Method: "GET", Path: "/v1/channels/{name}", Scope: account.ScopeRead, Finds: "channel", Client: Method{Name: "Channel"}},
			func(s *Server, c *call, _, _ none) (earshot.Channel, error) {
				return s.Trackers.Channel(c.context(), c.organization(), c.subject())
			}),
		operation(Operation{Method: "PUT", Path: "/v1/channels/{name}", Scope: account.ScopeAdmin, Audit: "channel.save", Client: Method{Name: "SaveChannel"}}, (*Server).saveChannel),
		operation(Operation{Method: "DELETE", Path: "/v1/channels/{name}", Scope: account.ScopeAdmin, Finds: "channel", Audit: "channel.delete", Client: Method{Name: "DeleteChannel", Returns: nothing}},
			func(s *Server, c *call, _, _ none) (earshot.ChannelDeleted, error) {
				name := c.subject()
				return earshot.ChannelDeleted{Name: name}, s.Trackers.DeleteChannel(c.context(), c.organization(), name, c.actor(), s.Store.Now())
			}),
		operation(Operation{Method: "POST", Path: "/v1/channels/{name}/test", Claims: true, Scope: account.ScopeAdmin, Finds: "channel", Unaudited: sendsTest, Client: Method{Name: "TestChannel", Returns: "Test"}},
			func(s *Server, c *call, _, _ none) (earshot.ChannelTestResponse, error) {
				c.turn.End() // the rest is only waiting for the receiver
				test, err := s.Trackers.TestReceiver(c.context(), c.organization(), c.subject(), s.Store.Now())
				return earshot.ChannelTestResponse{Test: test}, err
			}),
	}
}

func (s *Server) saveChannel(c *call, _ none, in unchecked[earshot.ChannelRequest]) (*earshot.ChannelSaved, error) {
	name := c.subject()
	if !schema.IsTrackerName(name) {
		return nil, schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	if in.Err() == nil { // otherwise the fields may be zero
		s.Trackers.CheckChannel(in.Object, &in.value)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return s.Trackers.SaveChannel(c.context(), c.organization(), name, &in.value, c.actor(), s.Store.Now())
}

package api

import (
	"fmt"
	"net/http"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/track/report"
)

// reportOperations returns the operations for exports and reports.
func reportOperations() []Operation {
	return []Operation{
		special(Operation{Method: "GET", Path: "/v1/trackers/{name}/export", Scope: account.ScopeRead, Finds: "tracker"}, (*Server).exportTracker),
		special(Operation{Method: "GET", Path: "/v1/trackers/{name}/report", Scope: account.ScopeRead, Finds: "tracker"}, (*Server).trackerReport),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/report", Claims: true, Scope: account.ScopeTrack, BodyOptional: true, Finds: "tracker", Unaudited: "the report is stored and listed", Client: Method{Name: "SendReport", Takes: []string{"Channel"}, Returns: "Report"}},
			func(s *Server, c *call, _ none, request earshot.ReportSendRequest) (*earshot.ReportSent, error) {
				return s.Trackers.SendReport(c.context(), c.organization(), c.trackerName(), request.Channel, s.Store.Now())
			}),
	}
}

// trackerReport sends a report on a tracker.
func (s *Server) trackerReport(c *call, q earshot.ReportQuery, _ none) error {
	in, err := s.Reports.Report(c.context(), c.organization(), c.trackerName(), &q, s.Store.Now())
	if err != nil {
		return err
	}
	write, ending, media := report.HTML, "html", "text/html; charset=utf-8"
	if q.Format == "md" {
		write, ending, media = report.Markdown, "md", "text/markdown; charset=utf-8"
	}
	document, err := write(in)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, c.trackerName(), in.Compare.Period.To, ending))
	c.w.Header().Set("Content-Security-Policy", report.Policy)
	c.write(http.StatusOK, media, document)
	return nil
}

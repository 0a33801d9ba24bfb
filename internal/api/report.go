package api

import (
	"fmt"
	"net/http"

	"earshot"
	"earshot/internal/track/report"
)

// trackerReport answers with a document about a tracker.
func (s *Server) trackerReport(c *call) error {
	var q earshot.ReportQuery
	if err := c.query(&q); err != nil {
		return err
	}
	in, err := s.Reports.Report(c.r.Context(), c.principal.OrganizationID, c.trackerName(), &q, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
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

// sendReport sends a report to channels now.
func (s *Server) sendReport(c *call) error {
	var body earshot.ReportSendRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	sent, err := s.Trackers.SendReport(c.r.Context(), c.principal.OrganizationID, c.trackerName(), body.Channel, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "tracker", c.trackerName())
	}
	return c.json(sent)
}

package api

// resolve tells where a redirect link of the search engine leads. It is no job:
// it takes no slot and costs nothing.
func (s *Server) resolve(c *call) error {
	if s.Jobs.Draining() {
		return errStopping()
	}
	in, err := c.object()
	if err != nil {
		return err
	}
	destination, err := s.Goto(c.r.Context(), in)
	if err != nil {
		return err
	}
	return c.json(gotoBody{Success: true, URL: destination})
}

type gotoBody struct {
	Success bool   `json:"success"`
	URL     string `json:"url"`
}

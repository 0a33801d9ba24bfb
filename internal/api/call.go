package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api/compressed"
	"earshot/internal/job"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/limits/share"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/telemetry/trace"
)

const (
	maxBody   = 1 << 20
	maxBatch  = 8 << 20
	bodyTime  = 30 * time.Second // timeout for receiving a body
	writeTime = 60 * time.Second // timeout for each write of a response
)

// call is the state of one request.
type call struct {
	server     *Server
	w          http.ResponseWriter
	r          *http.Request
	id         string
	started    time.Time
	route      *Operation
	principal  *account.Principal // nil until the key is checked
	credential string             // the key or the secret of the session; "" until the key is checked
	window     ratelimit.Verdict  // for the rate limit headers
	leave      func()             // releases the place among the requests in flight, and the turn
	turn       *share.Turn        // nil until the request is admitted
	busy       bool               // refused because the node is overloaded
	received   []byte             // the body; nil until it was read
	receipt    job.Receipt
	status     int
	span       trace.Span
}

// endSpan ends the span of the request. err is the request's error, if any.
func (c *call) endSpan(err error) {
	if c.principal != nil {
		c.span.String(trace.Organization, c.principal.OrganizationID)
	}
	c.span.Int(trace.Status, c.status)
	if err != nil {
		c.span.String(trace.Outcome, string(earshot.ErrorCode(err)))
	}
	if c.status >= http.StatusInternalServerError {
		c.span.Fail(strconv.Itoa(c.status))
	}
	c.span.End()
}

// object parses the body as one JSON object.
func (c *call) object() (*schema.Object, error) {
	body, err := c.body(cmp.Or(c.route.maxBody(), maxBody))
	if err != nil {
		return nil, err
	}
	return schema.Parse(body)
}

// body returns the body, of at most maxBytes. It reads the body only once.
func (c *call) body(maxBytes int64) ([]byte, error) {
	if c.received != nil {
		return c.received, nil
	}
	if err := c.checkContentType(); err != nil {
		return nil, err
	}
	control := http.NewResponseController(c.w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return nil, fmt.Errorf("limit the time of the body: %w", err)
	}
	c.turn.Pause() // others work while a slow client sends
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBytes))
	if err != nil {
		return nil, bodyError(c.r, err)
	}
	// From here on, a read only detects that the client disconnects.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("lift the limit of the body: %w", err)
	}
	if err := c.turn.Resume(c.r.Context()); err != nil {
		return nil, err
	}
	c.w.Header().Del("Connection")
	if len(body) == 0 && c.route.BodyOptional {
		body = []byte("{}")
	}
	c.received = body
	return body, nil
}

// Limits for reading a body after the request was refused.
const (
	maxDrained = 64 << 20
	drainTime  = 10 * time.Second
)

// drain reads and discards the body after a refusal. Otherwise, a client that sends its
// whole body before it reads the response would get a broken connection. The bodies of
// unauthenticated clients are not drained.
func (c *call) drain() {
	if c.principal == nil || c.received != nil || c.r.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(c.w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, c.r.Body, maxDrained) // the response was already sent
}

// query decodes the URL's parameters into the struct that into points to.
func (c *call) query(into any) error {
	if c.route.AnyQuery {
		return nil
	}
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return schema.Invalid("query", "cannot be read")
	}
	return schema.DecodeQuery(values, into)
}

func bodyError(r *http.Request, err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return schema.Invalid(schema.BodyField, "must have at most %d bytes", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded): // the deadline also ends the request's context
		return schema.Invalid(schema.BodyField, "must arrive within %s", bodyTime)
	case r.Context().Err() != nil:
		return err // the client has disconnected
	default:
		return schema.Invalid(schema.BodyField, "could not be read")
	}
}

// isYAML reports whether the body is in YAML.
func (c *call) isYAML() bool {
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")) // checkContentType has checked it
	return kind == mimeYAML
}

const (
	mimeYAML       = "application/yaml"
	mimeMergePatch = "application/merge-patch+json"
)

func (c *call) checkContentType() error {
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return c.errMediaType("must not be compressed")
	}
	header := c.r.Header.Get("Content-Type")
	if header == "" || c.route.Form {
		return nil
	}
	kind, params, err := mime.ParseMediaType(header)
	if c.route.YAML && err == nil && kind == mimeYAML {
		return nil
	}
	isPatch := c.route.Method == http.MethodPatch && kind == mimeMergePatch
	if err != nil || !isPatch && kind != "application/json" {
		return c.errMediaType("must be sent as application/json")
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return c.errMediaType("must be UTF-8")
	}
	return nil
}

// errMediaType refuses a body because of its media type.
func (c *call) errMediaType(message string) error {
	if c.route.FixedStatuses() {
		return schema.Invalid(schema.BodyField, "%s", message)
	}
	return &earshot.Error{Code: earshot.CodeMediaType, Message: schema.BodyField + ": " + message}
}

// limits sets the rate limit headers.
func (c *call) limits(v ratelimit.Verdict) {
	c.window = v
	// Set would change the documented spelling.
	c.w.Header()["X-RateLimit-Limit"] = []string{strconv.Itoa(v.Limit)}
	c.w.Header()["X-RateLimit-Remaining"] = []string{strconv.Itoa(v.Remaining)}
}

// within sets the rate limit headers, and returns an error if the request exceeds the limit.
func (c *call) within(v ratelimit.Verdict) error {
	c.limits(v)
	if !v.Allowed {
		return errRateLimit(v)
	}
	return nil
}

// actor returns the principal as the actor of a change.
func (c *call) actor() account.Actor {
	return c.actorOf(c.principal)
}

func (c *call) actorOf(p *account.Principal) account.Actor {
	by := p.Actor()
	by.Address, by.Request, by.IfMatch = c.ip(), c.id, strings.Join(c.r.Header.Values("If-Match"), ",")
	return by
}

// ip returns the client's IP address, for people to read.
func (c *call) ip() string {
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		return c.r.RemoteAddr // from a trusted proxy, without a port
	}
	return host
}

// address returns the account of the client's address, for limits of clients without a key.
func (c *call) address() string { return share.Address(c.r.RemoteAddr) }

// json sends v with the status 200.
func (c *call) json(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	// A reader holds the response until it has read it. A request that has changed or charged
	// something cannot be refused any more.
	if bytes := int64(len(body)); c.principal != nil && bytes > pageBytes {
		changed := c.r.Method != http.MethodGet && c.route.Unaudited != changesNothing
		if changed {
			c.server.bodies.ForceTake(c.organization(), bytes)
		} else if !c.server.bodies.Take(c.organization(), bytes) {
			return errPastShare("the clients of this account are reading too many large responses at once, try again")
		}
		defer c.server.bodies.Release(c.organization(), bytes)
	}
	c.write(http.StatusOK, "application/json", body)
	return nil
}

// part sends a part of a streamed response. The first part begins the response, which is
// JSON unless Content-Type is set. part reports whether the client received it within
// writeTime.
func (c *call) part(pieces ...[]byte) bool {
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(writeTime))
	if c.status == 0 {
		c.status = http.StatusOK
		if c.w.Header().Get("Content-Type") == "" {
			c.w.Header().Set("Content-Type", "application/json")
		}
		c.w.Header().Set("X-Content-Type-Options", "nosniff")
		c.w.WriteHeader(c.status)
	}
	c.turn.Pause()
	for _, piece := range pieces {
		if _, err := c.w.Write(piece); err != nil {
			return false
		}
	}
	return c.turn.Resume(c.r.Context()) == nil
}

// pageBytes is the size of the parts in which a page is sent. A shorter page is sent whole.
const pageBytes = 32 << 10

// list sends a page of calls or tasks as an object with the list under name, and nextCursor. Few
// tasks at a time are in memory, however slowly the client reads.
func (c *call) list(name string, page *history.Page, show func(*store.Task) any) error {
	body, comma := []byte(`{"`+name+`":[`), ""
	var zip *compressed.Gzip
	send := func(last bool) bool {
		if c.status == 0 && compressed.Wanted(c.w.Header(), c.r, len(body)) {
			c.w.Header().Set("Content-Encoding", "gzip")
			zip = &compressed.Gzip{}
		}
		if zip != nil {
			body = zip.Part(body, last)
		}
		sent := c.part(body)
		body = nil
		return sent
	}
	for task, err := range page.Tasks {
		if err != nil && c.status != 0 && c.r.Context().Err() != nil {
			return c.left()
		}
		if err != nil {
			return err
		}
		item, err := json.Marshal(show(task))
		if err != nil {
			return fmt.Errorf("encode a page: %w", err)
		}
		body, comma = append(append(body, comma...), item...), ","
		if len(body) >= pageBytes && !send(false) {
			return c.left()
		}
	}
	var next *string
	if page.Next != "" {
		next = &page.Next
	}
	cursor, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode the cursor: %w", err)
	}
	body = append(append(append(body, `],"nextCursor":`...), cursor...), '}')
	if c.status == 0 {
		c.write(http.StatusOK, "application/json", body)
	} else if !send(true) {
		return c.left()
	}
	return nil
}

// cut breaks the connection of a response that cannot be completed, so that the client
// does not mistake it for a complete one.
func (c *call) cut() {
	c.status = http.StatusInternalServerError // for the log
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Unix(1, 0))
}

// write sends the response. It ignores errors, because the client has disconnected then.
func (c *call) write(status int, contentType string, body []byte) {
	if (c.principal != nil || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable) && strings.HasPrefix(c.r.URL.Path, "/v1/monitor/") {
		c.usage(status)
	}
	c.status = status
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(writeTime))
	c.w.Header().Set("Content-Type", contentType)
	if contentType == "application/json" && compressed.Wanted(c.w.Header(), c.r, len(body)) {
		c.w.Header().Set("Content-Encoding", "gzip")
		body = new(compressed.Gzip).Part(body, true)
	}
	c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	c.w.Header().Set("X-Content-Type-Options", "nosniff")
	c.turn.End() // the client may read slowly
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}

// usage sets the usage headers of a monitor call; if the database fails, only the headers
// that are known without it. For a call that is refused because of overload or the rate
// limit, it uses the cached values of the key instead of a query.
func (c *call) usage(status int) {
	h := c.w.Header()
	h.Set("X-Credits-Charged", strconv.FormatInt(c.receipt.Charged, 10))
	h.Set("X-Latency-Ms", strconv.FormatInt(time.Since(c.started).Milliseconds(), 10))
	if c.principal == nil {
		return
	}
	slots, running, balance := c.principal.Slots, c.principal.Running, c.principal.Balance
	if o := c.receipt.Organization; o != nil {
		slots, running, balance = o.Plan.Slots, c.receipt.Running, o.Balance
	} else if status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
		o, err := c.server.Orgs.Organization(c.r.Context(), c.principal.OrganizationID, c.server.Store.Now())
		if err != nil {
			return
		}
		slots, running, balance = o.Plan.Slots, o.Running, o.Balance
	}
	h.Set("X-Concurrent-Limit", strconv.Itoa(slots))
	h.Set("X-Concurrent-Current", strconv.Itoa(running))
	h.Set("X-Concurrent-Remaining", strconv.Itoa(max(0, slots-running)))
	h.Set("X-Credits-Remaining", strconv.FormatInt(balance, 10))
}

// statusRecorder records the status that a plain handler sends.
type statusRecorder struct {
	http.ResponseWriter
	call *call
}

// WriteHeader records the status.
func (w statusRecorder) WriteHeader(status int) {
	w.call.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write records the status 200 if the handler has not set one.
func (w statusRecorder) Write(b []byte) (int, error) {
	if w.call.status == 0 {
		w.call.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

package job

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/agreement"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// Shadow says which answered requests are asked a second time, for comparison.
type Shadow struct {
	With      *upstream.Client // the upstream to ask
	Share     float64          // of answered requests, from 0 to 1
	Providers []string
}

const (
	// maxShadows is how many comparisons a node makes at once. Further ones are left out.
	maxShadows = 16
	// shadowTime is how long a comparison may take: answers change with time.
	shadowTime = 10 * time.Minute
	// withinShare is the share of comparisons for which the first upstream is asked again
	// as well, to find out how much its own answers vary.
	withinShare = 0.25
	// shadowPairsKept is how long pairs are kept. It is the longest range of a report.
	shadowPairsKept = 400 * 24 * time.Hour
)

// comparison is a request that was answered and is asked again.
type comparison struct {
	job    *store.Job
	number int
	answer json.RawMessage
	first  outbound.Use // how the job was answered
	with   *upstream.Client
}

// startShadows starts the comparisons of a job that was answered. It does not block, and the
// job's client has nothing to do with them: they cost no credits. The lab is not compared,
// since its answers are made up.
func (r *Runner) startShadows(end *store.Settlement) {
	if len(r.Shadows) == 0 || end.Status != earshot.StatusCompleted {
		return
	}
	at := slices.IndexFunc(end.Uses, func(use outbound.Use) bool { return use.Reason == "" })
	if at < 0 {
		return // answered by the lab
	}
	first := end.Uses[at]
	for i, s := range r.Shadows {
		if !slices.Contains(s.Providers, end.Job.Provider) || s.With.Name() == first.Upstream || draw(end.Job.ID, 2*i) >= s.Share {
			continue
		}
		c := comparison{job: end.Job, number: 2*i + 1, answer: end.Result, first: first, with: s.With}
		r.startShadow(c)
		clients := r.Upstreams.Of(end.Job.Provider)
		own := slices.IndexFunc(clients, func(client *upstream.Client) bool { return client.Name() == first.Upstream })
		if own >= 0 && draw(end.Job.ID, 2*i+1) < withinShare {
			c.number, c.with = 2*i+2, clients[own]
			r.startShadow(c)
		}
	}
}

// draw returns a number from 0 to 1 that depends only on a job and a purpose, so that every
// node decides in the same way.
func draw(job string, purpose int) float64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64([]byte(job), uint64(purpose)))
	// FNV changes the high bits too little, so they are mixed as in MurmurHash3.
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return float64((x^x>>33)>>11) / (1 << 53)
}

// startShadow makes a comparison in the background, unless the node makes many already or stops.
func (r *Runner) startShadow(c comparison) {
	select {
	case r.shadowing <- struct{}{}:
	default:
		r.Log.Info("a comparison was left out: too many are under way", "job", c.job.ID)
		return
	}
	if !r.enter() {
		<-r.shadowing
		return
	}
	go func() {
		defer r.running.Done()
		defer func() { <-r.shadowing }()
		if err := r.compare(r.shadowCtx, &c); err != nil && r.shadowCtx.Err() == nil {
			r.Log.Info("a comparison was not made", "job", c.job.ID, "upstream", c.with.Name(), "error", err)
		}
	}()
}

// compare asks the second upstream and stores how much its answer agrees with the job's.
func (r *Runner) compare(ctx context.Context, c *comparison) error {
	_, request, err := r.decode(c.job)
	if err != nil {
		return err
	}
	if via := c.with.Via(); via != "" {
		if err := r.Vendors.Covers(request, via); err != nil {
			return err
		}
	}
	answer, uses, err := r.askShadow(ctx, c, request)
	if len(uses) == 0 {
		return err // nothing was asked
	}
	last := uses[len(uses)-1]
	pair := &outbound.ShadowPair{
		Organization: c.job.Organization, Job: c.job.ID, Number: c.number, At: r.Store.Now(), Provider: c.job.Provider, Country: request.Locale().Country,
		First: c.first.Upstream, Second: c.with.Name(), Reason: last.Reason, FirstMs: c.first.Took.Milliseconds(), SecondMs: last.Took.Milliseconds(),
		FirstMicroUSD: c.first.MicroUSD, SecondMicroUSD: last.MicroUSD,
	}
	if answer != nil {
		figures, err := agreement.Compare(c.answer, answer)
		if err != nil {
			return err
		}
		pair.Domains, pair.Organic, pair.Fields = millionths(figures.Domains), millionths(figures.Organic), millionths(figures.Fields)
		pair.Brands = r.compareBrands(ctx, c, answer)
	}
	stored := usesOf(uses)
	if err := r.Store.SaveShadowPair(pair, stored); err != nil {
		return err
	}
	r.spending.add(stored)
	return nil
}

// compareBrands compares the brands that both answers to a tracker's prompt name.
func (r *Runner) compareBrands(ctx context.Context, c *comparison, answer json.RawMessage) *int64 {
	if c.job.Tracker == "" || r.Brands == nil {
		return nil
	}
	first, err := r.Brands(ctx, c.job, c.answer)
	if err != nil {
		r.Log.Info("brands were not compared", "job", c.job.ID, "error", err)
		return nil
	}
	second, err := r.Brands(ctx, c.job, answer)
	if err != nil {
		return nil
	}
	return millionths(agreement.Jaccard(first, second))
}

func millionths(figure *float64) *int64 {
	if figure == nil {
		return nil
	}
	return new(int64(math.Round(*figure * 1e6)))
}

func fraction(millionths *int64) *float64 {
	if millionths == nil {
		return nil
	}
	return new(float64(*millionths) / 1e6)
}

// askShadow asks an upstream once, and polls until a vendor has answered. It returns the
// result and the use of the upstream. There is no use if the upstream was not asked or the
// node stops.
func (r *Runner) askShadow(ctx context.Context, c *comparison, request provider.Request) (result json.RawMessage, uses []upstream.Use, err error) {
	ctx, cancel := context.WithTimeout(ctx, shadowTime)
	defer cancel()
	turn := r.Turns.Later(c.job.Organization)
	defer turn.End()
	a := &assignment{job: c.job, turn: turn}
	try := &upstream.Attempt{
		Provider: c.job.Provider, Account: c.job.Organization, Turn: turn, Place: request.Locale().Place(), Number: 1, CaptureURL: r.CaptureURL,
		// The ticket has a new id, since a vendor would answer the job's id with the job's answer.
		Tickets: &upstream.Tickets{Job: uuid.NewString(), Save: func(context.Context, *upstream.Ticket) error { return nil }},
	}
	for {
		err := r.Upstreams.TryShadow(ctx, c.with, try, func(session *upstream.Session) error {
			answer, err := r.ask(ctx, c.job.ID, request, session)
			if err != nil {
				return err
			}
			result, err = json.Marshal(answer.Result)
			return err
		})
		pending, waits := errors.AsType[*upstream.Pending](err)
		if !waits {
			return result, try.Uses, err
		}
		if r.pause(ctx, a, pending.After) {
			continue
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			uses = []upstream.Use{{Upstream: c.with.Name(), Paid: c.with.Paid(), Reason: earshot.ReasonTimeout, Took: shadowTime}}
		}
		return nil, uses, ctx.Err()
	}
}

// Agreement returns how much the upstreams of an organization agree, over some days.
func (r *Runner) Agreement(ctx context.Context, organization string, days int) (*earshot.Agreement, error) {
	pairs, err := r.outbound.ShadowPairs(ctx, organization, r.Store.Now().AddDate(0, 0, -days))
	if err != nil {
		return nil, err
	}
	compared := make([]*agreement.Pair, len(pairs))
	for i, p := range pairs {
		compared[i] = &agreement.Pair{
			Provider: p.Provider, Country: p.Country, First: p.First, Second: p.Second, Reason: p.Reason,
			Figures: agreement.Figures{Domains: fraction(p.Domains), Organic: fraction(p.Organic), Fields: fraction(p.Fields)}, Brands: fraction(p.Brands),
			FirstMs: p.FirstMs, SecondMs: p.SecondMs, FirstMicroUSD: p.FirstMicroUSD, SecondMicroUSD: p.SecondMicroUSD,
		}
	}
	return &earshot.Agreement{Groups: agreement.Report(compared)}, nil
}

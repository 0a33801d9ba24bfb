package main

import (
	"fmt"
	"time"

	"earshot"
	"earshot/client"
)

type trackerReviewsCmd struct {
	List trackerReviewListCmd `cmd:"" default:"withargs" help:"List statements to review, the last seen first."`
	Mark trackerReviewMarkCmd `cmd:"" help:"Mark a review as right, wrong, resolved or open."`
}

// Help returns the command's long help.
func (c *trackerReviewsCmd) Help() string {
	return `A review is something that answers say about one of your own brands and that a person should look at: a warning, a denial such as
"not recommended", or a value that differs from the facts in the tracker's definition. docs/reviews.md describes the rules.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name looked --days 3 --prompts 2
  earshot tracker reviews list looked`
}

type trackerReviewListCmd struct {
	State  earshot.ReviewState `help:"Only reviews in this state: open, right, wrong or resolved." placeholder:"STATE"`
	Kind   earshot.ReviewKind  `help:"Only reviews of this kind: warning, negation or fact." placeholder:"KIND"`
	Brand  string              `help:"Only reviews about this brand." placeholder:"NAME"`
	Target string              `help:"Only reviews that an answer on this target has, such as chatassistant/US." placeholder:"TARGET"`
	From   string              `help:"Only reviews seen at or after this time or day." placeholder:"TIME"`
	To     string              `help:"Only reviews seen before this time, or on or before this day." placeholder:"TIME"`
	Limit  int                 `help:"The maximum number of reviews; 0 for all." default:"20" placeholder:"N"`
	JSON   bool                `name:"json" help:"Print one JSON object per review."`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerReviewListCmd) Help() string {
	return `Lists what answers say about your own brands that a person should look at, the last seen first, each with the sentence of its newest
answer. Answers that say the same are one review.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name read --days 3 --prompts 2
  earshot tracker reviews read --state open
  earshot tracker reviews read --kind fact --json | jq -r '.fact.found'`
}

// Run lists the reviews.
func (c *trackerReviewListCmd) Run(in *invocation, service *client.Client) error {
	q := earshot.ReviewQuery{State: c.State, Kind: c.Kind, Brand: c.Brand, Target: c.Target, From: c.From, To: c.To}
	list := listing{
		explain: c.explain, limit: c.Limit, json: c.JSON, none: "there are no such reviews",
		header: []string{"LAST SEEN", "KIND", "STATE", "ANSWERS", "ID", "BRAND", "WHAT"},
	}
	q.Limit = list.page()
	return printList(in, list, service.Reviews(in, c.Name, q), func(r *earshot.Review) []string {
		return []string{r.LastSeenAt.Local().Format(time.DateTime), string(r.Kind), string(r.State), fmt.Sprint(r.Answers), r.ID, oneLine(r.Brand), oneLine(statement(r))}
	})
}

// statement returns the difference from a fact, the sentence of the newest answer, and the opinion
// of a model.
func statement(r *earshot.Review) (what string) {
	if r.Fact != nil {
		what = fmt.Sprintf("%s is %s, answers say %s: ", r.Fact.Name, r.Fact.Expected, r.Fact.Found)
	}
	if len(r.Examples) > 0 {
		what += r.Examples[0].Sentence
	}
	if r.Opinion != nil {
		what += fmt.Sprintf(" (%s says: %s, %s)", r.Opinion.Model, r.Opinion.Opinion, r.Opinion.Reason)
	}
	return what
}

type trackerReviewMarkCmd struct {
	Note string `help:"A note for others; it replaces the earlier note." placeholder:"TEXT"`
	trackerArg
	ID    string              `arg:"" help:"The review's id, as listed by 'earshot tracker reviews'."`
	State earshot.ReviewState `arg:"" help:"right if the answers are right, wrong if they are wrong, resolved if somebody has dealt with it, or open."`
}

// Help returns the command's long help.
func (c *trackerReviewMarkCmd) Help() string {
	return `Sets the state of a review. Later answers that say the same belong to the same review, which keeps its state.

Exit status: 0 it was marked, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker reviews mark shoes 6f1c2f0e-53c4-5d0e-9a44-0b7c2f6d8e11 wrong --note 'asked the shop to correct it'`
}

// Run marks the review.
func (c *trackerReviewMarkCmd) Run(in *invocation, service *client.Client) error {
	patch := earshot.ReviewPatch{State: &c.State}
	if c.Note != "" {
		patch.Note = &c.Note
	}
	r, err := service.MarkReview(in, c.Name, c.ID, patch)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "%s: %s\n", r.State, oneLine(statement(r)))
	return err
}

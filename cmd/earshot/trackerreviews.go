package main

import (
	"fmt"

	"earshot"
	"earshot/client"
)

type trackerReviewsCmd struct {
	State  earshot.ReviewState `help:"Only reviews in this state: open, right, wrong or resolved." placeholder:"STATE"`
	Kind   earshot.ReviewKind  `help:"Only reviews of this kind: warning, negation or fact." placeholder:"KIND"`
	Brand  string              `help:"Only reviews about this brand." placeholder:"NAME"`
	Target targetArg           `help:"Only reviews that an answer on this target has, such as chatassistant/US." placeholder:"TARGET"`
	From   moment              `help:"Only reviews seen at or after this time or day." placeholder:"TIME"`
	To     moment              `help:"Only reviews seen before this time, or on or before this day." placeholder:"TIME"`
	Limit  int                 `help:"The maximum number of reviews; 0 for all." default:"20" placeholder:"N"`
	output
	trackerArg
}

// Help returns the command's long help.
func (c *trackerReviewsCmd) Help() string {
	return `Lists what answers say about your own brands that a person should look at, the last seen first, each with the sentence of its newest
answer: a warning, a denial such as "not recommended", or a value that differs from the facts in the tracker's definition. Answers
that say the same are one review. docs/reviews.md describes the rules.

To mark a review as right, wrong, resolved or open: earshot api PATCH /v1/trackers/NAME/reviews/ID -f state=wrong -f note='…'

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name read --days 3 --prompts 2
  earshot tracker reviews read --state open --from -7d
  earshot tracker reviews read --kind fact --jq '.[].fact.found'`
}

// Run lists the reviews.
func (c *trackerReviewsCmd) Run(in *invocation, service *client.Client) error {
	q := earshot.ReviewQuery{State: c.State, Kind: c.Kind, Brand: c.Brand, Target: string(c.Target), From: string(c.From), To: string(c.To)}
	q.Limit = page(c.Limit)
	reviews, err := firstOf(service.Reviews(in, c.Name, q), c.Limit)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("LAST SEEN|KIND|STATE|ANSWERS|ID|BRAND|WHAT", reviews, func(r *earshot.Review) []any {
		return []any{r.LastSeenAt, r.Kind, r.State, r.Answers, r.ID, r.Brand, statement(r)}
	})
	t.none = "there are no such reviews"
	return c.print(in, t)
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

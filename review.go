package earshot

// ReviewKind is the rule that found a review.
type ReviewKind string

// The kinds.
const (
	ReviewWarning  ReviewKind = "warning"  // the sentence warns: a recall, a lawsuit, complaints, "avoid …"
	ReviewNegation ReviewKind = "negation" // the sentence denies something good: "not recommended", "not available"
	ReviewFact     ReviewKind = "fact"     // a value differs from a fact of the tracker's definition
)

// Values lists the kinds.
func (ReviewKind) Values() []ReviewKind {
	return []ReviewKind{ReviewWarning, ReviewNegation, ReviewFact}
}

// ReviewState is the judgement of a person about a review.
type ReviewState string

// The states.
const (
	ReviewOpen     ReviewState = "open"     // nobody has looked at it
	ReviewRight    ReviewState = "right"    // the answers are right
	ReviewWrong    ReviewState = "wrong"    // the answers are wrong
	ReviewResolved ReviewState = "resolved" // somebody has dealt with it
)

// Values lists the states.
func (ReviewState) Values() []ReviewState {
	return []ReviewState{ReviewOpen, ReviewRight, ReviewWrong, ReviewResolved}
}

// Fact is a fact about an own brand. A sentence that names the brand and one of `near` is
// compared with it: the value of the same kind that stands closest to the word of `near` must
// be equal to `is`. So are the prices of products that an answer shows.
type Fact struct {
	// The name of an own brand.
	Brand string `json:"brand" schema:"maxLength=200"`
	// The name of the fact, such as `price of Ollaro Road`. It is unique for the brand.
	Name string `json:"name" schema:"maxLength=100"`
	// Words or phrases, in any letter case. A sentence must contain one of them.
	Near List[string] `json:"near" schema:"minItems=1,maxItems=20,maxLength=100"`
	// The right value: a price with its currency code (`129 USD`), a year (`2004`), a number with a unit (`280 g`), or a text (`Berlin`).
	Is string `json:"is" schema:"maxLength=100"`
	// Texts that are wrong. A text in `is` needs at least one; other values need none.
	Not List[string] `json:"not,omitempty" schema:"maxItems=50,maxLength=100"`
}

// Review is something that answers say about an own brand and that a person should look at.
// Equal sentences, and equal values of the same fact, are one review. A review keeps its state
// when later answers say the same again.
type Review struct {
	ID    string     `json:"id" schema:"uuid"`
	Brand string     `json:"brand"`
	Kind  ReviewKind `json:"kind"`
	// Only for the kind `fact`.
	Fact  *FactDifference `json:"fact,omitempty"`
	State ReviewState     `json:"state"`
	Note  string          `json:"note,omitempty"`
	// When the state was set; `null` if it never was.
	MarkedAt *Timestamp `json:"markedAt"`
	// The id of the key that set the state.
	MarkedBy string `json:"markedBy,omitempty"`
	// How many answers say it.
	Answers int `json:"answers" schema:"min=0"`
	// When the first and the last of these answers were asked.
	FirstSeenAt Timestamp `json:"firstSeenAt"`
	LastSeenAt  Timestamp `json:"lastSeenAt"`
	// Only if the tracker's definition has `judge` and the model has answered.
	Opinion *ReviewOpinion `json:"opinion,omitempty"`
	// The newest of these answers, at most 5.
	Examples List[ReviewExample] `json:"examples"`
}

// Judge is a model that is asked, once for each new review of a sweep and for at most 20 of them,
// whether the sentence is a problem. Its tasks cost credits as any other task.
type Judge struct {
	// The provider of the model.
	Provider string `json:"provider" schema:"enum=model"`
	// The name of a model that the operator of the service lists.
	Model string `json:"model" schema:"maxLength=100"`
}

// Opinion is the opinion of a model about a review.
type Opinion string

// The opinions.
const (
	OpinionProblem Opinion = "problem" // the sentence is wrong or harmful
	OpinionFine    Opinion = "fine"    // nobody needs to look at the sentence
	OpinionUnsure  Opinion = "unsure"  // the model cannot tell, or its answer cannot be read
)

// Values lists the opinions.
func (Opinion) Values() []Opinion { return []Opinion{OpinionProblem, OpinionFine, OpinionUnsure} }

// ReviewOpinion is the opinion of a model about a review. It does not change the state.
type ReviewOpinion struct {
	Opinion Opinion `json:"opinion"`
	// The reason in the model's words; it may be wrong.
	Reason string `json:"reason"`
	// The model that was asked.
	Model string `json:"model"`
	// The task that asked it, and the credits that the task cost.
	Task    string `json:"task" schema:"uuid"`
	Charged int64  `json:"charged" schema:"min=0"`
}

// FactDifference is a value that differs from a fact.
type FactDifference struct {
	Name string `json:"name"`
	// The value of the definition when the answers were reviewed.
	Expected string `json:"expected"`
	// The value in the answers.
	Found string `json:"found"`
}

// ReviewExample is an answer with the sentence that was found.
type ReviewExample struct {
	// The id of the answer.
	Answer  string    `json:"answer" schema:"uuid"`
	Sweep   string    `json:"sweep" schema:"uuid"`
	Prompt  string    `json:"prompt"`
	Target  string    `json:"target"`
	AskedAt Timestamp `json:"askedAt"`
	// The sentence, or the title of a product, as it is written in the answer. A long one is cut.
	Sentence string              `json:"sentence"`
	Matches  List[ReviewedWords] `json:"matches"`
}

// ReviewedWords are the words of a sentence that a rule matched.
type ReviewedWords struct {
	// Why a person should look, such as `recall`, `lawsuit`, `not-recommended`; for a fact, `price`, `year`, `number` or `text`.
	Reason string `json:"reason"`
	// Byte offsets in the sentence, the end not included.
	Start int `json:"start" schema:"min=0"`
	End   int `json:"end" schema:"min=0"`
}

// ReviewQuery is a filter of the list of reviews.
type ReviewQuery struct {
	State ReviewState `json:"state,omitempty"`
	Kind  ReviewKind  `json:"kind,omitempty"`
	Brand string      `json:"brand,omitempty" schema:"maxLength=200"`
	// Only reviews that an answer on this target has, such as `chatassistant/US`.
	Target string `json:"target,omitempty" schema:"maxLength=200"`
	// Only reviews that an answer has which was asked in this time. A day is a whole UTC day; `to` is included if it is a day.
	From   string `json:"from,omitempty" schema:"moment"`
	To     string `json:"to,omitempty" schema:"moment"`
	Limit  int    `json:"limit,omitempty" schema:"min=1,max=100,default=20"`
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// ReviewPage is a page of reviews, the last seen first.
type ReviewPage struct {
	Reviews    List[Review] `json:"reviews"`
	NextCursor *string      `json:"nextCursor" schema:"nextCursor"`
}

// ReviewPatch is a change of a review. A field that is left out keeps its value.
type ReviewPatch struct {
	State *ReviewState `json:"state,omitempty"`
	// A note for others; it replaces the earlier note, and `null` removes it.
	Note *string `json:"note,omitempty" schema:"maxLength=2000,null"`
}

// ReviewMarked is the review after its state was set.
type ReviewMarked struct {
	Succeeded
	Review Review `json:"review"`
}

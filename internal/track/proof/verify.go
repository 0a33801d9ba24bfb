package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
)

// Tolerance is the maximum difference between two numbers that agree. Sums in another order
// have different rounding errors.
const Tolerance = 1e-12

// Check compares a stated number with the recomputed number.
type Check struct {
	What       string `json:"what"`  // such as visibility@m1, Ollaro, chatassistant/US
	Field      string `json:"field"` // such as value or interval.rerun[0]
	Stated     any    `json:"stated"`
	Recomputed any    `json:"recomputed"`
	Agrees     bool   `json:"agrees"`
}

// Verify recomputes all numbers of a proof and compares them with the stated numbers. It
// returns an error if the file is not a valid proof.
func Verify(file io.Reader) (head *Head, checks []Check, err error) {
	v := verifier{stated: map[string]map[string]any{}}
	lines := json.NewDecoder(file)
	for n := 1; ; n++ {
		var l Line
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil, fmt.Errorf("the file is cut off in line %d", n)
		} else if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
		if err := v.line(&l); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if v.head == nil {
		return nil, nil, errors.New("the file is empty")
	}
	return v.head, v.checks, v.finish()
}

type verifier struct {
	head    *Head
	panel   *analysis.Panel
	dataset *metric.Dataset
	stated  map[string]map[string]any // stated numbers by label
	order   []string
	checks  []Check
}

func (v *verifier) line(l *Line) (err error) {
	switch {
	case l.Head != nil:
		return v.begin(l.Head)
	case v.head == nil:
		return errors.New("the file must begin with a head; 'earshot tracker export NAME --table numbers' writes such a file")
	case l.Answer != nil:
		return v.answer(l.Answer)
	default:
		what, numbers, err := read(l)
		if err == nil && v.stated[what] != nil {
			err = fmt.Errorf("%s is stated twice", what)
		}
		v.stated[what] = numbers
		v.order = append(v.order, what)
		return err
	}
}

func (v *verifier) begin(head *Head) (err error) {
	if v.head != nil {
		return errors.New("the file has a second head")
	}
	if head.Code < codeWithContents-1 || head.Code > analysis.Version {
		return fmt.Errorf("the file was written with version %d of the analysis; this program has version %d", head.Code, analysis.Version)
	}
	v.head = head
	if v.panel, err = analysis.NewPanel(head.Panel, head.Sources...); err != nil {
		return fmt.Errorf("panel: %w", err)
	}
	if v.dataset, err = metric.NewDataset(head.Definition); err != nil {
		return fmt.Errorf("definition: %w", err)
	}
	for i, brand := range v.panel.Brands {
		if i >= len(head.Definition.Brands) || head.Definition.Brands[i].Name != brand.Name {
			return errors.New("definition: the brands differ from the panel")
		}
	}
	return nil
}

// answer counts the brands and citations that are found in the result. The findings in the
// file are only compared.
func (v *verifier) answer(a *ProvedAnswer) error {
	found, err := a.Read(v.panel, v.head)
	if err != nil {
		return fmt.Errorf("answer %s: %w", a.ID, err)
	}
	stated, err := plain(a.Observation)
	if err != nil {
		return err
	}
	recomputed, err := plain(found)
	if err != nil {
		return err
	}
	// Only differences are kept, because there are many answers.
	checks := compare("answer "+a.ID, "", stated, recomputed)
	v.checks = append(v.checks, slices.DeleteFunc(checks, func(c Check) bool { return c.Agrees })...)
	return v.dataset.Add(found)
}

// finish compares the numbers of the dataset with the numbers of the file.
func (v *verifier) finish() error {
	lines, err := Numbers(v.dataset)
	if err != nil {
		return err
	}
	computed := map[string]map[string]any{}
	for l, err := range lines {
		if err != nil {
			return err
		}
		what, numbers, err := read(l)
		if err != nil {
			return err
		}
		if v.head.Code < codeWithContents && v.stated[what] == nil && strings.Contains(what, "@m2") {
			continue
		}
		computed[what] = numbers
		if v.stated[what] == nil {
			v.order = append(v.order, what)
		}
	}
	for _, what := range v.order {
		v.checks = append(v.checks, compare(what, "", v.stated[what], computed[what])...)
	}
	return nil
}

// read returns the label of a line and its numbers.
func read(l *Line) (what string, numbers map[string]any, err error) {
	for kind, raw := range map[string]json.RawMessage{"": l.Number, "series ": l.Series, "stability ": l.Stability} {
		if raw == nil {
			continue
		}
		if err := json.Unmarshal(raw, &numbers); err != nil {
			return "", nil, err
		}
		var labels []string
		for _, name := range []string{
			"metric", "brand", "target", "surface", "provider", "country", "prompt", "tag", "sweep", "day", "week", "month", "domain", "url", "type",
			"via", "merchant", "product", "currency", "block",
		} {
			if text, ok := numbers[name].(string); ok && text != "" {
				labels = append(labels, text)
				delete(numbers, name)
			}
		}
		if labels == nil {
			return "", nil, errors.New("the number has no labels, such as metric and brand")
		}
		return kind + strings.Join(labels, ", "), numbers, nil
	}
	return "", nil, errors.New("the line has no head, answer, number, series or stability")
}

// plain converts a value to maps, slices and basic types.
func plain(value any) (read any, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	return read, err
}

// compare compares all numbers and strings within two values. A missing value is nil.
func compare(what, field string, stated, recomputed any) (checks []Check) {
	a, isMap := stated.(map[string]any)
	b, isOtherMap := recomputed.(map[string]any)
	x, isList := stated.([]any)
	y, isOtherList := recomputed.([]any)
	switch {
	case isMap && isOtherMap:
		names := map[string]any{} // a missing row is a nil map
		maps.Copy(names, a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			checks = append(checks, compare(what, strings.TrimPrefix(field+"."+name, "."), a[name], b[name])...)
		}
	case isList && isOtherList:
		for i := range max(len(x), len(y)) {
			checks = append(checks, compare(what, fmt.Sprintf("%s[%d]", field, i), item(x, i), item(y, i))...)
		}
	default:
		checks = []Check{{What: what, Field: field, Stated: stated, Recomputed: recomputed, Agrees: agree(stated, recomputed)}}
	}
	return checks
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func agree(stated, recomputed any) bool {
	a, isNumber := stated.(float64)
	b, isOtherNumber := recomputed.(float64)
	if isNumber && isOtherNumber {
		return math.Abs(a-b) <= Tolerance
	}
	return fmt.Sprint(stated) == fmt.Sprint(recomputed)
}

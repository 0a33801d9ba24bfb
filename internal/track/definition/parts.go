package definition

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store/tracking"
)

// PromptParts are the questions that are new, changed or gone, with their numbers.
func PromptParts(t *tracking.Tracker, known []*tracking.TrackerPart, prompts []earshot.TrackedPrompt) []*tracking.TrackerPart {
	return parts(t, known, prompts, promptKey, func(p earshot.TrackedPrompt, _ map[string]bool) string { return p.Text })
}

// TargetParts is promptParts for targets. Their names are unique.
func TargetParts(t *tracking.Tracker, known []*tracking.TrackerPart, targets []earshot.Target) []*tracking.TrackerPart {
	return parts(t, known, targets, targetKey, func(target earshot.Target, taken map[string]bool) string {
		name := targetName(target)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", targetName(target), n)
		}
		return name
	})
}

// parts numbers what a definition has: what was there before keeps its number, and
// what is gone is no longer active.
func parts[T any](t *tracking.Tracker, known []*tracking.TrackerPart, items []T, key func(T) string, name func(T, map[string]bool) string) []*tracking.TrackerPart {
	numbers, taken, last := map[string]*tracking.TrackerPart{}, map[string]bool{}, 0
	for _, part := range known {
		var item T
		_ = json.Unmarshal(part.Definition, &item) // as it was stored
		numbers[key(item)] = part
		taken[part.Name] = true
		last = max(last, part.ID)
		part.Active = false
	}
	var all []*tracking.TrackerPart
	all = append(all, known...)
	for _, item := range items {
		part := numbers[key(item)]
		if part == nil {
			last++
			part = &tracking.TrackerPart{Organization: t.Organization, Tracker: t.ID, ID: last, Name: name(item, taken)}
			taken[part.Name] = true
			all = append(all, part)
		}
		part.Active = true
		part.Definition, _ = json.Marshal(item) // our own types
	}
	return all
}

// numbersOf are the numbers of parts by what makes them the same.
func numbersOf[T any](parts []*tracking.TrackerPart, key func(T) string) func(T) int {
	numbers := make(map[string]int, len(parts))
	for _, part := range parts {
		var item T
		_ = json.Unmarshal(part.Definition, &item) // as it was stored
		numbers[key(item)] = part.ID
	}
	return func(item T) int { return numbers[key(item)] }
}

// PartNames are what the numbers of a tracker's parts stand for.
type PartNames struct {
	Prompts, Targets map[int]string
	Tags             map[int][]string // of the prompts, as they are now
}

// Names returns the names of prompts and targets by their numbers.
func (s *Reader) Names(ctx context.Context, t *tracking.Tracker) (*PartNames, error) {
	prompts, err := s.Store.TrackerPrompts(ctx, t)
	if err != nil {
		return nil, err
	}
	targets, err := s.Store.TrackerTargets(ctx, t)
	if err != nil {
		return nil, err
	}
	n := &PartNames{Prompts: map[int]string{}, Targets: map[int]string{}, Tags: map[int][]string{}}
	for _, p := range prompts {
		n.Prompts[p.ID], n.Tags[p.ID] = p.Name, tagsOf(p.Definition)
	}
	for _, p := range targets {
		n.Targets[p.ID] = p.Name
	}
	return n, nil
}

// tagsOf are the tags of a question as it is stored.
func tagsOf(definition []byte) []string {
	var p earshot.TrackedPrompt
	_ = json.Unmarshal(definition, &p) // as it was stored
	return p.Tags
}

// NewID returns an id that sorts as one that was made at a moment.
func NewID(moment time.Time) string {
	id := uuid.Must(uuid.NewV7())
	var stamp [8]byte
	binary.BigEndian.PutUint64(stamp[:], uint64(moment.UnixMilli())<<16)
	copy(id[:6], stamp[:6])
	return id.String()
}

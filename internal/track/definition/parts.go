package definition

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
)

// PromptParts returns the rows of the prompts that a tracker has or had. Prompts that are no
// longer in the definition are not active.
func PromptParts(t *tracking.Tracker, known []*tracking.TrackerPart, prompts []earshot.TrackedPrompt) []*tracking.TrackerPart {
	return parts(t, known, prompts, promptKey, func(p earshot.TrackedPrompt, _ map[string]bool) string { return p.Text })
}

// TargetParts is PromptParts for targets. The names of targets are unique.
func TargetParts(t *tracking.Tracker, known []*tracking.TrackerPart, targets []earshot.Target) []*tracking.TrackerPart {
	return parts(t, known, targets, targetKey, func(target earshot.Target, taken map[string]bool) string {
		name := targetName(target)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", targetName(target), n)
		}
		return name
	})
}

// parts assigns ids to the items of a definition. An item that is already known keeps its id.
func parts[T any](t *tracking.Tracker, known []*tracking.TrackerPart, items []T, key func(T) string, name func(T, map[string]bool) string) []*tracking.TrackerPart {
	byKey, taken, last := map[string]*tracking.TrackerPart{}, map[string]bool{}, 0
	for _, part := range known {
		byKey[key(Decoded[T](part))] = part
		taken[part.Name] = true
		last = max(last, part.ID)
		part.Active = false
	}
	all := slices.Clone(known)
	for _, item := range items {
		part := byKey[key(item)]
		if part == nil {
			last++
			part = &tracking.TrackerPart{Organization: t.Organization, Tracker: t.ID, ID: last, Name: name(item, taken)}
			taken[part.Name] = true
			all = append(all, part)
		}
		part.Active = true
		part.Definition, _ = json.Marshal(item) // never fails
	}
	return all
}

// Decoded returns the stored definition of a prompt or a target.
func Decoded[T any](part *tracking.TrackerPart) (item T) {
	_ = json.Unmarshal(part.Definition, &item) // parts encoded it
	return item
}

// idsOf returns a function that finds the id of an item by its key.
func idsOf[T any](parts []*tracking.TrackerPart, key func(T) string) func(T) int {
	ids := make(map[string]int, len(parts))
	for _, part := range parts {
		ids[key(Decoded[T](part))] = part.ID
	}
	return func(item T) int { return ids[key(item)] }
}

// PartNames are the names of a tracker's prompts and targets by id.
type PartNames struct {
	Prompts, Targets map[int]string
	Tags             map[int][]string // current tags of the prompts
	Weights          map[int]float64  // current weights of the prompts

	askers  map[int]asker // by target
	vendors provider.Vendors
}

// Names returns the names of all prompts and targets that a tracker has or had.
func (s *Reader) Names(ctx context.Context, t *tracking.Tracker) (*PartNames, error) {
	prompts, targets, err := s.parts(ctx, t)
	if err != nil {
		return nil, err
	}
	n := &PartNames{Prompts: map[int]string{}, Targets: map[int]string{}, Tags: map[int][]string{}, Weights: map[int]float64{}, askers: map[int]asker{}, vendors: s.Vendors}
	for _, p := range prompts {
		prompt := Decoded[earshot.TrackedPrompt](p)
		n.Prompts[p.ID], n.Tags[p.ID], n.Weights[p.ID] = p.Name, prompt.Tags, cmp.Or(prompt.Weight, 1)
	}
	for _, p := range targets {
		n.Targets[p.ID], n.askers[p.ID] = p.Name, s.askerOf(Decoded[earshot.Target](p))
	}
	return n, nil
}

func (s *Reader) parts(ctx context.Context, t *tracking.Tracker) (prompts, targets []*tracking.TrackerPart, err error) {
	if prompts, err = s.Store.TrackerPrompts(ctx, t); err == nil {
		targets, err = s.Store.TrackerTargets(ctx, t)
	}
	return prompts, targets, err
}

// NewID returns a UUID version 7 with the given time.
func NewID(moment time.Time) string {
	id := uuid.Must(uuid.NewV7())
	var stamp [8]byte
	binary.BigEndian.PutUint64(stamp[:], uint64(moment.UnixMilli())<<16)
	copy(id[:6], stamp[:6])
	return id.String()
}

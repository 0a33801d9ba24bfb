// Package account defines organizations: their plans, API keys and scopes, and billing
// cycles. It stores nothing.
package account

import (
	"fmt"
	"slices"
)

// Plan is a set of limits that an organization subscribes to.
type Plan struct {
	Name              string `json:"name"              yaml:"name"`
	Slots             int    `json:"slots"             yaml:"slots"`
	CreditsPerCycle   int64  `json:"creditsPerCycle"   yaml:"creditsPerCycle"`
	RequestsPerSecond int    `json:"requestsPerSecond" yaml:"requestsPerSecond"`
	QueueCapacity     int    `json:"queueCapacity"     yaml:"queueCapacity"`
}

// Plans is the list of plans that a node offers.
type Plans []Plan

// DefaultPlans returns the plans of the API contract.
func DefaultPlans() Plans {
	return Plans{
		{"free", 1, 500, 10, 1_000},
		{"lite", 10, 37_500, 50, 10_000},
		{"hobby", 20, 250_000, 100, 25_000},
		{"starter", 50, 650_000, 250, 50_000},
		{"growth", 75, 1_350_000, 400, 75_000},
		{"business", 100, 2_800_000, 500, 100_000},
		{"enterprise-2k", 135, 5_871_025, 1_000, 100_000},
		{"enterprise-3k", 175, 9_306_606, 1_000, 100_000},
		{"enterprise-4k", 215, 12_756_261, 1_000, 100_000},
		{"enterprise-5k", 255, 16_391_783, 1_000, 100_000},
	}
}

// Find returns the plan with a name, or an error that lists all plans.
func (p Plans) Find(name string) (Plan, error) {
	i := slices.IndexFunc(p, func(plan Plan) bool { return plan.Name == name })
	if i < 0 {
		names := make([]string, len(p))
		for i, plan := range p {
			names[i] = plan.Name
		}
		return Plan{}, fmt.Errorf("no plan is called %q; there are %v", name, names)
	}
	return p[i], nil
}

// Override returns the plans with those in by added. Plans of the same name are replaced.
func (p Plans) Override(by Plans) (Plans, error) {
	all := slices.Clone(p)
	for _, plan := range by {
		if plan.Name == "" || plan.Slots < 1 || plan.RequestsPerSecond < 1 || plan.QueueCapacity < 0 || plan.CreditsPerCycle < 0 {
			return nil, fmt.Errorf("plan %q: a name, slots and requestsPerSecond above 0, and no negative number are required", plan.Name)
		}
		i := slices.IndexFunc(all, func(have Plan) bool { return have.Name == plan.Name })
		if i < 0 {
			all = append(all, plan)
			continue
		}
		all[i] = plan
	}
	return all, nil
}

// Package scheme registers the kinds of objects that the chart creates.
package scheme

import (
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var groups = runtime.SchemeBuilder{apps.AddToScheme, autoscaling.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme}

// AddToScheme registers the kinds.
var AddToScheme = groups.AddToScheme

// Scheme has the versions that a chart finds in .Capabilities. Helm's engine adds to it.
var Scheme = runtime.NewScheme()

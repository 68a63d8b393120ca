package main

import "slices"

// service is one that people are on call for.
type service struct {
	name, status, runbook string
}

var services = []service{
	{"checkout", "errors: 12 % of payments", "Look at the payment provider first.\nThen restart one instance.\n"},
	{"search", "ok", "Look at the age of the index.\n"},
}

func names() []string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.name
	}
	return names
}

func find(name string) (service, bool) {
	i := slices.IndexFunc(services, func(s service) bool { return s.name == name })
	if i < 0 {
		return service{}, false
	}
	return services[i], true
}

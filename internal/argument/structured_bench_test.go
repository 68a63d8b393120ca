package argument

import "testing"

// filters are an argument with structure.
type filters struct {
	Region string   `json:"region" enum:"eu,us"`
	Limit  int      `json:"limit,omitempty" minimum:"1" maximum:"100"`
	Tags   []string `json:"tags,omitempty" maxItems:"5" minLength:"2"`
	Scope  struct {
		Name  string   `json:"name" pattern:"^[a-z]+$"`
		Ratio *float64 `json:"ratio,omitempty" maximum:"1"`
	} `json:"scope"`
}

// BenchmarkStructured reads an argument with structure: valid, and with errors.
func BenchmarkStructured(b *testing.B) {
	p := planOf[one[filters]](b)
	for name, value := range map[string]string{
		"valid":   `{"region":"eu","limit":7,"tags":["go","python"],"scope":{"name":"all","ratio":0.5}}`,
		"invalid": `{"region":"zz","limit":700,"tags":["go","p"],"scope":{"name":"ALL","ratio":5}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var in one[filters]
				if problems := fill(p, &in, text(value)); (problems == nil) != (name == "valid") {
					b.Fatal(problems)
				}
			}
		})
	}
}

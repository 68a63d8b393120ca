package main

// row is one of the table: what one library does in one unit, beside the
// others.
type row struct {
	text  string
	ours  key // of a library of ours; the others have the same work and name
	unit  string
	minus string // a library whose value is subtracted, if not empty
	alone bool   // the others have nothing like it
	target
}

const (
	microsecond = 1000.0
	millisecond = 1000 * microsecond
)

// rows are the speed table of the design, and what else is to be told.
func rows() []section {
	get := func(library, name string) key { return key{"Get", library, name} }
	list := func(name string) key { return key{"List", "prompts", name} }
	growth := func(name string) key { return key{"Growth", "prompts", name} }
	fill := func(name string) key { return key{"Fill", "prompts", name} }
	flight := func(name string) key { return key{"InFlight", "prompts", name} }
	web := func(name string) key { return key{"HTTP", "prompts", name} }
	change := func(library, name string) key { return key{"Change", library, name} }
	old, modern := "2025-11-25/plain", "2026-07-28/plain"
	oldChecked, modernChecked := "2025-11-25/constraints", "2026-07-28/constraints"
	return []section{
		{"prompts/get", []row{
			{text: "2 arguments, 1 text message, 2025-11-25", ours: get("prompts", old), unit: "ns/op", target: atMost(2.5*microsecond, "2.5 µs")},
			{text: "— memory", ours: get("prompts", old), unit: "B/op", target: atMost(2000, "2 KB")},
			{text: "— allocations", ours: get("prompts", old), unit: "allocs/op", target: atMost(10, "10")},
			{text: "2 arguments, 1 text message, 2026-07-28", ours: get("prompts", modern), unit: "ns/op", target: atMost(4*microsecond, "4 µs")},
			{text: "— memory", ours: get("prompts", modern), unit: "B/op"},
			{text: "— allocations", ours: get("prompts", modern), unit: "allocs/op"},
			{text: "3 arguments with constraints ¹, 2025-11-25", ours: get("prompts", oldChecked), unit: "ns/op", target: atMost(2.5*microsecond, "2.5 µs")},
			{text: "— memory", ours: get("prompts", oldChecked), unit: "B/op", target: atMost(2000, "2 KB")},
			{text: "— allocations", ours: get("prompts", oldChecked), unit: "allocs/op", target: atMost(10, "10")},
			{text: "3 arguments with constraints ¹, 2026-07-28", ours: get("prompts", modernChecked), unit: "ns/op", target: atMost(4*microsecond, "4 µs")},
			{text: "under Serve ², 2025-11-25", ours: get("prompts-serve", old), unit: "ns/op"},
			{text: "— what its time limit adds", ours: get("prompts-serve", old), minus: "prompts-serve-unlimited", unit: "ns/op", alone: true, target: atMost(1.5*microsecond, "1.5 µs")},
			{text: "under Serve ², 2026-07-28", ours: get("prompts-serve", modern), unit: "ns/op"},
			{text: "— what its time limit adds", ours: get("prompts-serve", modern), minus: "prompts-serve-unlimited", unit: "ns/op", alone: true, target: atMost(1.5*microsecond, "1.5 µs")},
		}},
		{"prompts/list", []row{
			{text: "page of 10 out of 10,000", ours: list("page=10"), unit: "ns/op"},
			{text: "page of 100 out of 10,000", ours: list("page=100"), unit: "ns/op", target: atMost(3*microsecond, "3 µs")},
			{text: "— memory", ours: list("page=100"), unit: "B/op"},
			{text: "— allocations", ours: list("page=100"), unit: "allocs/op"},
			{text: "page of 1,000 out of 10,000", ours: list("page=1000"), unit: "ns/op"},
			{text: "page of 100 out of 1,000,000", ours: growth("n=1000000/list"), unit: "ns/op", target: atMost(6*microsecond, "twice the 3 µs")},
			{text: "walk of 100,000 in pages of 100", ours: growth("n=100000/walk"), unit: "ns/op", target: atMost(10*millisecond, "10 ms")},
			{text: "walk of 1,000,000", ours: growth("n=1000000/walk"), unit: "ns/op"},
			{text: "add one, then list a page, at 100,000", ours: growth("n=100000/add"), unit: "ns/op", target: atMost(20*microsecond, "20 µs")},
			{text: "add one, then list a page, at 1,000,000", ours: growth("n=1000000/add"), unit: "ns/op", target: atMost(20*microsecond, "20 µs")},
		}},
		{"Registry", []row{
			{text: "add 100,000 one by one", ours: fill("n=100000/each"), unit: "ns/op"},
			{text: "add 100,000 in one batch ³", ours: fill("n=100000/batch"), unit: "ns/op", target: atMost(300*millisecond, "300 ms")},
			{text: "add 1,000,000 one by one", ours: fill("n=1000000/each"), unit: "ns/op"},
			{text: "memory per prompt ⁴, at 100,000", ours: fill("n=100000/memory"), unit: "B/prompt", target: memory()},
			{text: "— of it the declaration", ours: fill("n=100000/memory"), unit: "B-declared/prompt"},
			{text: "— an entry of the encoded list", ours: fill("n=100000/memory"), unit: "B-listed/prompt"},
			{text: "memory per prompt ⁴, at 1,000,000", ours: fill("n=1000000/memory"), unit: "B/prompt", target: memory()},
		}},
		{"Connections", []row{
			{text: "prompts/get over stdio pipes, 1 in flight", ours: flight("n=1"), unit: "ns/op"},
			{text: "prompts/get over stdio pipes, 16 in flight", ours: flight("n=16"), unit: "ns/op"},
			{text: "prompts/get over stdio pipes, 64 in flight", ours: flight("n=64"), unit: "ns/op", target: partOf("go-sdk", 10, "a tenth of go-sdk")},
			{text: "idle connection ⁵, memory", ours: key{"Idle", "prompts", "memory"}, unit: "B/connection"},
			{text: "idle GET stream over HTTP ⁶, memory", ours: key{"Idle", "prompts", "http"}, unit: "B/connection"},
		}},
		{"HTTP, loopback, kept alive", []row{
			{text: "prompts/get, 2025-11-25", ours: web("2025-11-25/get"), unit: "ns/op", target: times("net-http", 1.35, "1.35 × the echo")},
			{text: "— echo of net/http", ours: key{"HTTP", "net-http", "2025-11-25/get"}, unit: "ns/op", alone: true},
			{text: "prompts/get, 2026-07-28 ⁷", ours: web("2026-07-28/get"), unit: "ns/op", target: times("net-http", 1.35, "1.35 × the echo")},
			{text: "— echo of net/http", ours: key{"HTTP", "net-http", "2026-07-28/get"}, unit: "ns/op", alone: true},
		}},
		{"One change, with subscribers ⁸", []row{
			{text: "none", ours: change("prompts", "n=0/tell"), unit: "ns/op"},
			{text: "100 sessions, processor time", ours: change("prompts", "n=100/tell"), unit: "cpu-ns/op"},
			{text: "10,000 sessions, processor time", ours: change("prompts", "n=10000/tell"), unit: "cpu-ns/op", target: atMost(50*millisecond, "50 ms")},
			{text: "— memory", ours: change("prompts", "n=10000/tell"), unit: "B/op", target: atMost(10_000*64, "64 B each")},
			{text: "— allocations", ours: change("prompts", "n=10000/tell"), unit: "allocs/op", target: atMost(10_000+100, "1 each")},
			{text: "10,000 listen streams, processor time", ours: change("prompts-listen", "n=10000/tell"), unit: "cpu-ns/op", target: atMost(50*millisecond, "50 ms")},
			{text: "— memory", ours: change("prompts-listen", "n=10000/tell"), unit: "B/op"},
			{text: "— allocations", ours: change("prompts-listen", "n=10000/tell"), unit: "allocs/op"},
		}},
		{"Program: a minimal server on stdio", []row{
			{text: "from the start of the process to the first answer", ours: key{"Start", "prompts", "stdio"}, unit: "ns/op"},
			{text: "size, without symbols", ours: key{"Start", "prompts", "stdio"}, unit: "B-program"},
			{text: "packages linked", ours: key{"Start", "prompts", "stdio"}, unit: "packages"},
		}},
	}
}

type section struct {
	title string
	rows  []row
}

// notes are those that the rows refer to.
const notes = `¹ All required; an enum; a pattern with a length; an integer within bounds. go-sdk and mcp-go have no
constraints for the arguments of prompts: they check nothing, not even that a required one is there, and so do less.
² Over a transport of channels, as go-sdk is in all of these rows; mcp-go has no connection in any of them. The row below
is the difference to the same without a time limit.
³ go-sdk has no way to add more than one prompt at a time, so it has no figure. Declaring them is part of the time.
⁴ What a server of so many prompts holds in all, declarations and their texts included. The target is twice an entry of
the encoded list and the declaration.
⁵ With a session, over channels, so without a medium's buffers. mcp-go has one session over stdio in a process: here it has
sessions of the benchmark's own, each with one goroutine and no reader, which is less than a connection.
⁶ The shares of net/http and of the client's end are included, and the same for all.
⁷ go-sdk serves this revision over HTTP only in its stateless mode.
⁸ Until the last of them has been told. prompts and go-sdk wait for more changes first (20 ms and 10 ms), so that many
become one notification; mcp-go tells each change at once, and drops it for a subscriber that has 100 unread.
`

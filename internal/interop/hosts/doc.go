// Package hosts tests the library with real AI hosts, from the entry that
// "prompts install" writes to the request that reaches the model.
//
// A test starts a host with a folder of its own as HOME, a stand-in for its model
// (package model) and a server that records its traffic (package fixture). What the
// server got, what the model got and what the user saw are in testdata, in one file for
// each host. A new version of a host shows as a difference there:
//
//	go test ./hosts -update
//
// After a change of package.json and npm install, one command runs a host in all ways and
// writes its file and the table:
//
//	go test ./hosts -all -update -run '(TestHosts|TestTerminals)/^codex$'
//
// With -case, only the cases whose names match are run, such as -case 'long|optional'.
//
// Each section of a file says how many runs agree with it. With -note a run is counted.
// testdata/table.md sums up all files.
//
// A run waits for events: the answer of the model, the traffic of the server, a screen with the
// text of the file. The modes of a host run at the same time. With -update, a run writes each
// section at once, and deletes sections without a case.
//
// By default four cases of each host without a terminal are run. With -all, all cases
// are run over standard input and output and over HTTP, and the hosts that need a
// terminal, too, in tmux.
//
// The versions of the hosts are those of node/package.json, and of more/package.json for
// the hosts that only -all runs, which has the Node.js that they need, too.
package hosts

// Package promptskills serves skills: folders with a SKILL.md that tells an agent
// how to do something, by the extension io.modelcontextprotocol/skills.
//
// A [Registry] holds the skills. Package promptfs fills it from a folder, package
// promptnats from a bucket, and Add from code:
//
//	var skills promptskills.Registry
//	err := skills.Add(promptskills.Skill{
//		Path:        "acme/refunds",
//		Frontmatter: json.RawMessage(`{"name":"refunds","description":"Process refunds"}`),
//		Files: map[string][]byte{
//			"SKILL.md": []byte("---\nname: refunds\ndescription: Process refunds\n---\n…"),
//		},
//	})
//
// # Skills below skills
//
// A skill may have skills below it: acme/refunds/chargebacks is below
// acme/refunds. Each has an entry of its own in the list. The entry of the upper
// skill names the files of the lower one, too, so that a change to the lower one
// changes both.
//
// # Consistency
//
// Hosts compare each file with the digest in the list that they have. The server
// makes list, digests and files from one snapshot of the registry. If a file
// changes after a client has listed the skill, the client reads the file that the
// list named, for Registry.Retain, unless it asks for the list or the entry again.
package promptskills

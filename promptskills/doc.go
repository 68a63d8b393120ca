// Package promptskills serves skills by the extension io.modelcontextprotocol/skills. A skill is a
// folder with a SKILL.md of instructions for an agent:
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
// A [Registry] holds the skills. Package promptfs fills a Registry from a folder,
// package promptnats from a bucket, and Add from code.
//
// # Skills below skills
//
// A skill may have skills below: acme/refunds/chargebacks is below acme/refunds. Each has an entry
// of its own in the list. The entry of the upper skill contains the files of the lower skill too,
// so a change to the lower skill changes both entries.
//
// # Consistency
//
// Hosts compare each file with the digest in their copy of the list. The server
// makes list, digests and files from one snapshot of the registry. If a file changes
// after a client has listed the skill, the client reads the listed version of the
// file, for Registry.Retain, unless the client requests the list or the entry again.
package promptskills

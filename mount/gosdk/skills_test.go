package gosdk_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/promptskills"
)

type getParams struct {
	mcp.ParamsBase
	URI string `json:"uri,omitempty"`
}

type resource struct {
	URI string `json:"uri"`
}

type anyResult struct {
	mcp.ResultBase
	Skills []struct {
		URI       string     `json:"uri"`
		Resources []resource `json:"resources"`
	} `json:"skills"`
	Skill     resource   `json:"skill"`
	Resources []resource `json:"resources"`
}

// The SDK's client lists, gets and reads skills of an SDK's server, beside a
// resource that the server has; unmount removes them.
func TestMountSkills(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddResource(&mcp.Resource{URI: "test://own", Name: "own"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://own", Text: "own"}}}, nil
	})
	var skills promptskills.Registry
	add := func(path string) {
		require.NoError(t, skills.Add(promptskills.Skill{
			Path: path, Frontmatter: json.RawMessage(`{"name":"` + path + `","description":"d"}`),
			Files: map[string][]byte{"SKILL.md": []byte("---\n---\n"), "x.bin": {0xff}},
		}))
	}
	add("a")
	unmount, err := gosdk.MountSkills(server, &skills, gosdk.SkillsOptions{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer unmount()
	ctx := t.Context()
	near, far := mcp.NewInMemoryTransports()
	_, err = server.Connect(ctx, far, nil)
	require.NoError(t, err)
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	for _, method := range []string{"skills/list", "skills/get", "resources/directory/read"} {
		require.NoError(t, mcp.AddSendingCustomMethod[*getParams, *anyResult](client, method))
	}
	session, err := client.Connect(ctx, near, nil)
	require.NoError(t, err)
	defer session.Close()
	assert.Contains(t, session.InitializeResult().Capabilities.Extensions, promptskills.Extension)
	call := func(method, uri string) (*anyResult, error) {
		return mcp.CallCustomMethod[*getParams, *anyResult](ctx, session, method, &getParams{URI: uri})
	}
	r, err := call("skills/list", "")
	require.NoError(t, err)
	require.Len(t, r.Skills, 1)
	assert.Len(t, r.Skills[0].Resources, 2)
	r, err = call("skills/get", "skill://a/SKILL.md")
	require.NoError(t, err)
	assert.Equal(t, "skill://a/SKILL.md", r.Skill.URI)
	r, err = call("resources/directory/read", "skill://a")
	require.NoError(t, err)
	assert.Len(t, r.Resources, 2)
	_, err = call("skills/get", "skill://none/SKILL.md")
	assert.ErrorContains(t, err, "unknown skill")
	read := func(uri string) (string, error) {
		r, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text + string(r.Contents[0].Blob), nil
	}
	for uri, want := range map[string]string{"test://own": "own", "skill://a/SKILL.md": "---\n---\n", "skill://a/x.bin": "\xff"} {
		text, err := read(uri)
		require.NoError(t, err, uri)
		assert.Equal(t, want, text, uri)
	}
	_, err = read("skill://a/none")
	assert.Error(t, err)
	resources := func() []string {
		list, err := session.ListResources(ctx, nil)
		require.NoError(t, err)
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		return uris
	}
	assert.ElementsMatch(t, []string{"test://own", "skill://a/SKILL.md"}, resources())
	add("b")
	skills.Remove("a")
	assert.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"skill://b/SKILL.md", "test://own"}, resources()) }, time.Minute, 10*time.Millisecond)
	unmount()
	assert.Equal(t, []string{"test://own"}, resources())
	_, err = call("skills/list", "")
	assert.Error(t, err)
}

// A resource of the server with the URI of a skill is an error of MountSkills, and wins
// later: neither a change nor unmount replaces or deletes the resource.
func TestMountSkillsKeepsResources(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	own := func(uri string) {
		server.AddResource(&mcp.Resource{URI: uri, Name: "own"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "own"}}}, nil
		})
	}
	var skills promptskills.Registry
	add := func(path string) {
		require.NoError(t, skills.Add(promptskills.Skill{
			Path: path, Frontmatter: json.RawMessage(`{"name":"` + path + `","description":"d"}`),
			Files: map[string][]byte{"SKILL.md": []byte("---\n---\n")},
		}))
	}
	near, far := mcp.NewInMemoryTransports()
	_, err := server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	defer session.Close()
	names := func() (names []string) {
		for r, err := range session.Resources(t.Context(), nil) {
			require.NoError(t, err)
			names = append(names, r.Name)
		}
		return names
	}
	add("a")
	own("skill://a/SKILL.md")
	_, err = gosdk.MountSkills(server, &skills, gosdk.SkillsOptions{Logger: slog.New(slog.DiscardHandler)})
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.Equal(t, []string{"own"}, names())

	server.RemoveResources("skill://a/SKILL.md")
	unmount, err := gosdk.MountSkills(server, &skills, gosdk.SkillsOptions{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer unmount()
	assert.Equal(t, []string{"a"}, names())
	own("skill://a/SKILL.md")
	own("skill://b/SKILL.md")
	add("b")
	add("c")
	require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"own", "own", "c"}, names()) }, time.Minute, time.Millisecond)
	unmount()
	assert.Equal(t, []string{"own", "own"}, names())
}

// A client that reads too often is rejected, and the record names the limit.
func TestReadRateOfMountedSkills(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	var skills promptskills.Registry
	require.NoError(t, skills.Add(promptskills.Skill{
		Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`),
		Files: map[string][]byte{"SKILL.md": []byte("---\n---\n")},
	}))
	records := make(chan string, 4) // for each rejected request at most
	unmount, err := gosdk.MountSkills(server, &skills, gosdk.SkillsOptions{
		Skills: promptskills.Options{ReadsPerSecond: 1e-3},
		Logger: slog.New(slog.NewTextHandler(lineWriter(records), nil)),
	})
	require.NoError(t, err)
	defer unmount()
	near, far := mcp.NewInMemoryTransports()
	_, err = server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	defer session.Close()
	read := func() error {
		_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://a/SKILL.md"})
		return err
	}
	require.NoError(t, read())
	for range 3 {
		assert.ErrorContains(t, read(), "rate limit exceeded")
	}
	assert.Regexp(t, `level=WARN msg="limit reached" limit="rate of resources/read" client=`, <-records)
}

// lineWriter sends what is written, or blocks.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// A client that asked for an unknown protocol version uses skills in the version that the
// server has answered.
func TestSkillsInTheNegotiatedVersion(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	var skills promptskills.Registry
	unmount, err := gosdk.MountSkills(s, &skills, gosdk.SkillsOptions{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer unmount()
	assert.Contains(t, string(dial(t, s, "2025-01-01").must("skills/list", `{}`)), `"skills":[]`)
}

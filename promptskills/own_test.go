package promptskills_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
)

// The application's resources are beside the skills'.
func TestResourcesOfTheApplication(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a")))
	size := int64(3)
	own := promptskills.Resources{
		List: func(context.Context) ([]prompts.ResourceLink, error) {
			return []prompts.ResourceLink{{URI: "test://b", Name: "b", Title: "B"}, {URI: "test://a", Name: "a", Size: &size}}, nil
		},
		Templates: func(context.Context) ([]promptskills.Template, error) {
			return []promptskills.Template{{URITemplate: "test://{b}", Name: "b"}, {URITemplate: "test://{a}", Name: "a", MIMEType: "text/plain"}}, nil
		},
		Read: func(_ context.Context, uri string) ([]prompts.EmbeddedResource, error) {
			switch uri {
			case "test://a":
				return []prompts.EmbeddedResource{{Text: "A", MIMEType: "text/plain"}}, nil
			case "test://secret":
				return nil, fmt.Errorf("the database is down")
			}
			return nil, fmt.Errorf("%w: %s", promptskills.ErrUnknownResource, uri)
		},
	}
	c := serve(t, &reg, "", promptskills.Options{PageSize: 1, Resources: own, ClientCache: feature.ClientCache{Public: true}})
	var got []string
	for params := (map[string]any{}); ; {
		page := call[listed](t, c, "resources/list", params)
		for _, r := range page.Resources {
			got = append(got, fmt.Sprint(r["uri"], r["size"]))
		}
		if page.NextCursor == "" {
			break
		}
		params["cursor"] = page.NextCursor
	}
	assert.Equal(t, []string{"test://a3", "test://b<nil>", fmt.Sprint("skill://a/SKILL.md", len(skill("a").Files["SKILL.md"]))}, got)
	assert.Equal(t, "A", readText(t, c, "test://a"))
	raw, err := c.Call("resources/templates/list", struct{}{})
	require.NoError(t, err)
	assert.Contains(t, string(raw), `{"resourceTemplates":[{"uriTemplate":"test://{a}","name":"a","mimeType":"text/plain"}],"nextCursor":`)
	assert.Contains(t, string(raw), `"cacheScope":"private"`)
	refusal := refused(t, c, "resources/read", uri{URI: "test://none"})
	assert.Equal(t, `unknown resource "test://none"`, refusal.Message)
	refusal = refused(t, c, "resources/read", uri{URI: "test://secret"})
	assert.Equal(t, prompts.CodeInternalError, refusal.Code)
	assert.Contains(t, refusal.Message, "internal error: resources/read failed (error id ")
}

// The application notifies of changes of its resources, as long as a client listens.
func TestChangesOfTheApplicationsResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var listChanged, changed func()
		open := map[string]int{}
		own := promptskills.Resources{
			OnChange: func(f func()) (cancel func()) {
				listChanged = f
				open["list"]++
				return func() { open["list"]-- }
			},
			Subscribe: func(_ context.Context, uri string, f func()) (cancel func(), err error) {
				if uri != "test://a" {
					return nil, fmt.Errorf("%w: %s", promptskills.ErrUnknownResource, uri)
				}
				changed = f
				open[uri]++
				return func() { open[uri]-- }, nil
			},
		}
		const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}`
		c := serve(t, new(promptskills.Registry), "2025-11-25", promptskills.Options{Resources: own})
		listChanged()
		assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`, c.Receive())
		refusal := refused(t, c, "resources/subscribe", uri{URI: "test://b"})
		assert.Equal(t, `unknown resource "test://b"`, refusal.Message)
		call[struct{}](t, c, "resources/subscribe", uri{URI: "test://a"})
		changed()
		assert.Equal(t, updated, c.Receive())
		call[struct{}](t, c, "resources/unsubscribe", uri{URI: "test://a"})
		synctest.Wait()
		assert.Equal(t, map[string]int{"list": 1, "test://a": 0}, open)
		call[struct{}](t, c, "resources/subscribe", uri{URI: "test://a"})
		c.Close()
		synctest.Wait()
		assert.Equal(t, map[string]int{"list": 0, "test://a": 0}, open)
	})
}

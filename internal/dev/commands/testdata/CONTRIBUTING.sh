# The repository itself stands in for its clone on GitHub, and the schema files are there.
git config --global "url.$REPOSITORY.insteadOf" https://github.com/mcp-prompts/prompts
mkdir "$HOME/mcp-schemas"
cp "$MCP_SCHEMA_DIR"/*.json "$HOME/mcp-schemas/"

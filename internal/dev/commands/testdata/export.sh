prompts new review --dir my-prompts
echo 'clients: [Claude Code, opencode]' >my-prompts/prompts.yaml
claude_commands
git init --quiet

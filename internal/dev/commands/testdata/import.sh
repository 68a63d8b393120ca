claude_commands
mkdir -p .opencode/commands .github/prompts .gemini/commands "$HOME/.claude/commands"
cp .claude/commands/deploy.md "$HOME/.claude/commands/"
echo 'Test $ARGUMENTS.' >.opencode/commands/test.md
printf 'Review ${input:code:the code}.\n' >.github/prompts/review.prompt.md
printf 'prompt = "Explain {{args}}."\n' >.gemini/commands/explain.toml

claude_commands
mkdir -p ../shared
prompts new explain --dir ../shared/prompts
git init --quiet

# A stand-in for the archive of a release.
mkdir prompts_VERSION_linux_amd64
cp "$(command -v prompts)" prompts_VERSION_linux_amd64/
tar -czf prompts_VERSION_linux_amd64.tar.gz prompts_VERSION_linux_amd64
rm -r prompts_VERSION_linux_amd64
claude_commands
mkdir -p .github/prompts
printf 'Review ${input:code:the code}.\n' >.github/prompts/explain.prompt.md
prompts new review --dir my-prompts
cp -r my-prompts prompts
echo 'A draft.' >draft.txt
git init --quiet
git add my-prompts draft.txt
git commit --quiet --message 'the first prompts'
echo 'Another line.' >>draft.txt
rm -r my-prompts/review.md my-prompts/review.test.yaml

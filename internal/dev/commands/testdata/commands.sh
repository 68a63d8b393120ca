registry
mkdir ../shared
prompts new explain --dir ../shared/prompts

# The examples of each command have files of their own.
before_block() {
  find . -mindepth 1 -maxdepth 1 ! -name '*.pem' ! -name tokens.txt -exec rm -rf '{}' +
  claude_commands
  mkdir -p .opencode/commands .github/prompts .gemini/commands
  echo 'Test $ARGUMENTS.' >.opencode/commands/test.md
  printf 'Review ${input:code:the code}.\n' >.github/prompts/ask.prompt.md
  printf 'prompt = "Summarize {{args}}."\n' >.gemini/commands/summarize.toml
  for name in review explain review/code; do prompts new "$name" --dir prompts; done
  for name in code_review:code commit_message:diff; do
    printf -- '---\ndescription: Starts\narguments:\n  - name: %s\n    description: a text\n  - name: language\n    description: its language\n---\nLook at this {{.language}}: {{.%s}}\n' \
      "${name#*:}" "${name#*:}" >"prompts/${name%:*}.md"
  done
  printf 'cases:\n  - name: a bug\n    arguments: {diff: "if x = 1 {}"}\n    answer: {contains: "=="}\n' >prompts/commit_message.test.yaml
  echo 'clients: [Claude Code, opencode]' >prompts/prompts.yaml
  echo 'print("Use == to compare.")' >openai.py
  echo 'package main' >main.go
  git init --quiet
  git add prompts
  git commit --quiet --message 'the first prompts'
  git commit --quiet --message 'the second' --allow-empty
  git update-ref refs/remotes/origin/main HEAD
  echo 'Another line.' >>prompts/explain.md
  case $1 in
  *" new "*) rm -r prompts ;;
  *" pull "*) prompts push prompts oci-layout:releases:production && rm -r prompts ;;
  *" rollback "* | *" log "*)
    prompts push prompts oci-layout:releases:production
    echo 'One more line.' >>prompts/explain.md
    prompts push prompts oci-layout:releases:production
    ;;
  *" serve "*) prompts push prompts oci://ghcr.io/acme/prompts:production ;;
  *" tag "*)
    prompts push prompts oci-layout:releases:staging
    prompts push prompts oci://ghcr.io/acme/staging:staging
    ;;
  esac
}

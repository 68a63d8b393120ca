# For all pages. The folder is empty but for cert.pem, key.pem and tokens.txt.
set -m # each job is a process group
exec </dev/null
mkfifo "$HOME/stdin"
exec 9<>"$HOME/stdin" # an input that never ends
git config --global user.name Ada
git config --global user.email ada@example.org
git config --global init.defaultBranch main
git config --global --add safe.directory '*'

# A response with an error fails the command.
curl() { command curl --fail --show-error "$@"; }

# registry lets a registry answer at https://ghcr.io.
registry() {
  echo '127.0.0.1 localhost ghcr.io' >"$HOME/hosts"
  mount --bind "$HOME/hosts" /etc/hosts
  unset HTTPS_PROXY https_proxy
  export SSL_CERT_FILE=$PWD/cert.pem
  before=$(listening)
  ghcr.io &
  wait_for_listener
}

# before_block is called before the commands of each block.
before_block() { :; }

# listening prints the number of ports that programs listen at.
listening() { cat /proc/self/net/tcp /proc/self/net/tcp6 | awk '$4 == "0A"' | wc -l; }

# wait_for_listener waits until there are more than $before.
wait_for_listener() {
  local job=$! end=$((SECONDS + 300))
  while [ $SECONDS -lt $end ]; do
    [ "$(listening)" -le "$before" ] || return 0
    kill -0 "$job" 2>/dev/null || { echo "the program has ended before it listens"; return 1; }
    sleep 0.1
  done
  echo "nothing listens" && return 1
}

# until_ready LINE runs a line until it listens, or until a stream has begun, and ends it as Ctrl+C does.
until_ready() {
  before=$(listening)
  eval "$1" >"$HOME/stream" <&9 &
  local job=$!
  if [[ $1 == curl* ]]; then
    until [ -s "$HOME/stream" ]; do kill -0 "$job" && sleep 0.1; done
  else
    wait_for_listener
  fi
  kill -INT -- "-$job"
  local end=$((SECONDS + 60))
  while kill -0 "$job" 2>/dev/null; do
    [ $SECONDS -lt $end ] || { echo "the program does not end at Ctrl+C"; return 1; }
    sleep 0.1
  done
}

# review_program builds the program of the README in the folder review.
review_program() {
  mkdir -p review
  awk '/^```go$/ { n++; next } /^```$/ { if (n == 1) exit } n == 1' "$REPOSITORY/README.md" >review/main.go
  cp "$REPOSITORY/go.sum" review/
  sed 's|^module .*|module review|' "$REPOSITORY/go.mod" >review/go.mod
  (
    cd review
    go mod edit -require github.com/mcp-prompts/prompts@v0.0.0 -replace "github.com/mcp-prompts/prompts=$REPOSITORY"
    go build -mod=mod
  )
}

# claude_commands writes a command of Claude Code.
claude_commands() {
  mkdir -p .claude/commands
  printf -- '---\ndescription: Deploys a service\nargument-hint: "[service]"\n---\nDeploy $1.\n' >.claude/commands/deploy.md
}

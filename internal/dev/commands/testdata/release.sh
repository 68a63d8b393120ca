# For the workflow release: a commit of main, and a tag on it. .ci/release copies the release in
# the folder RELEASE, which .ci/rehearsal has prepared, or makes one with a file of each kind.
export GITHUB_REF_NAME=release/v0.1.0 GITHUB_REPOSITORY=mcp-prompts/prompts GITHUB_ACTOR=ada
export RUNNER_TEMP=$HOME/runner GH_TOKEN=secret
mkdir -p "$RUNNER_TEMP" .ci
git init --quiet --bare "$HOME/github"
git config --global "url.$HOME/github.insteadOf" "https://x-access-token:$GH_TOKEN@github.com/$GITHUB_REPOSITORY.git"
cat >.ci/release <<'SH'
#!/usr/bin/env bash
set -euo pipefail
[ $# = 2 ]
[ -n "$MCP_SCHEMA_DIR" ]
if [ -n "${RELEASE:-}" ]; then
  cp -r "$RELEASE" "$2"
  exit
fi
mkdir -p "$2/archives" "$2/image/blobs/sha256"
for file in notes.md archives/prompts_$1_linux_amd64.tar.gz archives/SHA256SUMS image/blobs/sha256/0; do echo "$file" >"$2/$file"; done
echo '{"manifests": [{"digest": "sha256:0"}]}' >"$2/image/index.json"
git clone --quiet --bare . "$2/repository"
for tag in "$1" "promptfs/$1"; do git -C "$2/repository" tag "$tag"; done
SH
chmod +x .ci/release
git init --quiet
git add .ci
git commit --quiet --message 'the release'
git update-ref refs/remotes/origin/main HEAD
[ -z "${RELEASE:-}" ] || GITHUB_REF_NAME=release/$(git -C "$RELEASE/repository" tag --list 'v*' --sort=version:refname | tail -n 1)

registry
export GITHUB_REPOSITORY=acme/review
prompts new triage --dir staging
prompts push staging oci://ghcr.io/acme/staging:staging

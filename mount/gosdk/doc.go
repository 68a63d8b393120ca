// Package gosdk mounts a registry of prompts on a server of the official Go SDK.
package gosdk

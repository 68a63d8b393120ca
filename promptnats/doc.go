// Package promptnats keeps the prompts of any number of servers in sync with a NATS
// JetStream key-value bucket:
//
//	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort())
//	…
//	js, err := jetstream.New(nc)
//	…
//	follower, err := promptnats.Follow(ctx, &reg, js, "prompts", promptnats.Options{Files: promptfs.Options{Logger: logger}})
//	…
//	defer follower.Close()
//
// [Follow] loads the bucket in one update of the registry, and then follows the changes. Changes at
// the same time are one more update on each server, and one notification for each client. [Publish]
// uploads a folder to a bucket. The caller owns the connection. With the options above, the
// connection never gives up, and reads its credentials again. The format of the files is that of
// package promptfs, so a folder, a Git repository and a bucket can have the same content.
//
// # Keys and values
//
// A key is the path of a file, and the value is the content: prompts, partials below _partials/,
// images and other included files. To edit prompts, use the nats command:
//
//	nats kv add prompts --history 5 --replicas 3
//	nats kv put prompts review/code.md < review/code.md
//	nats kv get prompts review/code.md --raw
//	nats kv del prompts review/code.md
//
// A key consists of letters, digits, hyphens, underscores, slashes and dots. Any other byte of a
// path is written as = and two upper-case hexadecimal digits, and so is a dot in a position that
// NATS does not allow: see [Key]. An invalid key is reported as an error and ignored. If a key is
// below another file, as a.md/b.md below a.md, it is ignored until the other is removed.
//
// Options.Prefix selects a part of a bucket. Its keys start with the prefix and ./ :
// team-a./review/code.md is the file review/code.md of team-a. A Follower without a prefix ignores
// these keys. Several Followers can fill one registry, each with its own prefix or bucket.
//
// # Permissions
//
// For the bucket prompts, a user of the broker needs permission to publish on these subjects:
//
//	$JS.API.STREAM.INFO.KV_prompts
//	$JS.API.CONSUMER.CREATE.KV_prompts.*.$KV.prompts.>
//	$JS.API.CONSUMER.MSG.NEXT.KV_prompts.*
//	$JS.API.CONSUMER.DELETE.KV_prompts.*
//	promptnats.prompts
//	$KV.prompts.>    to write
//
// The user needs permission to subscribe to these subjects:
//
//	_INBOX_prompts.>
//	promptnats.prompts
//
// Set nats.CustomInboxPrefix("_INBOX_prompts") on the connection, because a user who
// may subscribe to _INBOX.> can read the messages to all users of the account.
//
// To separate teams, give each team a bucket of its own. With these permissions, a
// team sees neither values nor names of keys of another bucket. A prefix limits
// reading and writing of values, with team-a.> instead of > after $KV.prompts. and
// with promptnats.prompts.team-a. A prefix does not hide names: a user with
// STREAM.INFO of a bucket can list the names of all its keys.
//
// # Guarantees
//
//   - The revision of a key decides. The order and the number of deliveries do not matter.
//   - Changes are collected until none arrive for Options.Files.Debounce, or for ten
//     times as long, and then applied in one update.
//   - An invalid value keeps the last valid prompt until the value is fixed or
//     removed. The logger, OnReload and [Status] get the key and the line. A server
//     that starts later has no valid version. So servers can differ while values are
//     invalid, and are equal when all values are valid.
//   - A name in use by a prompt defined in code, or by another Follower, is never replaced. The
//     file is invalid until the name becomes available, and is then added automatically. If two
//     keys have the same name, neither is accepted. If two Followers have the same name, the
//     first wins, which may differ between servers. If code replaces a prompt of the bucket,
//     the code wins until it removes its prompt. If code removes a prompt of the bucket, the
//     next update adds the prompt again.
//   - No prompt is removed because the broker is unreachable, slow, or silent, rejects the
//     credentials or has no such bucket. The registry is unchanged, Status contains the reason, and
//     Follow tries again within 2 seconds, or at once when the connection is back. If the broker
//     does not answer a ping either, Follow forces the connection to reconnect, to another broker
//     if the connection has several.
//   - After an interruption, the whole bucket is loaded in one update. So no change
//     is missed, and keys removed in the meantime are removed. If the broker has
//     older data than the one before, the Follower waits for up to 3 seconds.
//   - After serving old prompts, a Follower in sync again publishes a message on the
//     subject promptnats.prompts, for the bucket prompts. The other servers then
//     notify their clients again, because these may have read the old list.
//   - A bucket with lower revisions than before, or created again, has been replaced. Its content
//     is accepted on every server, and Status and the log contain [ErrReplaced]. If the bucket is
//     created again, prompts are kept until the new content is complete: until the last write of
//     [Publish], or until no other writes arrive for 3 seconds. A Follower waits for an unfinished
//     Publish until 30 seconds after its last write. A server that starts in the meantime loads the
//     existing content.
//   - If keys disappear without a message, by a purge of the stream, the Follower notices within 5
//     seconds. If a Follower with a Prefix receives other changes meanwhile, it notices at the next
//     load of the bucket. A TTL removes keys in the same way, so set none on a bucket of prompts.
//   - A bucket at its --max-bucket-size accepts no more writes, including removals. Publish returns
//     [ErrFull]. Raise the limit, or purge keys from the stream: nats stream edit KV_prompts
//     --max-bytes 128MB, or nats stream purge KV_prompts --subject '$KV.prompts.old.md'.
//
// Each server needs memory for the content of the bucket, in addition to the
// prompts. The operator limits the size of the bucket with --max-bucket-size. Values
// above the size limits of [promptfs.Options] are reported and not stored.
//
// # Errors
//
// Follow and Publish return errors of the call. Later, [Status] contains the reason for a lag as
// Err, and the errors of files as FileErrors. Use Status for a health check, or set the functions
// in Options. A bucket that mirrors another bucket cannot be followed. Follow the original.
package promptnats

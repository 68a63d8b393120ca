// Package promptnats keeps the prompts of any number of servers equal to the
// files in one key-value bucket of NATS JetStream. The files are those of package
// promptfs, so a folder, a Git repository and a bucket can hold the same.
//
//	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort())
//	…
//	js, err := jetstream.New(nc)
//	…
//	follower, err := promptnats.Follow(ctx, &reg, js, "prompts", promptnats.Options{Files: promptfs.Options{Logger: logger}})
//	…
//	defer follower.Close()
//
// [Follow] loads what is there, as one update of the registry, and then follows:
// all changes that come together are one more update on each server, and so one
// notification for each client. [Publish] makes a bucket equal to a folder. The
// connection is the caller's; with the options above it never gives up, and
// reads its credentials again.
//
// # Keys and values
//
// A key is the path of a file, and the value is what is in the file: prompts,
// partials below _partials/, images and whatever else messages send. So a prompt
// can be edited with the nats command:
//
//	nats kv add prompts --history 5 --replicas 3
//	nats kv put prompts review/code.md < review/code.md
//	nats kv get prompts review/code.md --raw
//	nats kv del prompts review/code.md
//
// Keys have letters, digits, hyphens, underscores, slashes and dots. Any other
// byte of a path is written as = and two hexadecimal digits, in capitals, and so
// is a dot that a key cannot have: see [Key]. A key that is the path of no file,
// or not written in this way, is told as a fault and left alone. A key below
// another that is a file, as a.md/b.md below a.md, counts when that one has gone.
//
// Options.Prefix is a part of a bucket. Its keys have the prefix and ./ in
// front: team-a./review/code.md is the file review/code.md of team-a. Who follows
// a bucket without a prefix does not see those.
//
// Several Followers, each with a prefix or a bucket of its own, can fill one
// registry.
//
// # Permissions
//
// A user of the broker needs these permissions to publish, for the bucket prompts:
//
//	$JS.API.STREAM.INFO.KV_prompts
//	$JS.API.CONSUMER.CREATE.KV_prompts.*.$KV.prompts.>
//	$JS.API.CONSUMER.MSG.NEXT.KV_prompts.*
//	$JS.API.CONSUMER.DELETE.KV_prompts.*
//	promptnats.prompts
//	$KV.prompts.>    to write
//
// And these to subscribe, with nats.CustomInboxPrefix("_INBOX_prompts") on the
// connection, because a user who may subscribe to _INBOX.> reads the messages to
// all users of the account:
//
//	_INBOX_prompts.>
//	promptnats.prompts
//
// To separate teams, give each team a bucket of its own: with these permissions for
// it, a team sees neither the values nor the names of the keys of another bucket.
// A prefix limits what a user can read and write, with team-a.> instead of > behind
// $KV.prompts. and with promptnats.prompts.team-a. A prefix hides no names: a user
// who may ask for the STREAM.INFO of a bucket can list the names of all its keys.
//
// # Rules
//
//   - Revisions decide, and neither the order of deliveries nor their number.
//   - Changes are gathered until there are none for Options.Files.Debounce, or for
//     ten times as long, and then they are one update.
//   - A value with a fault keeps the last good prompt, until it is mended or
//     removed. The logger, OnReload and [Status] have the key and the line.
//     A server that begins later has no last good one: while there are faults,
//     servers can differ, and when there are none they are equal.
//   - A name that a prompt of code has, or one of another Follower, is never
//     taken: the file has a fault until the name is free, and then it gets it. Of
//     two keys with one name, neither counts; of two Followers, who comes first,
//     which may be another one on another server. Code that replaces or removes a
//     prompt of the bucket wins, until the key is written or all is read again.
//   - Prompts never go because the broker does. It may be away, slow or silent,
//     refuse the credentials, or have no such bucket: the registry stays as it is,
//     the Status says why, and Follow tries again, after 2 seconds at most, and at
//     once when the connection is back.
//   - After an interruption, however short, the whole bucket is read: so nothing is
//     missed, keys that are removed meanwhile are, and all that is one update. A
//     broker that is behind the one before it is waited for, for 3 seconds.
//   - A Follower that has served old prompts says so when it has caught up, with a
//     message to the others on the subject promptnats.prompts, for the bucket
//     prompts. They notify their clients again, who may have read the old list.
//   - A bucket with lower revisions than it had, or that has been created again, has
//     been replaced: its content counts for everybody, and the Status and the log
//     have [ErrReplaced]. One that is created again takes no prompt away before it
//     has been filled, however long that takes: until the last write of [Publish],
//     or, after other writes, until there are none for 3 seconds. A Publish that has
//     not ended is waited for, for 30 seconds after its last write. A server that
//     begins meanwhile has what is there.
//   - Keys that go without a message, by a purge of the stream, are noticed within
//     5 seconds; with a Prefix, unless others come meanwhile, else when the bucket is
//     next read. So it is with a TTL: a bucket of prompts should have none.
//   - A bucket that has reached its --max-bucket-size takes no more writes, and a
//     removal is one: the error of Publish is [ErrFull] and has the ways out. They
//     are to raise the limit, or to purge keys from the stream:
//     nats stream edit KV_prompts --max-bytes 128MB, or
//     nats stream purge KV_prompts --subject '$KV.prompts.old.md'.
//
// Every server needs the memory for the content of the bucket, beside that of the
// prompts. How large a bucket can be is the operator's to say: its --max-bucket-size.
// Values that are too large for their use are told and not kept.
//
// # What is wrong, and who hears of it
//
// Follow and Publish return an error for what is wrong when they are called.
// Later, [Status] has what keeps a Follower from being in step, as Err, and what
// is wrong with files, as Faults; a health check can look at it, and Options
// have a function for each. A bucket that is a mirror of another cannot be
// followed: follow the other.
package promptnats

package promptfs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// This file has the content digest of a folder.

// Contents returns a list of files and the content digest, which is the SHA-256 of the
// list with the prefix "sha256:". files are those of [Files], by path. The list is the
// JSON object {"files":[{"path":…,"size":…,"digest":…}]} without spaces, in the order of
// the paths. The digest of a file is the SHA-256 of its content. So the same files have the
// same content digest on any machine.
func Contents(files map[string][]byte) (list []byte, digest string) {
	all := make(map[string]fileSum, len(files))
	for path, content := range files {
		all[path] = fileSum{int64(len(content)), sha256.Sum256(content)}
	}
	return contentsOf(all)
}

type fileSum struct {
	size int64
	sum  [sha256.Size]byte
}

func contentsOf(files map[string]fileSum) (list []byte, digest string) {
	list = append(make([]byte, 0, 16+128*len(files)), `{"files":[`...)
	for i, path := range sortedKeys(files) {
		if i > 0 {
			list = append(list, ',')
		}
		f := files[path]
		list = append(list, `{"path":"`...)
		for _, c := range []byte(path) {
			switch {
			case c == '"' || c == '\\':
				list = append(list, '\\', c)
			case c < ' ':
				list = fmt.Appendf(list, `\u%04x`, c)
			default:
				list = append(list, c)
			}
		}
		list = strconv.AppendInt(append(list, `","size":`...), f.size, 10)
		list = hex.AppendEncode(append(list, `,"digest":"sha256:`...), f.sum[:])
		list = append(list, `"}`...)
	}
	list = append(list, "]}"...)
	return list, digestOf(sha256.Sum256(list))
}

func digestOf(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

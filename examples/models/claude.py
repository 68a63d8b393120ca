#!/usr/bin/env python3
"""Answers a case of `prompts test --exec` with Claude Code, by `claude -p`.

    CLAUDE_ARGS='--model haiku' prompts test --exec 'python3 claude.py' DIR

CLAUDE_ARGS  more arguments of claude

Claude Code runs in an empty folder, so that it reads no files of the project.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile


def content(message):
    c = message["content"]
    if c["type"] == "text":
        return c["text"]
    if c["type"] == "resource" and "text" in c["resource"]:
        return c["resource"]["text"]
    sys.exit("claude.py sends no content of type " + c["type"])


case = json.load(sys.stdin)
messages = case["messages"]
if len(messages) == 1:
    text = content(messages[0])
else:
    text = "\n\n".join("%s:\n%s" % (m["role"].capitalize(), content(m)) for m in messages)
command = ["claude", "-p"] + shlex.split(os.environ.get("CLAUDE_ARGS", ""))
with tempfile.TemporaryDirectory() as empty:
    try:
        sys.exit(subprocess.run(command, input=text.encode(), cwd=empty).returncode)
    except FileNotFoundError:
        sys.exit("the program claude is not in the PATH")

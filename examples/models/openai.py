#!/usr/bin/env python3
"""Answers a case of `prompts test --exec` with a model behind an endpoint of the form of
OpenAI's chat completions: Ollama, llama.cpp, vLLM, OpenAI and others.

    MODEL=llama3.2 prompts test --exec 'python3 openai.py' DIR

MODEL            the model; the one of llama.cpp needs none
OPENAI_BASE_URL  default: http://127.0.0.1:11434/v1, which is Ollama
OPENAI_API_KEY   sent only if it is set
"""

import json
import os
import sys
import urllib.error
import urllib.request


def content(message):
    c = message["content"]
    if c["type"] == "text":
        return c["text"]
    if c["type"] == "resource" and "text" in c["resource"]:
        return c["resource"]["text"]
    if c["type"] == "image":
        url = "data:%s;base64,%s" % (c["mimeType"], c["data"])
        return [{"type": "image_url", "image_url": {"url": url}}]
    sys.exit("openai.py sends no content of type " + c["type"])


case = json.load(sys.stdin)
body = {"messages": [{"role": m["role"], "content": content(m)} for m in case["messages"]]}
if os.environ.get("MODEL"):
    body["model"] = os.environ["MODEL"]
headers = {"Content-Type": "application/json"}
if os.environ.get("OPENAI_API_KEY"):
    headers["Authorization"] = "Bearer " + os.environ["OPENAI_API_KEY"]
base = os.environ.get("OPENAI_BASE_URL") or "http://127.0.0.1:11434/v1"
request = urllib.request.Request(
    base.rstrip("/") + "/chat/completions", json.dumps(body).encode(), headers
)
try:
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
except urllib.error.HTTPError as e:
    sys.exit("%s: %s" % (e, e.read(1000).decode(errors="replace")))
except OSError as e:
    sys.exit("%s: %s" % (base, e))
sys.stdout.reconfigure(encoding="utf-8")
print(answer["choices"][0]["message"]["content"])

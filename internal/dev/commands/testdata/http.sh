prompts new review --dir my-prompts
before=$(listening)
prompts serve --http 127.0.0.1:8080 my-prompts &
wait_for_listener

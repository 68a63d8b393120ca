prompts new review --dir my-prompts

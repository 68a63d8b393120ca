prompts new review --dir FOLDER

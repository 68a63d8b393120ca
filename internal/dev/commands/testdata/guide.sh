review_program
cd review

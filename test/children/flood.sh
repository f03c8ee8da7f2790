# Prints as fast as it can, endlessly.
yes 'the same line again and again, without an end'

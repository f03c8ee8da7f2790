# Prints as fast as it can, without an end.
yes 'the same line again and again, without an end'

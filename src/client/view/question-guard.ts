// When a key or a press counts as an answer: what was typed before a question was shown, or within 500 ms after, was not meant for it.

/** How long a question must have been in sight before it takes input, in milliseconds. */
export const guardMs = 500;

/** Whether input can be an answer to a question that was shown `shownMs` milliseconds before the input began. Null: it is not shown yet. */
export const isAnswerTime = (shownMs: number | null): boolean => shownMs !== null && shownMs >= guardMs;

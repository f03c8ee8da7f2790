// When a key or a press counts as an answer: what was typed before a question was shown, or within 500 ms after, was not meant for it.

/** How long a question must have been in sight before it takes input, in milliseconds. */
export const guardMs = 500;

/** Whether input that began at a time can be an answer to a question. `shownAt`: null: it is not shown yet. Both in milliseconds. */
export const isAnswerTime = (shownAt: number | null, beganAt: number): boolean =>
  shownAt !== null && beganAt - shownAt >= guardMs;

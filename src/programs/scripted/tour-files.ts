// The files of the tour, by the folders in which its tools may work.

/**
 * Files that the conversation speaks of, by the folders in which its tools may work, the first one first. Commands that run in the same
 * folder wait for each other, so what is to run at once has a folder each.
 */
export const tourFiles = {
  project: {
    'notes.md': [
      '# Notes',
      '',
      '- A turn is one exchange: from the words of a speaker until the reply is settled.',
      '- A CANCEL goes down the tree; an outcome comes up.',
      '- What completed before the cancel stays.',
      '',
    ].join('\n'),
    'todo.txt': 'compile the modules\nread the notes\nwrite the summary\n',
  },
  tests: { 'cases.txt': 'a stop in the middle of a step\n' },
  pages: { 'index.txt': 'one page for each module\n' },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

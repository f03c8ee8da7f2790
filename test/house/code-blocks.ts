// Reads the code blocks of a Markdown page, those that a reader does not see too (`<!-- ts … -->` declares what the blocks after it use).

export interface CodeBlock {
  /** The first word after the backquotes: `ts`, `json`, `sh`; empty for plain text. */
  readonly language: string;
  /** The words after it: `alone`, `nocheck` and why. */
  readonly info: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly text: string;
}

const block = /^(?:```(\w*) ?(.*)\n([\s\S]*?)^```|<!-- (ts)(?: (alone))?\n([\s\S]*?)^-->)$/gm;

/** Returns the code blocks of a page, in order. */
export function codeBlocksOf(page: string): CodeBlock[] {
  return [...page.matchAll(block)].map(
    ({ index, 1: visible, 2: info, 3: text, 4: hidden, 5: alone, 6: hiddenText }) => ({
      language: visible ?? hidden ?? '',
      info: info ?? alone ?? '',
      line: page.slice(0, index).split('\n').length + 1,
      text: text ?? hiddenText ?? '',
    }),
  );
}

/** Puts blocks into one source in which each stands at the line that it has in its page. */
export function atTheirLines(blocks: readonly CodeBlock[]): string {
  const lines: string[] = [];
  for (const { line, text } of blocks) {
    while (lines.length < line - 1) lines.push('');
    lines.push(...text.trimEnd().split('\n'));
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the programs of a page: its TypeScript blocks are one, and each that stands `alone` is one of its own. */
export function programsOf(page: string): string[] {
  const blocks = codeBlocksOf(page).filter(({ language, info }) => language === 'ts' && !info.startsWith('nocheck'));
  const together = blocks.filter(({ info }) => info !== 'alone');
  const alone = blocks.filter(({ info }) => info === 'alone').map((one) => [one]);
  return [...(together.length > 0 ? [together] : []), ...alone].map(atTheirLines);
}

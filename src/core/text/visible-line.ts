// Makes one line of what a server answers in place of what was expected: mostly a page of a proxy.

/** What is read of a text: a search for the end of a tag that has none costs the square of it. */
const maxReadChars = 16_384;

/** Makes one line of a text, of its first 16 384 characters; of an HTML page, what a reader would see. */
export function visibleLine(whole: string): string {
  const text = whole.slice(0, maxReadChars);
  const isPage = /^\s*<(!doctype|html|head|body)/i.test(text);
  const visible = isPage ? text.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ') : text;
  return visible.replace(/\s+/g, ' ').trim();
}

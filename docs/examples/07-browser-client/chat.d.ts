// The types of the page's module.
export interface Chat {
  say(words: string): Promise<void>;
  stop(): Promise<{ readonly nodes: readonly { readonly kind: string; readonly outcome: string }[] } | null>;
  close(): Promise<void>;
}
export function createChat(options: {
  readonly url: string;
  readonly session: string;
  show(what: 'state' | 'text' | 'end', value: string): void;
}): Chat;

// A button that copies a text, and says for a moment that it did.
import { useEffect, useState } from 'react';
import { pageClock } from '../page-state/page-clock.ts';

const shownMs = 2_000;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for a screen reader: `the code`. */
  readonly what: string;
}

/** Copies the text. Where the browser refuses, it says so. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  useEffect(() => (state === 'ready' ? undefined : pageClock.after(shownMs, () => setState('ready'))), [state]);
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <button type="button" className="button button-quiet button-small copy" onClick={copy}>
      <span aria-live="polite">{{ ready: 'Copy', copied: 'Copied', refused: 'Not copied' }[state]}</span>
      <span className="visually-hidden"> {what}</span>
    </button>
  );
}

async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return await navigator.clipboard.writeText(text);
  // a page without TLS on another machine has no clipboard of its own
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error('The browser did not copy it.');
}

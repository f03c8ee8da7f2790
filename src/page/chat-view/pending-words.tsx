// Words that were said here and have no reply yet: shown at the end of the conversation until the gateway has named their turn.
import { useState } from 'react';
import type { SessionSnapshot } from '../../client/view/snapshot.ts';

/** `ref`: of its command; null while its files are being stored. */
export interface PendingWords {
  readonly key: number;
  readonly text: string;
  readonly ref: string | null;
}

export interface PendingList {
  readonly words: readonly PendingWords[];
  /** Adds words, until the promise that `send` returns is settled. Returns that promise. */
  readonly track: (text: string, send: (onSent: (ref: string) => void) => Promise<unknown>) => Promise<unknown>;
}

let lastKey = 0;

/** Returns the words that wait for their reply. */
export function usePendingWords(): PendingList {
  const [words, setWords] = useState<readonly PendingWords[]>([]);
  const track: PendingList['track'] = (text, send) => {
    lastKey += 1;
    const key = lastKey;
    setWords((before) => [...before, { key, text, ref: null }]);
    const sent = send((ref) =>
      setWords((before) => before.map((each) => (each.key === key ? { ...each, ref } : each))),
    );
    return sent.finally(() => setWords((before) => before.filter((each) => each.key !== key)));
  };
  return { words, track };
}

interface PendingProps {
  readonly words: readonly PendingWords[];
  readonly snapshot: SessionSnapshot;
}

/** The words whose turn is not in the snapshot. */
export function Pending({ words, snapshot }: PendingProps) {
  if (words.length === 0) return null;
  const named = new Set(snapshot.turns.flatMap(({ ref, inputs }) => [ref, ...inputs.map((input) => input.ref)]));
  return words
    .filter(({ ref }) => ref === null || !named.has(ref))
    .map(({ key, text }) => (
      <div key={key} className="said" data-mine="true" data-pending="true">
        <p className="said-by">You · not confirmed yet</p>
        <p className="said-text">{text}</p>
      </div>
    ));
}

// The usage of a session so far: the gateway counts it while the panel is open.
import { useEffect, useState } from 'react';
import type { SessionSnapshot } from '../../client/view/snapshot.ts';
import { costText, tokensText } from '../../client/view/usage-text.ts';
import type { SessionUsage, UsedWork } from '../../core/reports/session-usage.ts';
import { countText } from '../../core/words/count-text.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { problemText } from '../page-state/problem-text.ts';
import { useSession } from './session-context.ts';

interface UsedProps {
  readonly snapshot: SessionSnapshot;
  readonly isOpen: boolean;
}

/** A line with what all turns of the session have used. It is asked for again after each turn. */
export function Used({ snapshot, isOpen }: UsedProps) {
  const connection = useConnection();
  const { opened } = useSession();
  const [text, setText] = useState('Counting what the session has used…');
  const lastEnded = snapshot.turns.findLast(({ node, usage }) => node.parent === null && usage !== null)?.node.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn that ends has used something
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    const show = (next: string) => {
      if (isCurrent) setText(next);
    };
    connection
      .request(`api/sessions/${encodeURIComponent(opened.id)}/usage`)
      .then(async (response) => (response.ok ? usedText(await response.json()) : await problemText(response)))
      .then(show, (error: Error) => show(`What the session has used is not known: ${error.message}`));
    return () => {
      isCurrent = false;
    };
  }, [connection, opened.id, isOpen, lastEnded]);
  return <p className="soft">{text}</p>;
}

const usedText = ({ session }: SessionUsage): string => `The session has used: ${workText(session)}.`;

function workText({ turns, usage: { kind, input, output, cost } }: UsedWork): string {
  const about = kind === 'exact' ? '' : 'about ';
  const tokens =
    input === null && output === null
      ? 'tokens unknown'
      : `${about}${tokensText(input ?? 0)} tokens in, ${tokensText(output ?? 0)} out`;
  return [countText(turns, 'turn'), tokens, cost === undefined ? 'cost unknown' : costText(cost)].join('; ');
}

// The button that talks to a conversation, and the place of its panel: what talks is loaded with the first use.
import { lazy, Suspense } from 'react';
import { useConnection } from '../page-state/connection-context.ts';
import { useSession } from './session-context.ts';

const TalkPanel = lazy(async () => ({ default: (await import('../talk/talk-panel.tsx')).TalkPanel }));

interface TalkButtonProps {
  readonly isTalking: boolean;
  readonly onToggle: () => void;
}

/** Nothing at a gateway that does not know the speech of a page. */
export function TalkButton({ isTalking, onToggle }: TalkButtonProps) {
  const { client } = useConnection();
  if (!client.features?.includes('own_speech')) return null;
  return (
    <button type="button" className="button" aria-pressed={isTalking} onClick={onToggle}>
      Talk
    </button>
  );
}

export function TalkPlace({ onClose }: { readonly onClose: () => void }) {
  const { opened, speaker } = useSession();
  return (
    <Suspense fallback={<p className="talk soft">Loading…</p>}>
      <TalkPanel session={opened.session} speaker={speaker} onClose={onClose} />
    </Suspense>
  );
}

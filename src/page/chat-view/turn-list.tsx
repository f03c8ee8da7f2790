// The turns of a conversation, of which only those in sight and near it are in the document.
import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { TurnArticle } from './turn.tsx';

interface TurnListProps {
  readonly roots: readonly TurnView[];
  readonly snapshot: SessionSnapshot;
  /** The element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** What stands over the turns in it, in pixels. */
  readonly startPx: number;
}

/** Above and below what is in sight, in pixels: what a person reaches with one press of a key is there already. */
const bufferPx = 1_200;

/** Keeps its place when turns are added at its beginning, or dropped there. What runs, what has the focus and the last turn stay in the document. */
export function TurnList({ roots, snapshot, box, startPx }: TurnListProps) {
  const [focused, setFocused] = useState<string | null>(null);
  const isShifted = useShifted(roots);
  const last = roots.length - 1;
  const kept = roots.flatMap(({ node }, at) =>
    node.outcome === null || node.id === focused || at === last ? [at] : [],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes where the focus is
    <div
      className="turns"
      onFocus={(event: FocusEvent) =>
        setFocused(event.target.closest('[data-turn]')?.getAttribute('data-turn') ?? null)
      }
      onBlur={() => setFocused(null)}
    >
      <Virtualizer
        data={roots}
        scrollRef={box}
        startMargin={startPx}
        bufferSize={bufferPx}
        keepMounted={kept}
        shift={isShifted}
      >
        {(turn) => (
          <div key={turn.node.id} className="turn-slot" data-turn={turn.node.id}>
            <TurnArticle turn={turn} snapshot={snapshot} />
          </div>
        )}
      </Virtualizer>
    </div>
  );
}

/** Whether turns were added or dropped at the beginning since the last time. */
function useShifted(roots: readonly TurnView[]): boolean {
  const before = useRef<readonly string[]>([]);
  const ids = roots.map(({ node }) => node.id);
  const [had, has] = [before.current[0], ids[0]];
  useLayoutEffect(() => {
    before.current = ids;
  });
  if (had === undefined || has === undefined || had === has) return false;
  return ids.includes(had) || before.current.includes(has);
}

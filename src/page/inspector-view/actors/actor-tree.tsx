// The tree of the actors: sessions, turns, calls, sub-agents, connections, each with its state and its owner.
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useDistinctTitles } from '../../page-state/use-session-titles.ts';
import { useRowHeight } from '../lists/use-screen.ts';
import { WindowedList } from '../lists/windowed-list.tsx';
import { kindNames, screenTitle, shortState } from '../records/actor-titles.ts';
import type { StoreSnapshot } from '../records/record-store.ts';
import { type TreeRow, treeRows } from './tree-rows.ts';

interface ActorTreeProps {
  readonly snapshot: StoreSnapshot;
  /** The actor that is shown; null: none. */
  readonly chosen: string | null;
  readonly onChoose: (actor: string) => void;
}

/** Shows the tree. Arrow keys walk it, as in every tree. */
export function ActorTree({ snapshot, chosen, onChoose }: ActorTreeProps) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [clearedAt, setClearedAt] = useState<number | null>(null);
  const rowHeight = useRowHeight();
  const treeId = useId();
  const titles = useDistinctTitles();
  const { picture, version } = snapshot;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the live picture changes with the version
  const rows = useMemo(() => treeRows(picture, { collapsed, clearedAt }), [picture, version, collapsed, clearedAt]);
  const active = rows.findIndex(({ id }) => id === chosen);
  const ended = rows.filter(({ isEnded }) => isEnded).length;
  const toggle = (id: string) => setCollapsed(new Set(collapsed.has(id) ? without(collapsed, id) : [...collapsed, id]));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, rows, active);
    if (!step) return;
    event.preventDefault();
    if (step.kind === 'toggle') toggle(step.id);
    else onChoose(step.id);
  };
  const lastEnd = Math.max(0, ...[...picture.actors.values()].map(({ endedAt }) => endedAt ?? 0));
  return (
    <section className="pane pane-tree" aria-label="Actors">
      <header className="pane-head">
        <h2>Actors</h2>
        <span className="soft small">{rows.length - ended} alive</span>
        <span className="head-space" />
        {ended > 0 && (
          <button type="button" className="button button-quiet button-small" onClick={() => setClearedAt(lastEnd)}>
            Clear {ended} ended
          </button>
        )}
      </header>
      {rows.length === 0 && <p className="pane-empty soft">No actor yet. A session starts with its first words.</p>}
      <WindowedList
        role="tree"
        label="Actors"
        rowHeight={rowHeight}
        active={active}
        onKeyDown={onKeyDown}
        count={rows.length}
        activeId={active < 0 ? undefined : `${treeId}${chosen}`}
        row={(i) => {
          const row = rows[i];
          if (!row) return null;
          const { id } = row;
          return (
            <Row
              key={id}
              row={row}
              name={screenTitle(row.kind, row.title, titles)}
              elementId={`${treeId}${id}`}
              isChosen={id === chosen}
              height={rowHeight}
              onChoose={() => onChoose(id)}
              onToggle={() => toggle(id)}
            />
          );
        }}
      />
    </section>
  );
}

const without = (ids: ReadonlySet<string>, id: string): string[] => [...ids].filter((each) => each !== id);

interface RowProps {
  readonly row: TreeRow;
  /** As the screen shows it. */
  readonly name: string;
  readonly elementId: string;
  readonly isChosen: boolean;
  readonly height: number;
  readonly onChoose: () => void;
  readonly onToggle: () => void;
}

/** A row. The keys are those of the tree, which has the focus. */
function Row({ row, name, elementId, isChosen, height, onChoose, onToggle }: RowProps) {
  const { level, kind, title, status, owner, isEnded, isCancelled, isExpanded, position, siblings } = row;
  const ownTitle = title === kindNames[kind] ? '' : title;
  const saidWords = name === title ? '' : `“${name}”`;
  const words = [kindNames[kind], ownTitle, saidWords, status, owner === null ? '' : `of ${owner}`];
  const sentence = `${words.filter((word) => word !== '').join(', ')}${isEnded ? ', ended' : ''}`;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the tree, which names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      id={elementId}
      role="treeitem"
      className="actor"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isChosen}
      aria-expanded={isExpanded ?? undefined}
      title={sentence}
      data-kind={kind}
      data-ended={isEnded}
      data-cancelled={isCancelled}
      style={{ height, paddingLeft: 8 + (level - 1) * 12 }}
      onClick={onChoose}
    >
      <span className="visually-hidden">{sentence}</span>
      <span
        className="actor-twisty"
        aria-hidden="true"
        onClick={(event) => {
          if (isExpanded === null) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {isExpanded === null ? '' : isExpanded ? '▾' : '▸'}
      </span>
      <span className="actor-mark" aria-hidden="true" />
      <span className="actor-words" aria-hidden="true">
        <span className="actor-title">{name}</span>
        {owner !== null && <span className="actor-owner">{owner}</span>}
        {kind !== 'turn' && title !== kindNames[kind] && <span className="actor-kind">{kindNames[kind]}</span>}
      </span>
      <span className="actor-status" aria-hidden="true">
        {shortState(status)}
      </span>
    </div>
  );
}

type Step = { readonly kind: 'choose' | 'toggle'; readonly id: string } | null;

/** Returns what a key does in the tree: another row is chosen, or the active one opens or closes. */
function stepOf(key: string, rows: readonly TreeRow[], active: number): Step {
  const row = rows[active];
  const choose = (at: TreeRow | undefined): Step => (at ? { kind: 'choose', id: at.id } : null);
  switch (key) {
    case 'ArrowDown':
      return choose(rows[active + 1]);
    case 'ArrowUp':
      return choose(rows[Math.max(0, active - 1)]);
    case 'Home':
      return choose(rows[0]);
    case 'End':
      return choose(rows.at(-1));
    case 'ArrowRight':
      if (row?.isExpanded === false) return { kind: 'toggle', id: row.id };
      return row?.isExpanded ? choose(rows[active + 1]) : null;
    case 'ArrowLeft':
      if (row?.isExpanded) return { kind: 'toggle', id: row.id };
      return choose(rows.find(({ id }) => id === row?.parent));
    case ' ':
    case 'Enter':
      return row?.isExpanded == null ? null : { kind: 'toggle', id: row.id };
    default:
      return null;
  }
}

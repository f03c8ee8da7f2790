// The filter of the events: of which actors, of which type, with or without those of XState itself.
import { useId, useMemo } from 'react';
import { treeRows } from '../actors/tree-rows.ts';
import { kindNames } from '../records/actor-titles.ts';
import type { StoreSnapshot } from '../records/record-store.ts';
import type { EventFilter } from './event-rows.ts';

type ChosenFilter = Omit<EventFilter, 'actor'>;

interface EventFilterFieldsProps {
  readonly filter: ChosenFilter;
  readonly snapshot: StoreSnapshot;
  /** Whether an actor can be chosen, with what is below it. */
  readonly withTree: boolean;
  readonly onFilter: (filter: ChosenFilter) => void;
}

const nothing = { collapsed: new Set<string>(), clearedAt: null };
/** More are not listed: nobody looks for one among them. */
const maxChoices = 200;

/** The fields of the filter. */
export function EventFilterFields({ filter, snapshot, withTree, onFilter }: EventFilterFieldsProps) {
  const type = useId();
  const tree = useId();
  const { picture, version } = snapshot;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the live picture changes with the version
  const rows = useMemo(
    () => (withTree ? treeRows(picture, nothing).filter(({ kind }) => kind !== 'worker') : []),
    [picture, version, withTree],
  );
  return (
    <span className="event-filter">
      {withTree && (
        <>
          <label className="visually-hidden" htmlFor={tree}>
            Actor
          </label>
          <select
            id={tree}
            className="field"
            value={filter.tree ?? ''}
            onChange={({ target }) => onFilter({ ...filter, tree: target.value === '' ? null : target.value })}
          >
            <option value="">All actors</option>
            {rows.slice(-maxChoices).map(({ id, level, kind, title, owner }) => (
              <option key={id} value={id}>
                {`${'\u2003'.repeat(level - 1)}${[kindNames[kind], title === kindNames[kind] ? '' : title].join(' ')}${owner === null ? '' : ` of ${owner}`}`}
              </option>
            ))}
          </select>
        </>
      )}
      <label className="visually-hidden" htmlFor={type}>
        Type of the event
      </label>
      <input
        id={type}
        className="field"
        type="search"
        placeholder={withTree ? 'Type, like CANCEL' : 'Type'}
        value={filter.type}
        onChange={({ target }) => onFilter({ ...filter, type: target.value })}
      />
      <label className="choice small">
        <input
          type="checkbox"
          checked={filter.withInternal}
          onChange={({ target }) => onFilter({ ...filter, withInternal: target.checked })}
        />
        XState’s own
      </label>
    </span>
  );
}

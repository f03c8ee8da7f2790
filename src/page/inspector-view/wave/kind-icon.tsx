// A small picture of the kind of a node.
import type { WaveRow } from './wave-model.ts';

const paths: Readonly<Record<NonNullable<WaveRow['kind']>, string>> = {
  turn: 'M3 3.5h10a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5H8l-3.5 2.5v-2.5H3A1.5 1.5 0 0 1 1.5 10V5A1.5 1.5 0 0 1 3 3.5Z',
  'tool-call': 'M2.5 2.5h11v11h-11zM5 6l2 2-2 2M8.5 10.5H11',
  'sub-agent': 'M8 1.8v2.4M3.5 4.2h9v8.3h-9zM6 7.5v1.2M10 7.5v1.2M1.8 7.5v2.5M14.2 7.5v2.5',
  input: 'M3 4.5h10M3 8h10M3 11.5h6',
  speech: 'M3 6.5v3M6 4v8M9 5.5v5M12 3v10',
};

/** Draws the kind of a node; nothing where it is not known. */
export function KindIcon({ kind }: { readonly kind: WaveRow['kind'] }) {
  return (
    <svg className="kind-icon" viewBox="0 0 16 16" aria-hidden="true">
      {kind !== null && <path d={paths[kind]} />}
    </svg>
  );
}

// The timeline of a wave: a row for each node, as a tree, over the time since the acceptance.

import type { CSSProperties } from 'react';
import { measuredText } from '../../../core/words/durations.ts';
import { KindIcon } from './kind-icon.tsx';
import { WaveBar } from './wave-bar.tsx';
import { WaveFront } from './wave-front.tsx';
import { isToStop, type Wave, type WaveRow } from './wave-model.ts';
import type { Scale } from './wave-scale.ts';
import { numbersOf, rowEndLabel, rowEndText, titleOfRow, toneOf } from './wave-words.ts';

interface WaveChartProps {
  readonly wave: Wave;
  readonly scale: Scale;
  /** The present, in milliseconds since the acceptance; null: the wave is over. */
  readonly nowMs: number | null;
  /** The row whose numbers are shown. */
  readonly shown: string | null;
  readonly onShow: (node: string | null) => void;
  readonly onChoose: (node: string) => void;
}

/** Draws the rows of a wave. */
export function WaveChart({ wave, scale, nowMs, shown, onShow, onChoose }: WaveChartProps) {
  const isOpen = nowMs !== null;
  const lastMs = nowMs ?? (wave.settledAt === null ? null : wave.settledAt - wave.acceptedAt);
  return (
    <div className="wave-chart">
      <div className="wave-row wave-axis" aria-hidden="true">
        <span className="wave-axis-name">Node</span>
        <div className="wave-track">
          {scale.ticks.map(
            ({ ms, at, label }) =>
              label !== '' && (
                <span key={ms} className="wave-tick" style={placeAt(at)}>
                  {label}
                </span>
              ),
          )}
        </div>
        <span className="wave-axis-name wave-end">Outcome</span>
      </div>
      <div className="wave-body">
        <div className="wave-backdrop" aria-hidden="true">
          {scale.ticks.map(({ ms, at, label }) => (
            <span key={ms} className={label === '' ? 'wave-line wave-line-faint' : 'wave-line'} style={placeAt(at)} />
          ))}
          <WaveFront wave={wave} scale={scale} nowMs={nowMs} />
          {lastMs !== null && (
            <span
              className="wave-now"
              data-open={isOpen}
              data-flip={scale.at(lastMs) > 0.88}
              style={placeAt(scale.at(lastMs))}
            >
              <span className="wave-now-text">{measuredText(lastMs)}</span>
            </span>
          )}
        </div>
        <ol className="wave-rows">
          {wave.rows.map((row, place) => (
            <li
              key={row.node}
              className="wave-row"
              data-tone={toneOf(row)}
              data-shown={row.node === shown}
              onPointerEnter={() => onShow(row.node)}
              onPointerLeave={() => onShow(null)}
            >
              <NodeName row={row} wave={wave} onChoose={onChoose} onShow={onShow} guides={guidesOf(wave.rows, place)} />
              <div className="wave-track" aria-hidden="true">
                <WaveBar row={row} acceptedAt={wave.acceptedAt} scale={scale} nowMs={nowMs} />
              </div>
              <span className="wave-end" aria-hidden="true">
                <EndOfRow row={row} acceptedAt={wave.acceptedAt} />
              </span>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

const placeAt = (part: number): CSSProperties => ({ left: `${part * 100}%` });

interface NodeNameProps {
  readonly row: WaveRow;
  readonly wave: Wave;
  readonly guides: readonly Guide[];
  readonly onChoose: (node: string) => void;
  readonly onShow: (node: string | null) => void;
}

/** The name of a row, as a button: its numbers stay when it is chosen. A screen reader says them with it. */
function NodeName({ row, wave, guides, onChoose, onShow }: NodeNameProps) {
  const numbers = numbersOf(row, wave.acceptedAt).filter(({ text }) => text !== '');
  return (
    <button
      type="button"
      className="wave-node"
      title={titleOfRow(row)}
      onFocus={() => onShow(row.node)}
      onBlur={() => onShow(null)}
      onClick={() => onChoose(row.node)}
    >
      {guides.map(({ id, kind }) => (
        <span key={id} className="wave-guide" data-guide={kind} aria-hidden="true" />
      ))}
      <KindIcon kind={row.kind} />
      <span className="wave-name">{row.name}</span>
      <span className="wave-detail">{row.detail}</span>
      <span className="visually-hidden">
        {`, ${row.owner === null ? '' : `of ${row.owner}, `}${rowEndText(row)}`}
        {numbers.map(({ name, text }) => `; ${name}: ${text}`).join('')}
      </span>
    </button>
  );
}

function EndOfRow({ row, acceptedAt }: { readonly row: WaveRow; readonly acceptedAt: number }) {
  const { settledAt, verdict } = row;
  return (
    <>
      <span className="wave-end-text">{rowEndLabel(row)}</span>
      {isToStop(verdict) && settledAt !== null && (
        <span className="wave-end-ms">{measuredText(Math.max(0, settledAt - acceptedAt))}</span>
      )}
    </>
  );
}

/** A piece of the lines of the tree: `line` passes, `branch` goes on below, `last` ends here. */
interface Guide {
  readonly id: number;
  readonly kind: 'none' | 'line' | 'branch' | 'last';
}

/** Returns the lines before the name of a row, from the outermost on. */
function guidesOf(rows: readonly WaveRow[], place: number): readonly Guide[] {
  const depth = rows[place]?.depth ?? 0;
  return Array.from({ length: depth }, (_, level): Guide => {
    const next = rows.slice(place + 1).find((row) => row.depth <= level + 1);
    const goesOn = next?.depth === level + 1;
    if (level + 1 === depth) return { id: level, kind: goesOn ? 'branch' : 'last' };
    return { id: level, kind: goesOn ? 'line' : 'none' };
  });
}

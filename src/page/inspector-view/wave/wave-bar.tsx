// The bar of a node in its wave: from the CANCEL to the outcome, with a mark for each step, over the track of its budget.
import type { CSSProperties } from 'react';
import { isToStop, type WaveRow } from './wave-model.ts';
import type { Scale } from './wave-scale.ts';

interface WaveBarProps {
  readonly row: WaveRow;
  readonly acceptedAt: number;
  readonly scale: Scale;
  readonly nowMs: number | null;
}

/** Draws what became of a node. */
export function WaveBar({ row, acceptedAt, scale, nowMs }: WaveBarProps) {
  const since = (at: number | null) => (at === null ? null : Math.max(0, at - acceptedAt));
  const [cutMs, cancelMs, abortedMs] = [since(row.cutAt), since(row.cancelAt), since(row.abortedAt)];
  const [settledMs, exitedMs] = [since(row.settledAt), since(row.exitedAt)];
  const startMs = cancelMs ?? cutMs;
  if (!isToStop(row.verdict))
    return (
      <>
        <span className="wave-bar wave-bar-open" style={between(scale, 0, settledMs)} />
        {settledMs === null ? <span className="wave-arrow" /> : <Mark kind="ended" ms={settledMs} scale={scale} />}
      </>
    );
  const isDelayed = row.verdict === 'pending' && abortedMs !== null;
  // the work of any other call has ended when it settles
  const isLate = row.outcome === 'abandoned' && exitedMs !== null;
  const endMs = settledMs ?? Math.max(nowMs ?? 0, startMs ?? 0);
  return (
    <>
      {row.budgetMs !== null && (
        <Budget fromMs={(isDelayed ? abortedMs : cutMs) ?? 0} budgetMs={row.budgetMs} scale={scale} />
      )}
      <span
        className="wave-bar"
        data-start={startMs === null ? 'blank' : 'known'}
        data-open={settledMs === null}
        style={between(scale, startMs ?? 0, endMs)}
      />
      {isDelayed && <span className="wave-bar wave-bar-shield" style={between(scale, startMs ?? 0, abortedMs)} />}
      {isLate && settledMs !== null && (
        <span className="wave-bar wave-bar-late" style={between(scale, settledMs, exitedMs)} />
      )}
      {cutMs !== null && <Mark kind="cut" ms={cutMs} scale={scale} />}
      {cancelMs !== null && <Mark kind="got" ms={cancelMs} scale={scale} />}
      {settledMs !== null && <Mark kind={row.forced ? 'forced' : 'settled'} ms={settledMs} scale={scale} />}
      {isLate && settledMs !== null && <Mark kind="exited" ms={exitedMs} scale={scale} />}
    </>
  );
}

export type MarkKind = 'cut' | 'got' | 'settled' | 'forced' | 'exited' | 'ended';

interface MarkProps {
  readonly kind: MarkKind;
  readonly ms: number;
  readonly scale: Scale;
}

function Mark({ kind, ms, scale }: MarkProps) {
  const at = scale.at(ms);
  return at < -0.001 || at > 1.001 ? null : (
    <span className="wave-mark" data-mark={kind} style={{ left: `${at * 100}%` }} />
  );
}

interface BudgetProps {
  readonly fromMs: number;
  readonly budgetMs: number;
  readonly scale: Scale;
}

/** The time that a node may take, up to its limit. */
const Budget = ({ fromMs, budgetMs, scale }: BudgetProps) => (
  <span className="wave-budget" style={between(scale, fromMs, fromMs + budgetMs)} />
);

/** From one time to another, within the visible part; null: to its end. */
function between(scale: Scale, fromMs: number, toMs: number | null): CSSProperties {
  const left = clamp(scale.at(fromMs));
  const right = toMs === null ? 1 : clamp(scale.at(toMs));
  return { left: `${left * 100}%`, width: `${Math.max(0, right - left) * 100}%` };
}

const clamp = (part: number): number => Math.min(1.01, Math.max(-0.01, part));

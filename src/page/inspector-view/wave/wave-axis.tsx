// The axis of a wave as a person moves it: logarithmic or linear, nearer and farther, to the left and to the right.
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { isToStop, type Wave } from './wave-model.ts';
import {
  type AxisSpan,
  createScale,
  movedSpan,
  type Scale,
  type ScaleKind,
  wholeSpan,
  zoomedSpan,
} from './wave-scale.ts';

export interface Axis {
  readonly scale: Scale;
  readonly kind: ScaleKind;
  readonly span: AxisSpan;
  readonly setKind: (kind: ScaleKind) => void;
  readonly setSpan: (change: (span: AxisSpan) => AxisSpan) => void;
  readonly stage: RefObject<HTMLDivElement | null>;
  readonly handlers: {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(): void;
    onKeyDown(event: KeyboardEvent): void;
  };
}

/** Returns the axis of a wave, as long as the wave: one that goes on grows. */
export function useAxis(wave: Wave, nowMs: number | null): Axis {
  const [kind, setKind] = useState<ScaleKind>('log');
  const [span, setSpan] = useState(wholeSpan);
  const stage = useRef<HTMLDivElement>(null);
  const draggedFrom = useRef<number | null>(null);
  const endMs = endOf(wave, kind, nowMs);
  const finestMs = useMemo(() => finestOf(wave), [wave]);
  const scale = useMemo(() => createScale({ kind, endMs, finestMs, span }), [kind, endMs, finestMs, span]);
  useWheel(stage, setSpan);
  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button === 0 && event.pointerType === 'mouse') draggedFrom.current = event.clientX;
    },
    onPointerMove(event: PointerEvent) {
      if (draggedFrom.current === null) return;
      const by = (draggedFrom.current - event.clientX) / trackWidth(stage);
      draggedFrom.current = event.clientX;
      setSpan((before) => movedSpan(before, by));
    },
    onPointerUp() {
      draggedFrom.current = null;
    },
    onKeyDown({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) {
      const change = ctrlKey || metaKey || altKey ? undefined : keys[key];
      if (change) setSpan(change);
    },
  };
  return { scale, kind, span, setKind, setSpan, stage, handlers };
}

const keys: Readonly<Record<string, (span: AxisSpan) => AxisSpan>> = {
  '+': (span) => zoomedSpan(span, 0.5),
  '-': (span) => zoomedSpan(span, 2),
  '0': () => wholeSpan,
  ArrowLeft: (span) => movedSpan(span, -0.2),
  ArrowRight: (span) => movedSpan(span, 0.2),
};

const trackWidth = (stage: RefObject<HTMLDivElement | null>): number =>
  stage.current?.querySelector('.wave-track')?.clientWidth || 1;

/** Zooms with the wheel while Ctrl is held, as maps do: without it the page scrolls. */
function useWheel(stage: RefObject<HTMLDivElement | null>, setSpan: Axis['setSpan']): void {
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const zoom = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault(); // else the browser zooms the page
      const track = element.querySelector('.wave-track')?.getBoundingClientRect();
      const around = track ? (event.clientX - track.left) / track.width : 0.5;
      setSpan((span) => zoomedSpan(span, event.deltaY < 0 ? 0.8 : 1.25, Math.min(1, Math.max(0, around))));
    };
    element.addEventListener('wheel', zoom, { passive: false });
    return () => element.removeEventListener('wheel', zoom);
  }, [stage, setSpan]);
}

/** The end of the axis: a little after the last thing that the wave knows. On a logarithmic one the budgets have room, too. */
function endOf({ rows, acceptedAt }: Wave, kind: ScaleKind, nowMs: number | null): number {
  const times = rows.flatMap(({ verdict, settledAt, exitedAt, abortedAt, cutAt, budgetMs }) => {
    if (!isToStop(verdict)) return [];
    const since = (at: number | null) => (at === null ? [] : [at - acceptedAt]);
    const limit =
      budgetMs === null || kind === 'linear' ? [] : [(abortedAt ?? cutAt ?? acceptedAt) - acceptedAt + budgetMs];
    return [...since(settledAt), ...since(exitedAt), ...limit];
  });
  const last = Math.max(1, nowMs ?? 0, ...times);
  return kind === 'linear' ? last * 1.08 : last * 1.4;
}

/** The shortest time of the wave, within reason. */
function finestOf({ rows, acceptedAt }: Wave): number {
  const times = rows
    .flatMap(({ cutAt, cancelAt, settledAt }) => [cutAt, cancelAt, settledAt])
    .flatMap((at) => (at !== null && at > acceptedAt ? [at - acceptedAt] : []));
  return Math.min(5, Math.max(0.05, Math.min(...times) / 2));
}

interface WaveToolbarProps {
  readonly axis: Axis;
  /** Shows the wave again from its start; null: it goes on, or is being played. */
  readonly onPlay: (() => void) | null;
}

/** The controls of the axis. */
export function WaveToolbar({ axis: { kind, span, setKind, setSpan }, onPlay }: WaveToolbarProps) {
  const isWhole = span.from === 0 && span.to === 1;
  return (
    <div className="wave-toolbar" role="toolbar" aria-label="Time axis">
      <button type="button" className="button button-small" disabled={!onPlay} onClick={() => onPlay?.()}>
        ▶ Play
      </button>
      <fieldset className="wave-kinds">
        <legend className="visually-hidden">Scale</legend>
        {(['log', 'linear'] as const).map((each) => (
          <button
            key={each}
            type="button"
            className="button button-small"
            aria-pressed={kind === each}
            onClick={() => setKind(each)}
          >
            {each === 'log' ? 'Log' : 'Linear'}
          </button>
        ))}
      </fieldset>
      <button type="button" className="button button-small" aria-label="Zoom in" onClick={() => setSpan(zoomIn)}>
        +
      </button>
      <button
        type="button"
        className="button button-small"
        aria-label="Zoom out"
        disabled={isWhole}
        onClick={() => setSpan(zoomOut)}
      >
        −
      </button>
      <button type="button" className="button button-small" disabled={isWhole} onClick={() => setSpan(() => wholeSpan)}>
        Fit
      </button>
    </div>
  );
}

const zoomIn = (span: AxisSpan) => zoomedSpan(span, 0.5);
const zoomOut = (span: AxisSpan) => zoomedSpan(span, 2);

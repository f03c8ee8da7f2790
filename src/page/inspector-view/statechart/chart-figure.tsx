// A statechart as SVG: states, transitions, what is active, what was just taken, what is chosen.
import { Fragment } from 'react';
import type { ChartDrawing, DrawnState, DrawnTransition, InitialState } from './chart-drawing.ts';
import { handlerWords } from './chart-words.ts';
import { arrowHead, roundedPath, startOf } from './line-path.ts';

/** What of a drawing stands out. */
export interface Lit {
  readonly active: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  /** The state that handled the last event without a transition, and this event; null: none did. */
  readonly handled: { readonly by: string; readonly event: string } | null;
  /** The path of a state, or the id of a transition. */
  readonly chosen: string | null;
}

interface ChartFigureProps {
  readonly drawing: ChartDrawing;
  readonly lit: Lit;
}

/** Draws the parts of a chart, from the back to the front. */
export function ChartFigure({ drawing, lit }: ChartFigureProps) {
  const outer = drawing.states.filter(({ kind }) => kind === 'compound');
  const inner = drawing.states.filter(({ kind }) => kind !== 'compound');
  const isTaken = ({ id }: DrawnTransition) => lit.taken.has(id) || lit.chosen === id;
  const behind = drawing.transitions.filter((transition) => !isTaken(transition));
  const front = drawing.transitions.filter(isTaken);
  return (
    <>
      {outer.map((state) => (
        <StateBox key={state.path} state={state} lit={lit} />
      ))}
      <InitialArrow initial={drawing.initial} />
      {outer.map(({ path, initial }) => (
        <InitialArrow key={path} initial={initial} />
      ))}
      {[...behind, ...front].map((transition) => (
        <TransitionLine key={transition.id} transition={transition} lit={lit} />
      ))}
      {inner.map((state) => (
        <StateBox key={state.path} state={state} lit={lit} />
      ))}
      {[...behind, ...front].map((transition) => (
        <TransitionLabel key={transition.id} transition={transition} lit={lit} />
      ))}
    </>
  );
}

const text = { left: 11, name: 18, first: 26, line: 13, baseline: 9.5 } as const;
/** Measures of labels. */
const labelText = { line: 14, baseline: 10.5 } as const;

function StateBox({ state, lit }: { readonly state: DrawnState; readonly lit: Lit }) {
  const { path, name, kind, x, y, width, height, invokes, handled, reasons } = state;
  const isStop = name === 'interrupted' || name === 'abandoned';
  const lineAt = (i: number) => y + text.first + i * text.line;
  return (
    <g
      className="chart-state"
      data-state={path}
      data-kind={kind}
      data-stop={isStop || undefined}
      data-active={lit.active.has(path) || undefined}
      data-handled={lit.handled?.by === path || undefined}
      data-chosen={lit.chosen === path || undefined}
    >
      {reasons['CANCEL'] !== undefined && <title>{`CANCEL: ${reasons['CANCEL']}`}</title>}
      <rect className="chart-box" x={x} y={y} width={width} height={height} rx={kind === 'compound' ? 10 : 7} />
      {kind === 'final' && (
        <rect className="chart-final" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={5} />
      )}
      <text className="chart-name" x={x + text.left} y={y + text.name}>
        {name}
      </text>
      {invokes.map((id, i) => (
        <WorkerTag key={id} id={id} x={x + text.left} y={lineAt(i)} />
      ))}
      {handled.map((line, i) => (
        <text key={line} className="chart-handled" x={x + text.left} y={lineAt(invokes.length + i) + text.baseline}>
          <EventNames line={line} handled={lit.handled?.by === path ? lit.handled.event : null} />
        </text>
      ))}
    </g>
  );
}

/** A line of events that change no state; the one that was just handled stands out. */
function EventNames({ line, handled }: { readonly line: string; readonly handled: string | null }) {
  if (handled === null) return line;
  return line.split(' · ').map((event, i) => (
    <Fragment key={event}>
      {i > 0 && ' · '}
      <tspan data-handled={event === handled || undefined}>{event}</tspan>
    </Fragment>
  ));
}

/** A worker that runs while the state is active. */
function WorkerTag({ id, x, y }: { readonly id: string; readonly x: number; readonly y: number }) {
  return (
    <g className="chart-worker">
      <path d={`M${x},${y + 2.5}l5,3.5l-5,3.5z`} />
      <text x={x + 9} y={y + text.baseline}>
        {id}
      </text>
    </g>
  );
}

function InitialArrow({ initial }: { readonly initial: InitialState | null }) {
  if (!initial) return null;
  const [x, y] = startOf(initial.line);
  return (
    <g className="chart-initial">
      <circle cx={x} cy={y} r={4} />
      <path className="chart-line" d={roundedPath(initial.line)} />
      <path className="chart-head" d={arrowHead(initial.line)} />
    </g>
  );
}

interface TransitionProps {
  readonly transition: DrawnTransition;
  readonly lit: Lit;
}

/** The attributes that the style of a transition depends on. */
const markOf = ({ id, stop }: DrawnTransition, { taken, chosen }: Lit) => ({
  'data-transition': id,
  'data-stop': stop ?? undefined,
  'data-taken': taken.has(id) || undefined,
  'data-chosen': chosen === id || undefined,
});

function TransitionLine({ transition, lit }: TransitionProps) {
  const path = roundedPath(transition.line);
  return (
    <g className="chart-transition" {...markOf(transition, lit)}>
      <title>{handlerWords(transition.handlers)}</title>
      <path className="chart-touch" d={path} />
      <path className="chart-line" d={path} />
      <path className="chart-head" d={arrowHead(transition.line)} />
    </g>
  );
}

function TransitionLabel({ transition, lit }: TransitionProps) {
  const { label, from, to } = transition;
  if (!label) return null;
  const isInside = from.includes('.') && from.split('.')[0] === to.split('.')[0];
  return (
    <g className="chart-label" data-inside={isInside || undefined} {...markOf(transition, lit)}>
      {label.lines.map((line, i) => (
        <text key={line} x={label.x + label.width / 2} y={label.y + i * labelText.line + labelText.baseline}>
          {line}
        </text>
      ))}
    </g>
  );
}

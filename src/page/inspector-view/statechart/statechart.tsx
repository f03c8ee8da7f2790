// The statechart of a machine: what is active, the step just taken, the details of what is chosen. It can be moved and scaled.
import { type MouseEvent, useId, useMemo, useState } from 'react';
import type { StateValue } from '../../../wire/inspection.ts';
import { activePaths } from './active-paths.ts';
import { ChartDetails } from './chart-details.tsx';
import type { ChartDrawing } from './chart-drawing.ts';
import { drawingOf } from './chart-drawings.ts';
import { ChartFigure, type Lit } from './chart-figure.tsx';
import { activeWords, stepWords } from './chart-words.ts';
import { type LastStep, transitionsTaken } from './transitions-taken.ts';
import { useViewport } from './use-viewport.ts';

interface StatechartProps {
  /** The chart's id: `turn`. */
  readonly chart: string;
  /** What is active; null: nothing is known. */
  readonly value: StateValue | null;
  /** The step that led to it. */
  readonly last: LastStep | null;
  /** The path of a state, or the id of a transition. Left out: the component keeps it. */
  readonly chosen?: string | null;
  readonly onChoose?: (chosen: string | null) => void;
}

/** Draws a machine from its definition. */
export function Statechart(props: StatechartProps) {
  const drawing = drawingOf(props.chart);
  if (!drawing) {
    return (
      <p className="chart-missing soft">
        The machine “{props.chart}” has no drawing. Active: {activeWords(props.value) || 'unknown'}.
      </p>
    );
  }
  return <DrawnChart key={drawing.id} {...props} drawing={drawing} />;
}

function DrawnChart({ drawing, value, last, ...props }: StatechartProps & { readonly drawing: ChartDrawing }) {
  const [own, setOwn] = useState<string | null>(null);
  const chosen = props.chosen === undefined ? own : props.chosen;
  const choose = props.onChoose ?? setOwn;
  const lit = useMemo((): Lit => {
    const { transitions, handledBy } = transitionsTaken(drawing, last);
    const handled = last && handledBy !== null ? { by: handledBy, event: last.event } : null;
    return { active: new Set(activePaths(value)), taken: new Set(transitions), handled, chosen };
  }, [drawing, value, last, chosen]);
  const [isOpen, setIsOpen] = useState(false);
  const toggle = () => {
    setIsOpen(!(isOpen || chosen !== null));
    choose(null);
  };
  return (
    <section className="statechart" aria-label={`Statechart of ${drawing.id}`}>
      <div className="chart-layout" data-open={isOpen || chosen !== null}>
        <ChartCanvas drawing={drawing} lit={lit} value={value} last={last} onChoose={choose} />
        <section className="chart-details" aria-label="Details">
          <div className="chart-choice">
            <StateChoice drawing={drawing} chosen={chosen} onChoose={choose} />
            <button
              type="button"
              className="button button-small chart-toggle"
              aria-expanded={isOpen || chosen !== null}
              onClick={toggle}
            >
              Details
            </button>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
          <section className="chart-text" tabIndex={0} aria-label="What is chosen">
            <ChartDetails drawing={drawing} chosen={chosen} onChoose={choose} />
          </section>
        </section>
      </div>
    </section>
  );
}

interface ChartCanvasProps extends Pick<StatechartProps, 'value' | 'last'> {
  readonly drawing: ChartDrawing;
  readonly lit: Lit;
  readonly onChoose: (chosen: string | null) => void;
}

function ChartCanvas({ drawing, lit, value, last, onChoose }: ChartCanvasProps) {
  const { frame, viewport, fits, fit, zoomIn, zoomOut, onKeyDown, pointers } = useViewport(drawing);
  const words = useId();
  const { x, y, scale } = viewport;
  const onClick = ({ target }: MouseEvent) => {
    if (pointers.isDrag() || !(target instanceof Element)) return;
    const { state, transition } = target.closest<SVGElement>('[data-state], [data-transition]')?.dataset ?? {};
    onChoose(state ?? transition ?? null);
  };
  return (
    <div className="chart-canvas">
      <div
        className="chart-frame"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the drawing
        tabIndex={0}
        role="application"
        aria-label="Drawing: arrow keys move it, plus and minus scale it, zero fits it"
        onKeyDown={onKeyDown}
        onClick={onClick}
        {...pointers.handlers}
      >
        <svg className="chart-svg" role="img" aria-labelledby={words}>
          <title id={words}>{titleOf(drawing, value, last)}</title>
          <g transform={`translate(${x} ${y}) scale(${scale})`}>
            <ChartFigure drawing={drawing} lit={lit} />
          </g>
        </svg>
      </div>
      <div className="chart-zoom" role="toolbar" aria-label="View of the drawing">
        <button type="button" className="button button-small" aria-label="Zoom out" onClick={zoomOut}>
          −
        </button>
        <button type="button" className="button button-small" aria-label="Zoom in" onClick={zoomIn}>
          +
        </button>
        <button type="button" className="button button-small" disabled={fits} onClick={fit}>
          Fit
        </button>
      </div>
    </div>
  );
}

/** The drawing in words, for whoever does not see it. */
function titleOf({ id, about }: ChartDrawing, value: StateValue | null, last: LastStep | null): string {
  const active = value === null ? '' : ` Active: ${activeWords(value)}.`;
  return `Statechart of ${id}. ${about}${active}${last ? ` Last step: ${stepWords(last)}.` : ''}`;
}

interface StateChoiceProps extends Pick<ChartCanvasProps, 'drawing' | 'onChoose'> {
  readonly chosen: string | null;
}

/** Chooses a state by keys, or by its name. */
function StateChoice({ drawing, chosen, onChoose }: StateChoiceProps) {
  const isState = drawing.states.some(({ path }) => path === chosen);
  return (
    <label className="chart-select">
      <span className="small soft">Show</span>
      <select
        className="field"
        value={isState ? (chosen ?? '') : ''}
        onChange={({ target }) => onChoose(target.value || null)}
      >
        <option value="">the machine</option>
        {drawing.states.map(({ path }) => (
          <option key={path} value={path}>
            {path}
          </option>
        ))}
      </select>
    </label>
  );
}

// The wave of a CANCEL: a sentence, its numbers, the timeline, the numbers of one node, and a table.

import { useState } from 'react';
import { measuredText } from '../../../core/words/durations.ts';
import { routeHref } from '../../page-state/routing.ts';
import { fineDateText } from '../../page-state/time-text.ts';
import { useAxis, WaveToolbar } from './wave-axis.tsx';
import { WaveChart } from './wave-chart.tsx';
import { WaveLegend } from './wave-legend.tsx';
import { isToStop, type Wave, type WaveRow } from './wave-model.ts';
import { WaveNode } from './wave-node.tsx';
import { WaveTable } from './wave-table.tsx';
import { countsOf, reachedMs, sourceText, targetText, waveResultText, whoText } from './wave-words.ts';

interface CancelWaveProps {
  readonly session: string;
  readonly wave: Wave;
  /** The present, in milliseconds since 1970, by the clock of the gateway. It counts while the wave goes on. */
  readonly now: number;
  /** Whether the actors of the wave can be shown: the records of them are here. */
  readonly hasActors: boolean;
}

/** Shows how a CANCEL went down. */
export function CancelWave({ session, wave, now, hasActors }: CancelWaveProps) {
  const nowMs = wave.settledAt === null ? Math.max(0, now - wave.acceptedAt) : null;
  const axis = useAxis(wave, nowMs);
  const [hovered, setHovered] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const shown = hovered ?? chosen;
  const row = wave.rows.find(({ node }) => node === shown) ?? lastToEnd(wave);
  return (
    <article className="wave" aria-labelledby="wave-title">
      <header className="wave-head">
        <h2 id="wave-title" className="wave-title">
          <b>{whoText(wave)}</b> stopped {targetText(wave)}: {waveResultText(wave)}
        </h2>
        <Particulars wave={wave} session={session} />
      </header>
      <div className="wave-summary">
        <Figures wave={wave} nowMs={nowMs} />
        <WaveToolbar axis={axis} onPlay={nowMs === null && !isPlaying ? () => setIsPlaying(true) : null} />
      </div>
      <div
        className="wave-stage"
        ref={axis.stage}
        data-playing={isPlaying}
        onAnimationEnd={({ animationName }) => animationName === 'wave-reveal' && setIsPlaying(false)}
        {...axis.handlers}
      >
        <WaveChart
          wave={wave}
          nowMs={nowMs}
          shown={shown}
          scale={axis.scale}
          onShow={setHovered}
          onChoose={(node) => setChosen((before) => (before === node ? null : node))}
        />
      </div>
      <WaveNode row={row} session={session} hasActors={hasActors} acceptedAt={wave.acceptedAt} />
      <WaveLegend wave={wave} />
      <WaveTable wave={wave} />
    </article>
  );
}

/** The call that kept the CANCEL waiting: its numbers are shown until a person points at another row. */
function lastToEnd({ rows }: Wave): WaveRow | null {
  const calls = rows.filter(({ kind, verdict }) => kind === 'tool-call' && isToStop(verdict));
  const open = calls.find(({ settledAt }) => settledAt === null);
  return open ?? calls.toSorted((a, b) => (b.settledAt ?? 0) - (a.settledAt ?? 0))[0] ?? rows[0] ?? null;
}

/** The way on which the CANCEL came, its reason, when, and the conversation. */
function Particulars({ wave, session }: { readonly wave: Wave; readonly session: string }) {
  const { source, reason, via, force, acceptedAt } = wave;
  return (
    <p className="wave-particulars">
      {source !== null && <span className="wave-chip">{sourceText(source)}</span>}
      {force && <span className="wave-chip wave-chip-force">force</span>}
      {via !== null && <span>by way of {via}</span>}
      {reason !== null && <span className="wave-reason">“{reason}”</span>}
      <time dateTime={new Date(acceptedAt).toISOString()}>{fineDateText(acceptedAt)}</time>
      <a href={routeHref({ view: 'chat', session })}>In the conversation</a>
    </p>
  );
}

/** The large numbers: how far the CANCEL has come, and how long it took. */
function Figures({ wave, nowMs }: { readonly wave: Wave; readonly nowMs: number | null }) {
  const { toStop, settled, late, refused, detached, newer, ms } = countsOf(wave);
  const reached = reachedMs(wave);
  const runOn = refused + detached + newer;
  return (
    <dl className="wave-figures">
      <Figure
        name={settled === toStop ? 'stopped or done' : 'stopped so far'}
        text={`${settled - late} of ${toStop}`}
      />
      <Figure name="until every machine had it" text={reached === null ? '' : measuredText(reached)} />
      <Figure name={ms === null ? 'so far' : 'until the last end'} text={measuredText(ms ?? nowMs ?? 0)} isMain />
      {late > 0 && <Figure name="not in time" text={String(late)} tone="late" />}
      {runOn > 0 && <Figure name={runOn === 1 ? 'runs on' : 'run on'} text={String(runOn)} tone="runs-on" />}
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  /** The number with its unit; empty: not known. */
  readonly text: string;
  readonly tone?: string;
  readonly isMain?: boolean;
}

const Figure = ({ name, text, tone, isMain = false }: FigureProps) =>
  text === '' ? null : (
    <div className="wave-figure" data-tone={tone} data-main={isMain}>
      <dd>{text}</dd>
      <dt>{name}</dt>
    </div>
  );

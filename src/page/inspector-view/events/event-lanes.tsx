// The lanes of a sequence diagram: one for each actor, with an arrow for each event between them.
import type { EventRecord } from '../../../wire/inspection.ts';
import { actorTitle, type FindActor, kindNames, kindOf, screenTitle } from '../records/actor-titles.ts';
import { outside } from './event-rows.ts';

export interface EventLanes {
  /** The middle of each actor's lane, in pixels. */
  readonly middles: ReadonlyMap<string, number>;
  readonly heads: readonly LaneHead[];
  readonly width: number;
}

interface LaneHead {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly middle: number;
}

/** The width of the times on the left. */
const timeWidth = 84;
const laneWidth = 132;
/** The number of lanes up to which arrows can be followed: with more of them, lines are shown instead. */
const maxLanes = 24;

/** Returns the lanes of actors; null: there are too many for a diagram. */
export function lanesOf(
  actors: readonly string[],
  find: FindActor,
  sessionTitles: ReadonlyMap<string, string>,
): EventLanes | null {
  if (actors.length > maxLanes) return null;
  const heads = actors.map((id, i) => {
    const actor = find(id);
    const kind = actor ? kindNames[kindOf(actor)] : '';
    const title =
      id === outside
        ? 'outside'
        : actor
          ? screenTitle(kindOf(actor), actorTitle(actor, find), sessionTitles)
          : 'earlier';
    return { id, title, kind: kind === title ? '' : kind, middle: laneWidth * i + laneWidth / 2 };
  });
  const middles = new Map(heads.map(({ id, middle }) => [id, middle]));
  return { middles, heads, width: timeWidth + laneWidth * actors.length };
}

/** The names over the lanes, which stay in sight. */
export const LaneHeads = ({ lanes: { heads, width } }: { readonly lanes: EventLanes }) => (
  <div className="lane-heads" role="presentation" style={{ width }}>
    {heads.map(({ id, title, kind }) => (
      <span key={id} className="lane-head" style={{ width: laneWidth }} title={`${kind} ${title}`}>
        <span className="lane-title">{title}</span>
        <span className="lane-kind">{kind}</span>
      </span>
    ))}
  </div>
);

interface EventArrowProps {
  readonly record: EventRecord;
  /** The actor that sent it; null: it comes from outside the machines. */
  readonly sender: string | null;
  readonly lanes: EventLanes;
  readonly height: number;
}

/** The arrow of an event, over the lines of all lanes. */
export function EventArrow({ record, sender, lanes: { middles, heads }, height }: EventArrowProps) {
  const from = middles.get(sender ?? outside);
  const to = middles.get(record.actor);
  if (from === undefined || to === undefined)
    return (
      <span className="event-type" aria-hidden="true">
        {record.event}
      </span>
    );
  const y = height - 8;
  const isRight = to > from;
  const tip = isRight ? -1 : 1;
  const middle = (from + to) / 2;
  return (
    <svg className="event-arrow" width={laneWidth * heads.length} height={height} aria-hidden="true">
      {heads.map((head) => (
        <line key={head.id} className="lane-line" x1={head.middle} x2={head.middle} y1={0} y2={height} />
      ))}
      {from === to ? (
        <path className="arrow-line" d={`M${to} ${y - 12}h24v12h-22`} />
      ) : (
        <path className="arrow-line" d={`M${from} ${y}H${to + tip * 2}`} />
      )}
      <path className="arrow-tip" d={from === to ? `M${to + 1} ${y}l7 -4v8z` : `M${to} ${y}l${tip * 7} -4v8z`} />
      <text
        className="arrow-text"
        x={from === to ? to + 30 : middle}
        y={y - 5}
        textAnchor={from === to ? 'start' : 'middle'}
      >
        {record.event}
      </text>
    </svg>
  );
}
